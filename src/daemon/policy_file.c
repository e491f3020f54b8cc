#include "config.h"

#include "daemon/policy_file.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opt/regular.h"
#include "opt/suggest.h"
#include "proto/keys.h"

#define BLANKS	" \t"
#define MARK	"\xef\xbb\xbf"	/* of the byte order */
#define WHY_SIZE	176	/* with the file and the line, what struct pace_err has room for */

struct policy_file_reading {
	struct pace_policy *p;
	FILE	*f;
	int	line;
	int	rule;		/* that is read; -1: none yet */
	int	rule_line;	/* where it began */
	bool	indented;	/* the line begins with a blank */
	bool	has_value;	/* a line with a blank in front goes on with this one */
	bool	for_somebody;	/* it has a key or a network */
	bool	has_allow;
	char	why[WHY_SIZE];	/* "": all is well so far */
};

static int	fail(struct policy_file_reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int
fail(struct policy_file_reading *r, const char *fmt, ...)
{
	va_list ap;

	if (r->why[0] != '\0')
		return 0;
	va_start(ap, fmt);
	vsnprintf(r->why, sizeof(r->why), fmt, ap);
	va_end(ap);
	return 0;
}

/* --- rules --------------------------------------------------------------------------- */

static bool
is_name(const char *text, size_t size)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '-' || text[n] == '_')
		n++;
	return n > 0 && n < size && text[n] == '\0' && text[0] != '-';
}

static bool
end_rule(struct policy_file_reading *r)
{
	if (r->rule <= 0 || r->for_somebody)
		return true;
	r->line = r->rule_line;
	fail(r, "rule '%s' is for nobody: it needs a key or a network", r->p->rule[r->rule].rule);
	return false;
}

static int
begin_rule(struct policy_file_reading *r, const char *name)
{
	bool others = strcmp(name, "default") == 0;
	int rule;

	if (!end_rule(r))
		return 0;
	r->rule_line = r->line;
	if (!is_name(name, PACE_RULE_NAME))
		return fail(r, "'[%.40s]': the name of a rule has letters, digits, '-' and '_', "
		    "at most %d", name, PACE_RULE_NAME - 1);
	rule = !others ? pace_policy_rule(r->p, name) : r->p->has_default ? -EEXIST : 0;
	if (rule < 0)
		return rule == -EEXIST ? fail(r, "there is a rule '%s' above already", name) :
		    fail(r, "more than %d rules besides [default]", PACE_RULES_MAX - 1);
	r->p->has_default |= others;
	r->rule = rule;
	r->for_somebody = r->has_allow = r->has_value = false;
	return 1;
}

/* --- lines ----------------------------------------------------------------------------- */

/* "[name]" and nothing else. */
static void
read_section(struct policy_file_reading *r, const char *text)
{
	size_t len = strcspn(text, "]"), end = strlen(text);
	char name[64];

	while (end > 0 && isspace((unsigned char)text[end - 1]))
		end--;
	if (r->indented)
		fail(r, "a [rule] begins in the first column");
	else if (text[len] == '\0')
		fail(r, "a [rule] without its ']'");
	else if (len + 1 < end)
		fail(r, "only a comment may follow behind [%.*s]", (int)(len < 40 ? len : 40) - 1,
		    text + 1);
	else if (len > sizeof(name))
		fail(r, "the name of a rule has at most %d characters", PACE_RULE_NAME - 1);
	else {
		snprintf(name, sizeof(name), "%.*s", (int)len - 1, text + 1);
		begin_rule(r, name);
	}
}

/* inih would take "name : value", too. */
static void
read_shape(struct policy_file_reading *r, const char *text)
{
	if (text[0] == '[')
		read_section(r, text);
	else if (text[0] != '\0' && !(r->indented && r->has_value) &&
	    text[strcspn(text, "=:")] != '=')
		fail(r, "it is neither [rule] nor name = value");
}

/* What inih does not say well, or does not see, is said here.  Its parser would take the
 * rest of a line that is too long for the next one. */
static char *
read_line(char *text, int size, void *stream)
{
	struct policy_file_reading *r = stream;
	char *begin = text;

	if (r->why[0] != '\0' || fgets(text, size, r->f) == NULL)
		return NULL;
	r->line++;
	if (strchr(text, '\n') == NULL && !feof(r->f)) {
		fail(r, "the line is too long (at most 198 bytes; a line that begins with a "
		    "blank goes on with the one before)");
		return NULL;
	}
	text[strcspn(text, ";#\r\n")] = '\0';
	if (r->line == 1 && strncmp(text, MARK, strlen(MARK)) == 0)
		begin += strlen(MARK);
	r->indented = isspace((unsigned char)begin[0]);
	while (isspace((unsigned char)begin[0]))
		begin++;
	read_shape(r, begin);
	return r->why[0] != '\0' ? NULL : text;
}

