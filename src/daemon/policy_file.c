#include "config.h"

#include "daemon/policy_file.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opt/ini.h"
#include "opt/regular.h"
#include "opt/suggest.h"
#include "proto/keys.h"

#define BLANKS	" \t"

struct policy_file_reading {
	struct pace_policy *p;
	struct pace_ini	ini;
	int	rule;		/* being read; -1: none yet */
	int	rule_line;	/* its first line */
	bool	for_somebody;	/* it has a key or a network */
	bool	has_allow;
};

#define fail(r, ...)	pace_ini_fail(&(r)->ini, __VA_ARGS__)

/* --- rules --------------------------------------------------------------------------- */

static bool
end_rule(struct policy_file_reading *r)
{
	if (r->rule <= 0 || r->for_somebody)
		return true;
	r->ini.line = r->rule_line;
	fail(r, "rule '%s' applies to no client: it needs a key or a network",
	    r->p->rule[r->rule].rule);
	return false;
}

static bool
begin_rule(struct pace_ini *ini, const char *name)
{
	struct policy_file_reading *r = ini->ctx;
	bool others = strcmp(name, "default") == 0;
	int rule;

	if (strlen(name) > 63)
		return fail(r, "the name of a rule has at most %d characters", PACE_RULE_NAME - 1);
	if (!end_rule(r))
		return false;
	r->rule_line = ini->line;
	if (!pace_ini_is_name(name, PACE_RULE_NAME))
		return fail(r, "'[%.40s]': the name of a rule has letters, digits, '-' and '_', "
		    "at most %d", name, PACE_RULE_NAME - 1);
	rule = !others ? pace_policy_rule(r->p, name) : r->p->has_default ? -EEXIST : 0;
	if (rule < 0)
		return rule == -EEXIST ? fail(r, "there is another rule '%s' above", name) :
		    fail(r, "more than %d rules besides [default]", PACE_RULES_MAX - 1);
	r->p->has_default |= others;
	r->rule = rule;
	r->for_somebody = r->has_allow = false;
	return true;
}

/* --- clients of a rule ---------------------------------------------------------------- */

/* Fail with the reason why a key or network could not be added. */
static bool
add_failed(struct policy_file_reading *r, int rc, const char *what, const char *text, int most)
{
	if (rc == -EEXIST)
		return fail(r, "%s: '%.60s' is in a rule already", what, text);
	return fail(r, "%s: more than %d in all rules", what, most);
}

static bool
add_key(struct policy_file_reading *r, const char *name)
{
	int rc;

	if (strcmp(name, "*") != 0 && !pace_key_name_ok(name))
		return fail(r, "key: '%.40s' is not the name of a key: names have 1 to %d letters, "
		    "digits, . _ @ -, and no - in front; * is any key", name, PACE_RULE_NAME - 1);
	rc = pace_policy_name(r->p, r->rule, name);
	return rc == 0 || add_failed(r, rc, "key", name, PACE_NAMES_MAX);
}

/* Parse "10.0.0.0/8", "2001:db8::1".  False: neither. */
static bool
read_net(const char *text, struct pace_addr *a, int *bits)
{
	char host[PACE_SUBJECT_SIZE], *slash, *end;

	memset(a, 0, sizeof(*a));
	if ((size_t)snprintf(host, sizeof(host), "%s", text) >= sizeof(host))
		return false;
	slash = strchr(host, '/');
	if (slash != NULL)
		*slash++ = '\0';
	a->family = strchr(host, ':') != NULL ? 6 : 4;
	*bits = a->family == 4 ? 32 : 128;
	if (inet_pton(a->family == 4 ? AF_INET : AF_INET6, host, a->ip) != 1)
		return false;
	if (slash == NULL)
		return true;
	if (!isdigit((unsigned char)slash[0]) || strlen(slash) > 3)
		return false;
	*bits = (int)strtol(slash, &end, 10);
	return *end == '\0' && *bits <= (a->family == 4 ? 32 : 128);
}

static bool
add_net(struct policy_file_reading *r, const char *text)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	char host[INET6_ADDRSTRLEN], name[PACE_SUBJECT_SIZE + 8];
	struct pace_addr a;
	int bits, rc;

	if (!read_net(text, &a, &bits))
		return fail(r, "network: '%.48s' is neither a network nor an address, such as "
		    "10.0.0.0/8, 192.0.2.7 or 2001:db8::/32", text);
	/* a mapped address never arrives: its sender has an IPv4 address */
	if (a.family == 6 && memcmp(a.ip, mapped, sizeof(mapped)) == 0)
		return fail(r, "network: '%.60s': write it as an IPv4 network", text);
	/* one form for one network, however it is written: its budget depends on it */
	if (inet_ntop(a.family == 4 ? AF_INET : AF_INET6, a.ip, host, sizeof(host)) == NULL)
		return fail(r, "network: '%.48s' is not an address", text);
	snprintf(name, sizeof(name), "%s/%d", host, bits);
	rc = pace_policy_net(r->p, r->rule, &a, bits, name);
	if (rc == -EINVAL)
		return fail(r, "network: '%.60s' has bits set after the first %d", text, bits);
	return rc == 0 || add_failed(r, rc, "network", text, PACE_NETS_MAX);
}

