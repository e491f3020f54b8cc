#include "config.h"

#include "out/policy_text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define WIDTH	78

/* One word more of a list that is broken at WIDTH. */
static void
put_word(FILE *f, int *column, const char *word)
{
	int len = (int)strlen(word) + 1;

	if (*column + len > WIDTH) {
		fprintf(f, "\n                   ");
		*column = 19;
	}
	fprintf(f, " %s", word);
	*column += len;
}

static void
put_whom(FILE *f, const struct pace_policy *p, int rule)
{
	int column = 19, found = 0;

	for (int i = 0; i < p->names; i++) {
		if (p->name[i].rule != rule)
			continue;
		if (found++ == 0)
			fprintf(f, "  keys             ");
		put_word(f, &column, strcmp(p->name[i].name, "*") == 0 ? "any" : p->name[i].name);
	}
	fputs(found > 0 ? "\n" : "", f);
	column = 19;
	found = 0;
	for (int i = 0; i < p->nets; i++) {
		if (p->net[i].rule != rule)
			continue;
		if (found++ == 0)
			fprintf(f, "  networks         ");
		put_word(f, &column, p->net[i].text);
	}
	fputs(found > 0 ? "\n" : "", f);
}

/* --- whom it serves -------------------------------------------------------------------- */

struct audience {
	bool	named, placed;	/* it is for keys; for addresses */
	int	shown;		/* known keys whose rule it is */
	int	strays;		/* known keys without a rule of their own */
	bool	anybody;	/* is somebody served? */
};

static struct audience
audience_of(const struct pace_policy *p, int rule, const struct pace_known_keys *keys)
{
	const struct pace_limits *l = &p->rule[rule];
	struct audience a = { .placed = rule == 0 };

	for (int i = 0; i < p->names; i++)
		a.named |= p->name[i].rule == rule;
	for (int i = 0; i < p->nets; i++)
		a.placed |= p->net[i].rule == rule;
	for (int i = 0; keys != NULL && i < keys->n; i++) {
		int own = pace_policy_key_rule(p, keys->name[i]);

		a.shown += own == rule;
		a.strays += own < 0;
	}
	a.anybody = l->allow && (keys == NULL ? a.placed :
	    a.shown > 0 || (a.placed && (l->invited || a.strays > 0)));
	return a;
}

/* Those that an address brings here. */
static const char *
placed_words(bool invited, bool strays)
{
	if (invited)
		return strays ? "everybody, with a key or without (allow = yes)" :
		    "who shows no key (allow = yes); each key has another rule";
	return strays ? "who shows a key; others are not (no allow = yes)" :
	    "nobody: a key is asked for (no allow = yes), and each has another rule";
}

static void
put_served(FILE *f, const struct pace_limits *l, const struct audience *a, bool others,
    const struct pace_known_keys *keys)
{
	const char *label = "served";

	if (!l->allow) {
		fprintf(f, "  %-17s nobody (allow = no)\n", label);
		return;
	}
	if (a->named) {
		fprintf(f, "  %-17s %s\n", label, keys == NULL ?
		    "nobody by a key: there is no --keys" : a->shown > 0 ?
		    "who shows such a key" : "nobody by a key: none is known that has this rule");
		label = "";
	}
	if (a->placed)
		fprintf(f, "  %-17s %s\n", label, keys != NULL ?
		    placed_words(l->invited, a->strays > 0) :
		    others ? "everybody else" : "everybody from there");
}

/* --- within which limits ------------------------------------------------------------------ */

static void
put_sessions(FILE *f, const struct pace_limits *l, const struct audience *a,
    const struct pace_caps *caps)
{
	uint64_t own = (uint64_t)l->most[PACE_LIMIT_SESSIONS], most = caps->sessions;
	bool keyed = caps->keys != NULL && (a->shown > 0 || a->strays > 0);
	bool unkeyed = a->placed && (caps->keys == NULL || l->invited);
	bool fewer = unkeyed && caps->keys != NULL && caps->strangers < most;

	if (fewer && !keyed)
		most = caps->strangers;
	fprintf(f, "  %-17s ", pace_limit_info[PACE_LIMIT_SESSIONS].help);
	if (own < most)
		fprintf(f, "%llu at once of one %s", (unsigned long long)own, !keyed ? "host" :
		    unkeyed ? "key or host" : "key");
	else
		fprintf(f, "%llu at once in all (--max-sessions)", (unsigned long long)most);
	if (caps->house < most && caps->house < own)
		fprintf(f, ", %llu from one host", (unsigned long long)caps->house);
	if (fewer && keyed && caps->strangers < own)
		fprintf(f, ", %llu without a key", (unsigned long long)caps->strangers);
	fprintf(f, "\n");
}

/* The rule's limit, or the program's where that is less. */
static void
put_limit(FILE *f, const struct pace_limits *l, enum pace_limit_kind k, const struct pace_caps *caps)
{
	static const char *const behind[PACE_LIMITS] = {
		[PACE_LIMIT_RATE] = " on the wire", [PACE_LIMIT_SIZE] = " of user data",
		[PACE_LIMIT_FRAMES] = " frames/s", [PACE_LIMIT_DURATION] = "",
		[PACE_LIMIT_RECORDS] = " frames a run",
		[PACE_LIMIT_BUDGET] = " a day, on the wire",
		[PACE_LIMIT_NETWORK] = " a day, each IPv4 /24 and IPv6 /48",
	};
	int64_t most = l->most[k];
	const char *whose = "";
	char text[32];

	if (k == PACE_LIMIT_RECORDS && caps->records < (uint64_t)most) {
		most = (int64_t)caps->records;
		whose = " (--max-records)";
	}
	fprintf(f, "  %-17s", pace_limit_info[k].help);
	if (most == PACE_NO_LIMIT)
		fprintf(f, " unlimited\n");
	else
		fprintf(f, " %s%s%s\n", pace_limit_print(k, most, text, sizeof(text)), behind[k],
		    whose);
}

static void
put_rule(FILE *f, const struct pace_policy *p, int rule, const struct pace_caps *caps)
{
	const struct pace_limits *l = &p->rule[rule];
	const struct audience a = audience_of(p, rule, caps->keys);

	fprintf(f, "\n[%s]%s%s\n", l->rule, rule == 0 ? "  all others" : "", rule == 0 &&
	    !p->has_default ? "; the file has no [default], this holds without one" : "");
	put_whom(f, p, rule);
	put_served(f, l, &a, rule == 0, caps->keys);
	if (!a.anybody)
		return;
	for (int k = 0; k < PACE_LIMITS; k++)
		if (k == PACE_LIMIT_SESSIONS)
			put_sessions(f, l, &a, caps);
		else
			put_limit(f, l, (enum pace_limit_kind)k, caps);
	fprintf(f, "  %-17s %s\n", "reverse traffic", l->reverse ? "yes" : "no");
	fprintf(f, "  %-17s %s\n", "host facts", l->host_facts ? "yes" : "no");
	fprintf(f, "  %-17s %s\n", "busy polling", l->busy_poll ? "yes" : "no");
	fprintf(f, "  %-17s %s\n", "capture", l->capture ? "yes" : "no");
	fprintf(f, "  %-17s %s\n", "NIC stamps", l->stamp_nic ? "yes" : "no");
}

int
pace_policy_text(FILE *f, const struct pace_policy *p, const struct pace_caps *caps)
{
	for (int i = 1; i < p->rules; i++)
		put_rule(f, p, i, caps);
	put_rule(f, p, 0, caps);
	return ferror(f) ? -EIO : 0;
}
