#include "config.h"

#include "run/campaign_words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opt/call.h"
#include "run/campaign_folder.h"

/* One step, on its way. */
struct making {
	const struct pace_words_cfg *cfg;
	const struct pace_campaign *c;
	size_t		i;
	const struct pace_step *s;	/* step i */
	const struct pace_cmd *step;	/* its command */
	struct pace_words *w;
};

static int __attribute__((format(printf, 2, 3)))
add_word(struct pace_words *w, const char *fmt, ...)
{
	va_list ap;
	int n = -1;

	va_start(ap, fmt);
	if (w->n < PACE_WORDS_MAX)
		n = vasprintf(&w->v[w->n], fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	w->v[++w->n] = NULL;
	return 0;
}

/* A step says how to measure, not where results go. */
static bool
is_ours(const char *key)
{
	static const char *const ours[] = { "output", "force", "resume", "measure-skipped", "dry-run", "json", "csv",
	    "jsonl", "quiet", "verbose", "help" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strcmp(key, ours[i]) == 0)
			return true;
	return false;
}

/* N or SKIP:N */
static bool
is_count(const char *value)
{
	size_t n = strspn(value, "0123456789"), m;

	if (n == 0 || value[n] == '\0')
		return n > 0;
	m = strspn(value + n + 1, "0123456789");
	return value[n] == ':' && m > 0 && value[n + 1 + m] == '\0';
}

/* yes: all frames; else [SKIP:]N of them. */
static int
add_record(const struct making *m, const char *value)
{
	char path[PACE_FOLDER_PATH];
	bool all = strcmp(value, "yes") == 0;

	if (strcmp(value, "no") == 0)
		return 0;
	if (!all && !is_count(value)) {
		pace_complain("%s: [%s]: record: '%s' is neither yes, nor a number of frames, nor "
		    "two such as 1000:500, which skips 1000", m->cfg->file, m->s->name, value);
		return -EINVAL;
	}
	if (m->cfg->what != PACE_WORDS_MEASURE)
		return 0;
	pace_folder_step(path, m->cfg->dir, m->c, m->i, ".records");
	return add_word(m->w, "--record=%s%s%s", path, all ? "" : strchr(value, ':') != NULL ? ":" :
	    ":0:", all ? "" : value);
}

/* In a file one writes blanks behind commas. */
static int
add_list(const struct making *m, const struct pace_setting *set)
{
	char *text = strdup(set->value), *to = text;
	int rc;

	if (text == NULL)
		return -ENOMEM;
	for (const char *from = text; *from != '\0'; from++)
		if (*from != ' ' && *from != '\t')
			*to++ = *from;
	*to = '\0';
	rc = add_word(m->w, "--%s=%s", set->key, text);
	free(text);
	return rc;
}

/* Are frames or requests counted by the point? */
static bool
has_points(const struct pace_cmd *step)
{
	return strcmp(step->name, "throughput") == 0 || strcmp(step->name, "latency") == 0;
}

static bool
is_counted(const struct making *m)
{
	return pace_opt_given(m->cfg->cmd, m->cfg->given, "count") && has_points(m->step);
}

static int
add_flag(const struct making *m, const struct pace_setting *set)
{
	if (strcmp(set->value, "yes") == 0)
		return add_word(m->w, "--%s", set->key);
	if (strcmp(set->value, "no") == 0)
		return 0;
	pace_complain("%s: [%s]: %s: '%s' is neither yes nor no", m->cfg->file, m->s->name,
	    set->key, set->value);
	return -EINVAL;
}

static int
add_setting(const struct making *m, const struct pace_setting *set)
{
	const struct pace_opt *o = pace_opt_find(m->step, set->key);

	if (is_ours(set->key)) {
		pace_complain("%s: [%s]: '%s' is for the command line, not for a step",
		    m->cfg->file, m->s->name, set->key);
		return -EINVAL;
	}
	if (is_counted(m) && (strcmp(set->key, "count") == 0 || strcmp(set->key, "duration") == 0))
		return 0;
	if (strcmp(set->key, "record") == 0)
		return add_record(m, set->value);
	if (o != NULL && (o->kind == PACE_OPT_LIST || o->kind == PACE_OPT_DSCP_LIST))
		return add_list(m, set);
	if (o != NULL && o->kind == PACE_OPT_FLAG)
		return add_flag(m, set);
	return add_word(m->w, "--%s=%s", set->key, set->value);
}

/* Was it given for the whole campaign, and is it for this step? */
static bool
is_passed_on(const struct making *m, const char *name)
{
	if (!pace_opt_given(m->cfg->cmd, m->cfg->given, name) || pace_opt_find(m->step, name) == NULL)
		return false;
	if (strcmp(name, "count") == 0)
		return has_points(m->step);
	return !is_ours(name) || strcmp(name, "quiet") == 0;
}

static int
add_given(const struct making *m)
{
	const struct pace_cmd *cmd = m->cfg->cmd;
	int rc = 0;

	for (int i = 0; i < cmd->nopts && rc == 0; i++) {
		const struct pace_opt *o = &cmd->opts[i];
		const void *at = (const char *)m->cfg->given + o->at;

		if (!is_passed_on(m, o->name))
			continue;
		if (o->kind == PACE_OPT_FLAG)
			rc = add_word(m->w, "--%s", o->name);
		else if (o->kind == PACE_OPT_STR)
			rc = add_word(m->w, "--%s=%s", o->name, *(const char *const *)at);
		else
			rc = add_word(m->w, "--%s=%lld", o->name,
			    (long long)*(const int64_t *)at);
	}
	return rc;
}

/* Where its results go, or that there are to be none. */
static int
add_output(const struct making *m)
{
	char path[PACE_FOLDER_PATH];
	int rc = 0;

	if (m->cfg->what == PACE_WORDS_MEASURE) {
		pace_folder_step(path, m->cfg->dir, m->c, m->i, ".json");
		return add_word(m->w, "--force") | add_word(m->w, "--output=%s", path);
	}
	if (pace_opt_find(m->step, "dry-run") != NULL)
		rc = add_word(m->w, "--dry-run");
	if (m->cfg->what == PACE_WORDS_CHECK)
		rc |= add_word(m->w, "--quiet");
	return rc;
}

static int
add_all(const struct making *m)
{
	int rc = add_word(m->w, "udpace") | add_word(m->w, "%s", m->step->name);

	for (size_t k = 0; k < m->s->n && rc == 0; k++)
		rc = add_setting(m, &m->s->v[k]);
	if (rc == 0)
		rc = add_given(m);
	if (rc == 0)
		rc = add_output(m);
	if (rc == 0)
		rc = add_word(m->w, "--") | add_word(m->w, "%s", m->cfg->host);
	return rc;
}

const struct pace_cmd *
pace_words_command(const struct pace_step *s)
{
	static const char *const all[] = { "throughput", "latency", "clock", "capacity" };
	const char *name = s->command != NULL ? s->command : all[0];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
			if (strcmp(name, all[i]) == 0 && strcmp((*c)->name, name) == 0)
				return *c;
	return NULL;
}

int
pace_words_make(struct pace_words *w, const struct pace_words_cfg *cfg,
    const struct pace_campaign *c, size_t i)
{
	const struct pace_step *s = &c->steps[i];
	const struct making m = { .cfg = cfg, .c = c, .i = i, .s = s,
	    .step = pace_words_command(s), .w = w };
	int rc;

	w->n = 0;
	if (m.step == NULL) {
		pace_complain("%s: [%s]: '%s' is no command for a step: throughput, latency, "
		    "clock or capacity", cfg->file, s->name, s->command);
		return -1;
	}
	rc = add_all(&m);
	if (rc == 0)
		return 0;
	if (rc == -EINVAL)
		pace_hint("the step begins in line %d", s->line);
	else
		pace_complain("%s: [%s]: %s", cfg->file, s->name, strerror(-rc));
	pace_words_free(w);
	return -1;
}

int
pace_words_resume(struct pace_words *w, const struct pace_cmd *step, const char *doc, bool quiet,
    bool skipped)
{
	w->n = 0;
	if ((add_word(w, "udpace") | add_word(w, "%s", step->name) |
	    add_word(w, "--resume=%s", doc)) == 0 && (!quiet || add_word(w, "--quiet") == 0) &&
	    (!skipped || pace_opt_find(step, "measure-skipped") == NULL ||
	    add_word(w, "--measure-skipped") == 0))
		return 0;
	pace_complain("%s: %s", doc, strerror(ENOMEM));
	pace_words_free(w);
	return -1;
}

void
pace_words_free(struct pace_words *w)
{
	for (int i = 0; i < w->n; i++)
		free(w->v[i]);
	w->n = 0;
}

/* Parsing changes the order of argv, not that of the words. */
int
pace_words_run(struct pace_words *w, const struct pace_cmd *step)
{
	char *argv[PACE_WORDS_MAX + 1];

	memcpy(argv, w->v + 1, (size_t)w->n * sizeof(*argv));
	return pace_call(step, w->n - 1, argv, w->n, w->v);
}

int
pace_words_parse(const struct pace_words *w, const struct pace_cmd *step)
{
	char *argv[PACE_WORDS_MAX + 1];

	memcpy(argv, w->v + 1, (size_t)w->n * sizeof(*argv));
	return pace_call_check(step, w->n - 1, argv);
}