/* Add a list separated by blanks. */
static bool
add_each(struct policy_file_reading *r, const char *key, const char *value)
{
	bool net = strcmp(key, "network") == 0;
	char text[PACE_SUBJECT_SIZE + 16];
	size_t len;

	if (r->rule == 0)
		return fail(r, "[default] applies to all other clients: it takes no %s", key);
	if (value[strspn(value, BLANKS)] == '\0')
		return fail(r, "%s: the list is empty", key);
	r->for_somebody = true;
	for (value += strspn(value, BLANKS); *value != '\0'; value += strspn(value, BLANKS)) {
		len = strcspn(value, BLANKS);
		snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len :
		    sizeof(text)), value);
		if (!(net ? add_net(r, text) : add_key(r, text)))
			return false;
		value += len;
	}
	return true;
}

/* --- permissions and limits ------------------------------------------------------------ */

static bool
read_flag(struct policy_file_reading *r, const char *key, const char *value, bool *flag)
{
	*flag = strcmp(value, "yes") == 0;
	return *flag || strcmp(value, "no") == 0 || fail(r, "%s: '%.40s' is not yes or no", key,
	    value);
}

/* Accept a key only once per rule. */
static bool
say(struct policy_file_reading *r, const char *key, uint32_t bit)
{
	struct pace_limits *l = &r->p->rule[r->rule];

	if ((l->said & bit) != 0)
		return fail(r, r->ini.indented && r->ini.has_value ? "%s: a line that begins with "
		    "a blank continues the one before, but this takes one value" :
		    "%s: this rule has it already", key);
	l->said |= bit;
	return true;
}

static bool
read_limit(struct policy_file_reading *r, int k, const char *value)
{
	static const char *const such[] = {
		[PACE_UNIT_COUNT] = "1000, 100k", [PACE_UNIT_BYTES] = "1472, 64K, 10GB",
		[PACE_UNIT_SEC] = "60s, 10m", [PACE_UNIT_BPS] = "500M, 1Gbit/s",
	};
	static const char *const what[] = {
		[PACE_UNIT_COUNT] = "number", [PACE_UNIT_BYTES] = "number of bytes",
		[PACE_UNIT_SEC] = "time", [PACE_UNIT_BPS] = "rate",
	};
	const struct pace_limit_info *info = &pace_limit_info[k];
	int64_t *most = &r->p->rule[r->rule].most[k];
	char least[32];
	int rc;

	if (!say(r, info->name, 1u << k))
		return false;
	*most = PACE_NO_LIMIT;
	if (strcmp(value, "unlimited") == 0)
		return true;
	rc = pace_parse(info->unit, value, most);
	if (rc == -ERANGE || (rc == 0 && *most == PACE_NO_LIMIT))
		return fail(r, "%s: '%.40s' is too large or too fine", info->name, value);
	if (rc < 0)
		return fail(r, "%s: '%.40s' is not a %s such as %s, or unlimited", info->name,
		    value, what[info->unit], such[info->unit]);
	if (*most < info->min)
		return fail(r, "%s: '%.40s' is too small: write at least %s%s", info->name, value,
		    pace_limit_print((enum pace_limit_kind)k, info->min, least, sizeof(least)),
		    info->min > 1 ? "; to refuse everything: allow = no" : "");
	return true;
}

/* --- values ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	size_t	at;
	uint32_t said;
} flags[] = {
#define FLAG(name, field, said)	{ name, offsetof(struct pace_limits, field), PACE_SAID_##said }
	FLAG("host-facts", host_facts, FACTS),
	FLAG("busy-poll", busy_poll, BUSY),
	FLAG("capture", capture, CAPTURE),
	FLAG("stamp-nic", stamp_nic, STAMP),
	FLAG("stamp", reflect, REFLECT),
};

/* Keys that are not limits; pace_limit_info has the names of the limits. */
static const char *const others[] = { "allow", "reverse", "host-facts", "busy-poll",
	"capture", "stamp-nic", "stamp", "group", "key", "network" };
#define OTHERS	(sizeof(others) / sizeof(others[0]))

