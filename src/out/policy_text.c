#include "config.h"

#include "out/policy_text.h"

#include <string.h>

#include "out/say.h"

#define WIDTH	78
#define LABEL	20	/* column of the text */

/* Print one word of a list, broken at WIDTH; the first word follows the label. */
static void
put_word(FILE *f, int *column, const char *label, const char *word)
{
	int len = (int)strlen(word) + 1;

	if (*column == 0 || *column + len > WIDTH) {
		fprintf(f, *column == 0 ? "  %-17s" : "\n  %-17s", *column == 0 ? label : "");
		*column = 19;
	}
	fprintf(f, " %s", word);
	*column += len;
}

static void
put_whom(FILE *f, const struct pace_policy *p, int rule)
{
	int column = 0;

	for (int i = 0; i < p->names; i++)
		if (p->name[i].rule == rule)
			put_word(f, &column, "keys", strcmp(p->name[i].name, "*") == 0 ? "any" :
			    p->name[i].name);
	fputs(column > 0 ? "\n" : "", f);
	column = 0;
	for (int i = 0; i < p->nets; i++)
		if (p->net[i].rule == rule)
			put_word(f, &column, "networks", p->net[i].text);
	fputs(column > 0 ? "\n" : "", f);
}

/* "  label             ", the beginning of a line. */
static const char *
behind(const char *label, char first[LABEL + 1])
{
	snprintf(first, LABEL + 1, "  %-*s", LABEL - 2, label);
	return first;
}

/* --- accepted clients ------------------------------------------------------------------ */

