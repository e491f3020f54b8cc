/*
 * Fuzzes the file of a policy.  Checks: an accepted policy keeps the promises of core/policy.h:
 * every rule applies to some client, no limit is below its minimum, and every network finds a rule
 * that is at least as specific.
 */
#include "daemon/policy_file.h"
#include "fuzz.h"
#include "mutate_words.h"
#include "out/policy_text.h"

static struct pace_policy pol;

static void
check_rule(int rule)
{
	const struct pace_limits *l = &pol.rule[rule];
	bool somebody = rule == 0;

	MUST(l->rule[0] != '\0' && memchr(l->rule, '\0', sizeof(l->rule)) != NULL);
	for (int k = 0; k < PACE_LIMITS; k++)
		MUST(l->most[k] >= pace_limit_info[k].min);
	for (int i = 0; i < rule; i++)
		MUST(strcmp(pol.rule[i].rule, l->rule) != 0);
	for (int i = 0; i < pol.nets; i++)
		somebody |= pol.net[i].rule == rule;
	for (int i = 0; i < pol.names; i++)
		somebody |= pol.name[i].rule == rule;
	MUST(somebody);
	MUST(!l->invited || l->allow);
}

static void
check_net(int at)
{
	struct pace_addr a = { .family = pol.net[at].family };
	char subject[PACE_SUBJECT_SIZE];
	int best = -1, rule;

	memcpy(a.ip, pol.net[at].ip, sizeof(a.ip));
	MUST(pol.net[at].bits <= (a.family == 4 ? 32 : 128));
	rule = pace_policy_match(&pol, &a, "", subject);
	for (int i = 0; i < pol.nets; i++)
		if (strcmp(pol.net[i].text, subject) == 0 && pol.net[i].rule == rule)
			best = i;
	MUST(rule > 0 && best >= 0 && pol.net[best].bits >= pol.net[at].bits);
}

static void
check_policy(void)
{
	static const struct pace_known_keys known = { 2, { "alice", "bob" } };
	struct pace_caps caps = { 1000, 64, 16, 48, NULL };
	char subject[PACE_SUBJECT_SIZE];
	FILE *out = fopen("/dev/null", "w");

	MUST(pol.rules >= 1 && pol.rules <= PACE_RULES_MAX);
	for (int i = 0; i < pol.rules; i++)
		check_rule(i);
	for (int i = 0; i < pol.nets; i++)
		check_net(i);
	for (int i = 0; i < pol.names; i++)
		MUST(pace_policy_match(&pol, &(struct pace_addr){ .family = 4 },
		    pol.name[i].name, subject) == pol.name[i].rule);
	MUST(out != NULL && pace_policy_text(out, &pol, &caps) == 0);
	caps.keys = &known;
	MUST(pace_policy_text(out, &pol, &caps) == 0);
	fclose(out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_err err = { .code = 0 };
	void *exact = fuzz_exact(data, size);
	FILE *f = size > 0 ? fmemopen(exact, size, "rb") : NULL;
	int rc;

	if (f != NULL) {
		rc = pace_policy_read(&pol, f, "x.ini", &err);
		fclose(f);
		MUST(rc == 0 || (rc == -err.code && strncmp(err.text, "x.ini:", 6) == 0));
		if (rc == 0)
			check_policy();
	}
	free(exact);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char *const words[] = { "[default]\n", "[a]\n", "[b]\n", "key", "network",
		"rate", "frame-rate", "size", "duration", "records", "sessions", "budget", "allow",
		"reverse", "host-facts", "busy-poll", "capture", "yes", "no", "unlimited", "*", "10.0.0.0/8", "2001:db8::/32",
		"::/0", "192.0.2.7", "/", "=", ";", "#", "[", "]", "\n  ", "\n", "1Gbit/s", "100GB", NULL };
	struct chance c = { seed };

	return mutate_words(data, size, max, words, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_words(a, asize, b, bsize, out, max, &c);
}