static bool
unknown(struct policy_file_reading *r, const char *key)
{
	struct pace_nearest near;

	if (strcmp(key, "doctor") == 0)
		return fail(r, "doctor: there is no such setting: host-facts = no denies it the "
		    "facts of this host, size limits its frames");
	pace_nearest_start(&near, key, strlen(key));
	for (size_t i = 0; i < OTHERS; i++)
		pace_nearest_try(&near, others[i]);
	for (size_t i = 0; i < PACE_LIMITS; i++)
		pace_nearest_try(&near, pace_limit_info[i].name);
	if (near.best != NULL)
		return fail(r, "a rule has no '%.40s'; did you mean %s?", key, near.best);
	return fail(r, "a rule has no '%.40s'; udpace-policy(5) lists what it can have", key);
}

/* yes, no, or the rate of the frames that the responder may be made to send. */
static bool
read_reverse(struct policy_file_reading *r, const char *value, struct pace_limits *l)
{
	int64_t bps = 0;

	if (!say(r, "reverse", PACE_SAID_REVERSE))
		return false;
	l->reverse = strcmp(value, "no") != 0;
	if (l->reverse && strcmp(value, "yes") != 0 &&
	    (pace_parse(PACE_UNIT_BPS, value, &bps) != 0 ||
	    bps < pace_limit_info[PACE_LIMIT_RATE].min || bps == PACE_NO_LIMIT))
		return fail(r, "reverse: '%.40s' is not yes, no or a rate such as 500M", value);
	l->reverse_bps = bps;
	return true;
}

/* Who may share the lease. */
static bool
read_group(struct policy_file_reading *r, const char *value, struct pace_limits *l)
{
	if (!say(r, "group", PACE_SAID_GROUP))
		return false;
	for (int i = 0; i < PACE_GROUP_RULES; i++) {
		if (strcmp(value, pace_group_rules[i]) != 0)
			continue;
		l->group = (enum pace_group_rule)i;
		return true;
	}
	return fail(r, "group: '%.40s' is not no, key or private", value);
}

static bool
read_value(struct pace_ini *ini, const char *key, const char *value)
{
	struct policy_file_reading *r = ini->ctx;
	struct pace_limits *l;

	if (r->rule < 0)
		return fail(r, "a value before the first [rule]");
	l = &r->p->rule[r->rule];
	for (int k = 0; k < PACE_LIMITS; k++)
		if (strcmp(key, pace_limit_info[k].name) == 0)
			return read_limit(r, k, value);
	if (strcmp(key, "key") == 0 || strcmp(key, "network") == 0)
		return add_each(r, key, value);
	if (strcmp(key, "allow") == 0) {
		if (r->has_allow)
			return fail(r, "allow: this rule has it already");
		r->has_allow = true;
		if (!read_flag(r, "allow", value, &l->allow))
			return false;
		l->invited = l->allow;
		return true;
	}
	if (strcmp(key, "reverse") == 0)
		return read_reverse(r, value, l);
	if (strcmp(key, "group") == 0)
		return read_group(r, value, l);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(key, flags[i].name) == 0)
			return say(r, key, flags[i].said) &&
			    read_flag(r, key, value, (bool *)((char *)l + flags[i].at));
	return unknown(r, key);
}

int
pace_policy_read(struct pace_policy *p, FILE *f, const char *path, struct pace_err *err)
{
	struct policy_file_reading r = { .p = p, .rule = -1, .ini = { .section = "rule",
	    .shape = "the line is neither [rule] nor name = value",
	    .unclosed = "a [rule] without its ']'", .comments_anywhere = true, .begin = begin_rule,
	    .value = read_value, .ctx = &r } };

	pace_policy_reset(p);
	pace_ini_read(&r.ini, f);
	if (r.rule < 0)
		fail(&r, "the file has no rule");
	if (r.ini.why[0] == '\0')
		(void)end_rule(&r);
	pace_policy_settle(p);
	if (r.ini.why[0] == '\0')
		return 0;
	return pace_failf(err, EPROTO, "read policy", "%s:%d: %s", path,
	    r.ini.line > 0 ? r.ini.line : 1, r.ini.why);
}

int
pace_policy_load(struct pace_policy *p, const char *path, struct pace_err *err)
{
	const char *why;
	int fd, rc;
	FILE *f;

	if (!pace_ini_works())
		return pace_failf(err, ENOSYS, "read policy",
		    "%s: this udpace was built without the library that reads policy files, inih",
		    path);
	fd = pace_open_passed(path, &why);
	f = fd != -1 ? fdopen(fd, "r") : NULL;
	if (fd == -1)
		return pace_failf(err, ENOENT, "open policy", "%s: %s", path, why);
	if (f == NULL) {
		close(fd);
		return pace_failf(err, ENOMEM, "open policy", "%s: out of memory", path);
	}
	rc = pace_policy_read(p, f, path, err);
	fclose(f);
	return rc;
}
