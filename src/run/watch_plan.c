#include "config.h"

#include "run/watch_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opt/ini.h"
#include "opt/opt_value.h"
#include "opt/regular.h"

const char *const pace_watch_keys[] = { "size", "spacing", "exchange", "port", "ipv4", "ipv6", "ttl",
	"dscp", "key", "stamp", "twamp-light", "stamp-key", NULL };

struct watch_plan_reading {
	struct pace_watch_plan *plan;
	const struct pace_cmd *cmd;
	const struct pace_watch_opts *opts;
	struct pace_ini ini;
};

static bool
is_file(const char *operand)
{
	size_t len = strlen(operand);

	return strchr(operand, '/') != NULL || (len > 4 && strcmp(operand + len - 4, ".ini") == 0);
}

/* Append a path with the options of the command line; NULL: no memory. */
static struct pace_watch_target *
append(struct pace_watch_plan *p, const struct pace_watch_opts *opts, const char *name,
    const char *host)
{
	struct pace_watch_target *more = p->v, *t;

	if ((p->n & (p->n - 1)) == 0)	/* a power of two: it is full */
		more = realloc(p->v, (p->n > 0 ? 2 * p->n : 1) * sizeof(*more));
	if (more == NULL)
		return NULL;
	p->v = more;
	t = &more[p->n++];
	*t = (struct pace_watch_target){ .opts = *opts };
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->host = strdup(host);
	return t->host != NULL ? t : NULL;
}

static bool
has_name(const struct pace_watch_plan *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].name, name) == 0)
			return true;
	return false;
}

/* --- a file ------------------------------------------------------------------------------- */

static bool
begin_path(struct pace_ini *ini, const char *name)
{
	struct watch_plan_reading *r = ini->ctx;

	if (!pace_ini_is_name(name, PACE_WATCH_NAME))
		return pace_ini_fail(ini, "the name of a path is of letters, digits, '-' and '_', at "
		    "most %d", PACE_WATCH_NAME - 1);
	if (r->plan->n == PACE_WATCH_PATHS)
		return pace_ini_fail(ini, "more than %d paths", PACE_WATCH_PATHS);
	if (has_name(r->plan, name))
		return pace_ini_fail(ini, "a path of this name was there before");
	return append(r->plan, r->opts, name, name) != NULL ||
	    pace_ini_fail(ini, "%s", strerror(ENOMEM));
}

static bool
is_key(const char *key)
{
	size_t i = 0;

	while (pace_watch_keys[i] != NULL && strcmp(pace_watch_keys[i], key) != 0)
		i++;
	return pace_watch_keys[i] != NULL;
}

static bool
replace(struct pace_ini *ini, char **to, const char *value)
{
	char *copy = strdup(value);

	if (copy == NULL)
		return pace_ini_fail(ini, "%s", strerror(ENOMEM));
	free(*to);
	*to = copy;
	return true;
}

static bool
set_option(struct watch_plan_reading *r, struct pace_watch_target *t, const struct pace_opt *o,
    const char *value)
{
	char why[128];
	bool yes = strcmp(value, "yes") == 0;

	if (o->kind == PACE_OPT_FLAG && !yes && strcmp(value, "no") != 0)
		return pace_ini_fail(&r->ini, "%s: '%s' is neither yes nor no", o->name, value);
	if (o->kind == PACE_OPT_FLAG)
		*(bool *)((char *)&t->opts + o->at) = yes;
	else if (pace_opt_set(o, &t->opts, value, why, sizeof(why)) != 0)
		return pace_ini_fail(&r->ini, "%s: %s", o->name, why);
	pace_opt_mark(r->cmd, &t->opts, o);
	return true;
}

/* Names of hosts stand in CSV, as labels of metrics and in the file of counts. */
static bool
is_host(const char *host)
{
	size_t len = strlen(host);

	for (size_t i = 0; i < len; i++)
		if (host[i] <= ' ' || host[i] >= 0x7f || strchr(",\"\\", host[i]) != NULL)
			return false;
	return len > 0 && len < PACE_WATCH_NAME;
}