struct audience {
	bool	named, placed;	/* the rule has keys; has addresses */
	int	shown;		/* known keys with this rule */
	int	strays;		/* known keys without a rule of their own */
	bool	anybody;	/* the rule accepts any client at all */
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

/* Clients to which the rule applies because of their address. */
static const char *
placed_words(bool invited, bool strays)
{
	if (invited)
		return strays ? "all clients, with or without a key (allow = yes)" :
		    "clients without a key (allow = yes); keys have other rules";
	return strays ? "clients with a key; no others (no allow = yes)" :
	    "no clients (no allow = yes): every key has another rule";
}

static void
put_served(FILE *f, const struct pace_limits *l, const struct audience *a, bool others,
    const struct pace_known_keys *keys)
{
	const struct pace_say s = { f, true };
	const char *label = "served";
	char first[LABEL + 1];

	if (!l->allow) {
		pace_say_wrapped(&s, behind(label, first), "no clients (allow = no)");
		return;
	}
	if (a->named) {
		pace_say_wrapped(&s, behind(label, first), keys == NULL ?
		    "no clients by key: --keys is not set" : a->shown > 0 ?
		    "clients with such a key" : "no clients by key: no known key has this rule");
		label = "";
	}
	if (a->placed)
		pace_say_wrapped(&s, behind(label, first), keys != NULL ?
		    placed_words(l->invited, a->strays > 0) :
		    others ? "all other clients" : "all clients from these networks");
}

/* --- limits ------------------------------------------------------------------------------- */

static void
put_sessions(FILE *f, const struct pace_limits *l, const struct audience *a,
    const struct pace_caps *caps)
{
	uint64_t own = (uint64_t)l->most[PACE_LIMIT_SESSIONS], most = caps->sessions;
	bool keyed = caps->keys != NULL && (a->shown > 0 || a->strays > 0);
	bool unkeyed = a->placed && (caps->keys == NULL || l->invited);
	bool fewer = unkeyed && caps->keys != NULL && caps->strangers < most;
	char first[LABEL + 1], all[80], house[64] = "", strangers[64] = "";
	const struct pace_say s = { f, true };

	if (fewer && !keyed)
		most = caps->strangers;
	if (own < most)
		snprintf(all, sizeof(all), "%llu at once of one %s", (unsigned long long)own,
		    !keyed ? "host" : unkeyed ? "key or host" : "key");
	else
		snprintf(all, sizeof(all), "%llu at once in all (--max-sessions)",
		    (unsigned long long)most);
	if (caps->house < most && caps->house < own)
		snprintf(house, sizeof(house), ", %llu from one host",
		    (unsigned long long)caps->house);
	if (fewer && keyed && caps->strangers < own)
		snprintf(strangers, sizeof(strangers), ", %llu without a key",
		    (unsigned long long)caps->strangers);
	pace_say_sentence(&s, behind(pace_limit_info[PACE_LIMIT_SESSIONS].help, first), "%s%s%s",
	    all, house, strangers);
}

/* Print the smaller of the rule's limit and the program's. */
static void
put_limit(FILE *f, const struct pace_limits *l, enum pace_limit_kind k,
    const struct pace_caps *caps)
{
	static const char *const after[PACE_LIMITS] = {
		[PACE_LIMIT_RATE] = " on the wire", [PACE_LIMIT_SIZE] = " of user data",
		[PACE_LIMIT_FRAMES] = " frames/s", [PACE_LIMIT_DURATION] = "",
		[PACE_LIMIT_RECORDS] = " frames a run", [PACE_LIMIT_STREAMS] = " a run",
		[PACE_LIMIT_WATCH_RATE] = " on the wire", [PACE_LIMIT_WATCH_FRAMES] = " frames/s",
		[PACE_LIMIT_BUDGET] = " a day, on the wire",
		[PACE_LIMIT_NETWORK] = " a day, each IPv4 /24 and IPv6 /48",
	};
	int64_t most = l->most[k];
	const struct pace_say s = { f, true };
	char text[32], first[LABEL + 1];
	const char *whose = "";

	if (k == PACE_LIMIT_RECORDS && caps->records < (uint64_t)most) {
		most = (int64_t)caps->records;
		whose = " (--max-records)";
	}
	if (most == PACE_NO_LIMIT)
		pace_say_wrapped(&s, behind(pace_limit_info[k].help, first), "unlimited");
	else
		pace_say_sentence(&s, behind(pace_limit_info[k].help, first), "%s%s%s",
		    pace_limit_print(k, most, text, sizeof(text)), after[k], whose);
}

static void
put_reverse(FILE *f, const struct pace_limits *l)
{
	char text[32] = "yes";

	if (l->reverse && l->reverse_bps > 0)
		pace_limit_print(PACE_LIMIT_RATE, l->reverse_bps, text, sizeof(text));
	fprintf(f, "  %-17s %s\n", "reverse traffic", l->reverse ? text : "no");
}

static void
put_rule(FILE *f, const struct pace_policy *p, int rule, const struct pace_caps *caps)
{
	const struct pace_limits *l = &p->rule[rule];
	const struct audience a = audience_of(p, rule, caps->keys);
	const struct { const char *label; bool yes; } may[] = {
		{ "host facts", l->host_facts },
		{ "busy polling", l->busy_poll }, { "capture", l->capture },
		{ "NIC stamps", l->stamp_nic }, { "STAMP", l->reflect },
	};
	static const char *const groups[PACE_GROUP_RULES] = { "no", "of one key",
	    "of one key, or of one network" };
	const struct pace_say s = { f, true };
	char first[LABEL + 1];

	pace_say(&s, "\n");
	pace_say(&s, "[%s]", l->rule);
	pace_say_sentence(&s, rule == 0 ? "  " : "", "%s%s", rule == 0 ? "all others" : "",
	    rule == 0 && !p->has_default ? "; the file has no [default]: built-in rule" : "");
	put_whom(f, p, rule);
	put_served(f, l, &a, rule == 0, caps->keys);
	if (!a.anybody)
		return;
	for (int k = 0; k < PACE_LIMITS; k++)
		if (k == PACE_LIMIT_SESSIONS)
			put_sessions(f, l, &a, caps);
		else
			put_limit(f, l, (enum pace_limit_kind)k, caps);
	put_reverse(f, l);
	pace_say_wrapped(&s, behind("groups", first), groups[l->group]);
	for (size_t i = 0; i < sizeof(may) / sizeof(may[0]); i++)
		pace_say_wrapped(&s, behind(may[i].label, first), may[i].yes ? "yes" : "no");
}

int
pace_policy_text(FILE *f, const struct pace_policy *p, const struct pace_caps *caps)
{
	const struct pace_say s = { f, true };

	for (int i = 1; i < p->rules; i++)
		put_rule(f, p, i, caps);
	put_rule(f, p, 0, caps);
	return pace_say_end(&s);
}
