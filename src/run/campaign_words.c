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

/* The command line of one step while it is made. */
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

/* Is it an option for outputs?  The campaign sets these; a step only says how to measure. */
static bool
is_ours(const char *key)
{
	static const char *const ours[] = { "output", "force", "resume", "measure-skipped",
	    "dry-run", "json", "csv", "csv-short", "jsonl", "quiet", "verbose", "help" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strcmp(key, ours[i]) == 0)
			return true;
	return false;
}

/* --record: "yes" keeps all frames, "[SKIP:]N" some of them. */
static int
add_record(const struct making *m, const char *value)
{
	char path[PACE_FOLDER_PATH];
	bool all = strcmp(value, "yes") == 0;
	size_t n = strspn(value, "0123456789");
	const char *second = n > 0 && value[n] == ':' ? value + n + 1 : "";
	bool counted = n > 0 && (value[n] == '\0' ||
	    (second[0] != '\0' && second[strspn(second, "0123456789")] == '\0'));

	if (strcmp(value, "no") == 0)
		return 0;
	if (!all && !counted) {
		pace_complain("%s: [%s]: record: '%s' is not valid; write yes, a number of frames, "
		    "or SKIP:N such as 1000:500", m->cfg->file, m->s->name, value);
		return -EINVAL;
	}
	if (m->cfg->what != PACE_WORDS_MEASURE)
		return 0;
	pace_folder_step(path, m->cfg->dir, m->c, m->i, ".records");
	return add_word(m->w, "--record=%s%s%s", path, all ? "" : strchr(value, ':') != NULL ? ":" :
	    ":0:", all ? "" : value);
}

/* A list in a file may have blanks beside its commas. */
static int
add_list(const struct making *m, const struct pace_setting *set)
{
	char *text = strdup(set->value), *to = text;
	int rc;

	if (text == NULL)
		return -ENOMEM;
	for (const char *from = text; *from != '\0'; from++) {
		const char *next = from + strspn(from, " \t");

		if (next == from || (*next != ',' && to > text && to[-1] != ','))
			*to++ = *from;
	}
	*to = '\0';
	rc = add_word(m->w, "--%s=%s", set->key, text);
	free(text);
	return rc;
}

/* Does --count replace the step's count or duration?  A stream to a public address is announced by
 * its duration. */
static bool
is_counted(const struct making *m)
{
	const char *public = pace_step_get(m->s, "allow-public");

	if (strcmp(m->step->name, "send") == 0)
		return public == NULL || strcmp(public, "yes") != 0;
	return strcmp(m->step->name, "throughput") == 0 || strcmp(m->step->name, "latency") == 0;
}

static int
add_setting(const struct making *m, const struct pace_setting *set)
{
	const struct pace_opt *o = pace_opt_find(m->step, set->key);

	if (is_ours(set->key)) {
		pace_complain("%s: [%s]: '%s' belongs on the command line, not in a step",
		    m->cfg->file, m->s->name, set->key);
		return -EINVAL;
	}
	if (pace_opt_given(m->cfg->cmd, m->cfg->given, "count") && is_counted(m) &&
	    (strcmp(set->key, "count") == 0 || strcmp(set->key, "duration") == 0))
		return 0;
	if (strcmp(set->key, "record") == 0)
		return add_record(m, set->value);
	if (o != NULL && (o->kind == PACE_OPT_LIST || o->kind == PACE_OPT_DSCP_LIST))
		return add_list(m, set);
	if (o == NULL || o->kind != PACE_OPT_FLAG)
		return add_word(m->w, "--%s=%s", set->key, set->value);
	if (strcmp(set->value, "yes") == 0)
		return add_word(m->w, "--%s", set->key);
	if (strcmp(set->value, "no") == 0)
		return 0;
	pace_complain("%s: [%s]: %s: '%s' is neither yes nor no", m->cfg->file, m->s->name,
	    set->key, set->value);
	return -EINVAL;
}

/* Was the option given for the whole campaign, and does this step's command have it? */
static bool
is_passed_on(const struct making *m, const char *name)
{
	if (!pace_opt_given(m->cfg->cmd, m->cfg->given, name) ||
	    pace_opt_find(m->step, name) == NULL)
		return false;
	if (strcmp(name, "count") == 0)
		return is_counted(m);
	return !is_ours(name) || strcmp(name, "quiet") == 0;
}

/* Add an option by its word of this number. */
static int
add_choice(const struct making *m, const struct pace_opt *o, int64_t n)
{
	const char *word = o->arg;

	while (n-- > 0)
		word = strchr(word, '|') + 1;
	return add_word(m->w, "--%s=%.*s", o->name, (int)strcspn(word, "|"), word);
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
		else if (o->kind == PACE_OPT_CHOICE)
			rc = add_choice(m, o, *(const int64_t *)at);
		else
			rc = add_word(m->w, "--%s=%lld", o->name,
			    (long long)*(const int64_t *)at);
	}
	return rc;
}

/* Add the outputs of the step, or the options for no output. */
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

const struct pace_cmd *
pace_words_command(const struct pace_step *s)
{
	static const char *const all[] = { "throughput", "latency", "clock", "capacity",
	    "send", "tcp" };
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
		pace_complain("%s: [%s]: '%s' is not a command for a step; use throughput, "
		    "latency, clock, capacity, send or tcp", cfg->file, s->name, s->command);
		return -1;
	}
	rc = add_word(w, "udpace") | add_word(w, "%s", m.step->name);
	for (size_t k = 0; k < s->n && rc == 0; k++)
		rc = add_setting(&m, &s->v[k]);
	if (rc == 0)
		rc = add_given(&m);
	if (rc == 0)
		rc = add_output(&m);
	if (rc == 0)
		rc = add_word(w, "--") | add_word(w, "%s", cfg->host);
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

/* Parsing reorders argv, so it gets a copy; the words stay as they are. */
int
pace_words_run(struct pace_words *w, const struct pace_cmd *step, bool check)
{
	char *argv[PACE_WORDS_MAX + 1];

	memcpy(argv, w->v + 1, (size_t)w->n * sizeof(*argv));
	return pace_call(step, w->n - 1, argv, check ? 0 : w->n, check ? NULL : w->v);
}