static bool
read_key(struct pace_ini *ini, const char *key, const char *value)
{
	struct watch_plan_reading *r = ini->ctx;
	struct pace_watch_target *t = r->plan->n > 0 ? &r->plan->v[r->plan->n - 1] : NULL;

	if (t == NULL)
		return pace_ini_fail(ini, "a key before the first [section]");
	if (strcmp(key, "host") == 0 && !is_host(value))
		return pace_ini_fail(ini, "host: '%s' is not a host", value);
	if (strcmp(key, "host") == 0)
		return replace(ini, &t->host, value);
	if (strcmp(key, "key") == 0)
		return replace(ini, &t->key, value);
	if (strcmp(key, "stamp-key") == 0)
		return replace(ini, &t->stamp_key, value);
	if (!is_key(key))
		return pace_ini_fail(ini, "'%s' is not a key of a path: host, size, spacing, "
		    "exchange, port, ipv4, ipv6, ttl, dscp, key, stamp, twamp-light or stamp-key", key);
	return set_option(r, t, pace_opt_find(r->cmd, key), value);
}

static int
read_file(struct watch_plan_reading *r, const char *path)
{
	const char *why;
	FILE *f;
	int fd;

	if (!pace_ini_works()) {
		pace_complain("%s: this udpace was built without the library that reads such files, "
		    "inih", path);
		return PACE_EXIT_USAGE;
	}
	fd = pace_open_passed(path, &why);
	f = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (f == NULL) {
		pace_complain("%s: %s", path, fd >= 0 ? strerror(errno) : why);
		pace_hint("an operand with a '/', or that ends with .ini, is a file with paths");
		return PACE_EXIT_USAGE;
	}
	r->ini = (struct pace_ini){ .section = "path", .shape = "neither [path] nor key = value",
	    .unclosed = "neither [path] nor key = value", .begin = begin_path, .value = read_key,
	    .ctx = r };
	pace_ini_read(&r->ini, f);
	if (ferror(f))
		pace_ini_fail(&r->ini, "%s", strerror(EIO));
	fclose(f);
	if (r->plan->n == 0)
		pace_ini_fail(&r->ini, "there is no path in it");
	if (r->ini.why[0] == '\0')
		return PACE_EXIT_OK;
	if (r->ini.line > 0)
		pace_complain("%s line %d: %s", path, r->ini.line, r->ini.why);
	else
		pace_complain("%s: %s", path, r->ini.why);
	return PACE_EXIT_USAGE;
}

/* --- all --------------------------------------------------------------------------------- */

/* Of keys and twamp-light, a path has those of its kind; those of the command line are for the paths
 * that can have them. */
static bool
has_wrong_key(const struct pace_watch_target *t, const struct pace_watch_opts *opts)
{
	const struct pace_net_opts *net = &t->opts.net;
	bool light = net->twamp_light && !opts->net.twamp_light;

	if (net->stamp && t->key != NULL)
		pace_complain("%s: stamp and key exclude each other: the secret of a reflector is a "
		    "stamp-key", t->name);
	else if (!net->stamp && (light || t->stamp_key != NULL))
		pace_complain("%s: %s needs stamp = yes", t->name, light ? "twamp-light" : "stamp-key");
	else
		return false;
	return true;
}

static char *
copy_of(char *own, const char *common)
{
	return own == NULL && common != NULL ? strdup(common) : own;
}

/* Complete a path to a STAMP reflector; false after a message. */
static bool
complete_stamp(const struct pace_cmd *cmd, struct pace_watch_target *t)
{
	struct pace_watch_opts *o = &t->opts;
	const struct pace_stamp_key any = { .len = 0 };
	struct pace_stamp_session s = { .key = t->stamp_key != NULL ? &any : NULL };

	o->net.stamp_key = t->stamp_key;
	if (!pace_opt_given(cmd, o, "port"))
		o->net.port = PACE_STAMP_PORT;
	if (!pace_opt_given(cmd, o, "size") && o->size < pace_stamp_session_size(&s))
		o->size = pace_stamp_session_size(&s);
	if (!pace_stamp_contradicts(cmd, o, &o->net, (const char *const []){ NULL }) &&
	    !pace_stamp_size_contradicts(&o->net, o->size))
		return true;
	pace_hint("this is about the path %s", t->name);
	return false;
}

static bool
complete(const struct pace_cmd *cmd, struct pace_watch_target *t, const struct pace_watch_opts *opts)
{
	struct pace_net_opts *net = &t->opts.net;

	if (has_wrong_key(t, opts) || pace_net_contradicts(net))
		return false;
	if (net->stamp) {
		t->stamp_key = copy_of(t->stamp_key, opts->net.stamp_key);
		return complete_stamp(cmd, t);
	}
	net->twamp_light = false;
	t->key = copy_of(t->key, opts->net.key);
	return true;
}