/* --- whom it is for ------------------------------------------------------------------- */

/* What could not be added, and why. */
static int
add_failed(struct policy_file_reading *r, int rc, const char *what, const char *text, int most)
{
	if (rc == -EEXIST)
		return fail(r, "%s: '%.60s' is in a rule already", what, text);
	return fail(r, "more than %d in all rules: %s", most, what);
}

static int
add_key(struct policy_file_reading *r, const char *name)
{
	int rc;

	if (strcmp(name, "*") != 0 && !pace_key_name_ok(name))
		return fail(r, "key: no key can be called '%.40s': names have 1 to %d letters, "
		    "digits, . _ @ -, and no - in front; * is any key", name, PACE_RULE_NAME - 1);
	rc = pace_policy_name(r->p, r->rule, name);
	return rc == 0 ? 1 : add_failed(r, rc, "key", name, PACE_NAMES_MAX);
}

/* "10.0.0.0/8", "2001:db8::1".  False: neither. */
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

/* A mapped address never comes: its sender has an IPv4 one. */
static bool
is_mapped(const struct pace_addr *a)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return a->family == 6 && memcmp(a->ip, mapped, sizeof(mapped)) == 0;
}

static int
add_net(struct policy_file_reading *r, const char *text)
{
	char host[INET6_ADDRSTRLEN], name[PACE_SUBJECT_SIZE + 8];
	struct pace_addr a;
	int bits, rc;

	if (!read_net(text, &a, &bits))
		return fail(r, "network: '%.48s' is neither a network nor an address, such as "
		    "10.0.0.0/8, 192.0.2.7 or 2001:db8::/32", text);
	if (is_mapped(&a))
		return fail(r, "network: '%.60s': write it as an IPv4 network", text);
	/* one name for one network, however it is written: its budget goes by that */
	if (inet_ntop(a.family == 4 ? AF_INET : AF_INET6, a.ip, host, sizeof(host)) == NULL)
		return fail(r, "network: '%.48s' is no address", text);
	snprintf(name, sizeof(name), "%s/%d", host, bits);
	rc = pace_policy_net(r->p, r->rule, &a, bits, name);
	if (rc == -EINVAL)
		return fail(r, "network: '%.60s' has bits set behind its first %d", text, bits);
	return rc == 0 ? 1 : add_failed(r, rc, "network", text, PACE_NETS_MAX);
}

/* Several, with blanks between them. */
static int
add_each(struct policy_file_reading *r, const char *key, const char *value)
{
	bool net = strcmp(key, "network") == 0;
	char text[PACE_SUBJECT_SIZE + 16];
	size_t len;

	if (r->rule == 0)
		return fail(r, "[default] is for all others: it has no %s", key);
	if (value[strspn(value, BLANKS)] == '\0')
		return fail(r, "%s: nothing is named", key);
	r->for_somebody = true;
	for (value += strspn(value, BLANKS); *value != '\0'; value += strspn(value, BLANKS)) {
		len = strcspn(value, BLANKS);
		snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len :
		    sizeof(text)), value);
		if ((net ? add_net(r, text) : add_key(r, text)) == 0)
			return 0;
		value += len;
	}
	return 1;
}

/* --- what it may ------------------------------------------------------------------------ */

static int
read_flag(struct policy_file_reading *r, const char *key, const char *value, bool *flag)
{
	*flag = strcmp(value, "yes") == 0;
	return *flag || strcmp(value, "no") == 0 ? 1 : fail(r, "%s: '%.40s' is not yes or no", key,
	    value);
}

/* Once in a rule. */
static int
say(struct policy_file_reading *r, const char *key, uint32_t bit)
{
	struct pace_limits *l = &r->p->rule[r->rule];

	if ((l->said & bit) != 0)
		return fail(r, r->indented && r->has_value ? "%s: a line that begins with a blank goes on "
		    "with the one before, and this takes one value" :
		    "%s: it stands above in this rule already", key);
	l->said |= bit;
	return 1;
}

static int
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

	if (say(r, info->name, 1u << k) == 0)
		return 0;
	*most = PACE_NO_LIMIT;
	if (strcmp(value, "unlimited") == 0)
		return 1;
	rc = pace_parse(info->unit, value, most);
	if (rc == -ERANGE || (rc == 0 && *most == PACE_NO_LIMIT))
		return fail(r, "%s: '%.40s' is too large or too fine", info->name, value);
	if (rc < 0)
		return fail(r, "%s: '%.40s' is no %s such as %s, or unlimited", info->name, value,
		    what[info->unit], such[info->unit]);
	if (*most < info->min)
		return fail(r, "%s: '%.40s' is too little: at least %s%s", info->name, value,
		    pace_limit_print((enum pace_limit_kind)k, info->min, least, sizeof(least)),
		    info->min > 1 ? "; to refuse everything: allow = no" : "");
	return 1;
}