/* Complete all paths; false after a message. */
static bool
complete_all(struct pace_watch_plan *p, const struct pace_cmd *cmd, const struct pace_watch_opts *opts)
{
	struct pace_net_opts net = opts->net;

	for (size_t i = 0; i < p->n; i++) {
		if (!complete(cmd, &p->v[i], opts))
			return false;
		net.stamp |= p->v[i].opts.net.stamp;
	}
	return !pace_stamp_contradicts(cmd, opts, &net, (const char *const []){ NULL });
}

static int
add_host(struct watch_plan_reading *r, const char *host)
{
	if (is_file(host))
		pace_complain("%s: give one file, or hosts", host);
	else if (!is_host(host))
		pace_complain("'%s' is not a host", host);
	else if (has_name(r->plan, host))
		pace_complain("%s is there twice; in a file, paths to one host have names of their own",
		    host);
	else if (append(r->plan, r->opts, host, host) != NULL)
		return PACE_EXIT_OK;
	else
		pace_complain("%s", strerror(ENOMEM));
	return PACE_EXIT_USAGE;
}

bool
pace_watch_plan_is_file(char *const *operands, int n)
{
	return n == 1 && is_file(operands[0]);
}

int
pace_watch_plan_make(struct pace_watch_plan *p, const struct pace_cmd *cmd,
    const struct pace_watch_opts *opts, char *const *operands, int n)
{
	struct watch_plan_reading r = { .plan = p, .cmd = cmd, .opts = opts };
	struct pace_watch_opts own = *opts;
	int rc = PACE_EXIT_OK;

	*p = (struct pace_watch_plan){ .n = 0 };
	own.net.key = own.net.stamp_key = NULL;		/* each path has a copy */
	r.opts = &own;
	if (pace_watch_plan_is_file(operands, n)) {
		rc = read_file(&r, operands[0]);
	} else if (pace_stamp_contradicts(cmd, opts, &opts->net, (const char *const []){ "key", NULL })) {
		rc = PACE_EXIT_USAGE;
	} else {
		for (int i = 0; i < n && rc == PACE_EXIT_OK; i++)
			rc = add_host(&r, operands[i]);
	}
	return rc == PACE_EXIT_OK && !complete_all(p, cmd, opts) ? PACE_EXIT_USAGE : rc;
}

int
pace_watch_target_copy(struct pace_watch_target *to, const struct pace_watch_target *from)
{
	*to = *from;
	to->host = strdup(from->host);
	to->key = copy_of(NULL, from->key);
	to->opts.net.stamp_key = to->stamp_key = copy_of(NULL, from->stamp_key);
	return to->host != NULL && (from->key == NULL) == (to->key == NULL) &&
	    (from->stamp_key == NULL) == (to->stamp_key == NULL) ? 0 : -ENOMEM;
}

void
pace_watch_target_free(struct pace_watch_target *t)
{
	free(t->host);
	free(t->key);
	free(t->stamp_key);
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

void
pace_watch_target_text(const struct pace_watch_target *t, char *buf, size_t size)
{
	const struct pace_watch_opts *o = &t->opts;

	snprintf(buf, size, "%s port %" PRId64 " size %" PRId64 " spacing %" PRId64 " exchange %" PRId64
	    " ttl %" PRId64 " dscp %" PRId64 "%s%s%s%s", t->host, o->net.port, o->size, o->spacing,
	    o->exchange, o->net.ttl, o->net.dscp, o->net.ipv4 ? " ipv4" : "",
	    o->net.ipv6 ? " ipv6" : "", o->net.stamp ? " stamp" : "",
	    o->net.twamp_light ? " twamp-light" : "");
}

bool
pace_watch_target_same(const struct pace_watch_target *a, const struct pace_watch_target *b)
{
	char x[PACE_WATCH_TEXT], y[PACE_WATCH_TEXT];

	if (strcmp(a->name, b->name) != 0 || !same_text(a->key, b->key) ||
	    !same_text(a->stamp_key, b->stamp_key))
		return false;
	pace_watch_target_text(a, x, sizeof(x));
	pace_watch_target_text(b, y, sizeof(y));
	return strcmp(x, y) == 0;
}

void
pace_watch_plan_free(struct pace_watch_plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		pace_watch_target_free(&p->v[i]);
	free(p->v);
	*p = (struct pace_watch_plan){ .n = 0 };
}