static int
read_allow(struct policy_file_reading *r, const char *value)
{
	struct pace_limits *l = &r->p->rule[r->rule];

	if (r->has_allow)
		return fail(r, "allow: it stands above in this rule already");
	r->has_allow = true;
	if (read_flag(r, "allow", value, &l->allow) == 0)
		return 0;
	l->invited = l->allow;
	return 1;
}

/* --- a value ------------------------------------------------------------------------------ */

/* Those that are no limits; the limits are called as pace_limit_info says. */
static const char *const others[] = { "allow", "reverse", "host-facts", "busy-poll",
	"capture", "stamp-nic", "key", "network" };
#define OTHERS	(sizeof(others) / sizeof(others[0]))

static const char *
name_of(size_t i)
{
	return i < OTHERS ? others[i] : pace_limit_info[i - OTHERS].name;
}

static int
unknown(struct policy_file_reading *r, const char *key)
{
	struct pace_nearest near;
	char all[160];
	size_t at = 0;

	if (strcmp(key, "doctor") == 0)
		return fail(r, "doctor: there is no such setting: host-facts = no takes from it what "
		    "it asks of this host, size bounds its frames");
	pace_nearest_start(&near, key, strlen(key));
	for (size_t i = 0; i < OTHERS + PACE_LIMITS; i++) {
		pace_nearest_try(&near, name_of(i));
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", i > 0 ? ", " : "",
		    name_of(i));
	}
	if (near.best != NULL)
		return fail(r, "a rule has no '%.40s'; did you mean %s?", key, near.best);
	return fail(r, "no '%.8s'; a rule has %s", key, all);
}

/* A section is known since its line; this one has a value of it. */
static int
read_value(struct policy_file_reading *r, const char *key, const char *value)
{
	struct pace_limits *l = &r->p->rule[r->rule];

	for (int k = 0; k < PACE_LIMITS; k++)
		if (strcmp(key, pace_limit_info[k].name) == 0)
			return read_limit(r, k, value);
	if (strcmp(key, "key") == 0 || strcmp(key, "network") == 0)
		return add_each(r, key, value);
	if (strcmp(key, "allow") == 0)
		return read_allow(r, value);
	if (strcmp(key, "reverse") == 0)
		return say(r, key, PACE_SAID_REVERSE) && read_flag(r, key, value, &l->reverse);
	if (strcmp(key, "host-facts") == 0)
		return say(r, key, PACE_SAID_FACTS) && read_flag(r, key, value, &l->host_facts);
	if (strcmp(key, "busy-poll") == 0)
		return say(r, key, PACE_SAID_BUSY) && read_flag(r, key, value, &l->busy_poll);
	if (strcmp(key, "capture") == 0)
		return say(r, key, PACE_SAID_CAPTURE) && read_flag(r, key, value, &l->capture);
	if (strcmp(key, "stamp-nic") == 0)
		return say(r, key, PACE_SAID_STAMP) && read_flag(r, key, value, &l->stamp_nic);
	return unknown(r, key);
}

/* inih's: 1 when all is well. */
static int
take(void *user, const char *section, const char *key, const char *value)
{
	struct policy_file_reading *r = user;
	int rc;

	(void)section;
	if (r->rule < 0)
		return fail(r, "a value before the first [rule]");
	rc = read_value(r, key, value);
	r->has_value = true;
	return rc;
}

int
pace_policy_read(struct pace_policy *p, FILE *f, const char *path, struct pace_err *err)
{
	struct policy_file_reading r = { .p = p, .f = f, .rule = -1 };
	int line;

	pace_policy_reset(p);
	line = ini_parse_stream(read_line, &r, take, &r);
	if (ferror(r.f))
		fail(&r, "it cannot be read");
	if (line != 0)			/* cannot be: its lines were looked at before */
		fail(&r, "it is neither [rule] nor name = value");
	if (r.why[0] == '\0' && r.rule < 0)
		fail(&r, "there is no rule in it");
	if (r.why[0] == '\0')
		(void)end_rule(&r);
	pace_policy_settle(p);
	if (r.why[0] == '\0')
		return 0;
	return pace_failf(err, EPROTO, "read policy", "%s:%d: %s", path, r.line > 0 ? r.line : 1,
	    r.why);
}

int
pace_policy_load(struct pace_policy *p, const char *path, struct pace_err *err)
{
	const char *why;
	int fd = pace_open_regular(path, &why), rc;
	FILE *f = fd != -1 ? fdopen(fd, "r") : NULL;

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
