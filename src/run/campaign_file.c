#include "config.h"

#include "run/campaign_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opt/ini.h"

#define SETTINGS_MAX	64

struct campaign_file_reading {
	struct pace_campaign *c;
	struct pace_ini	ini;
	char	section[PACE_STEP_NAME + 1];	/* name of the section being read; longer names
						 * are cut */
	int	opened;		/* line of the last [section]; 0: it already has a key */
};

static bool
fail(struct campaign_file_reading *r, const char *why)
{
	return pace_ini_fail(&r->ini, "%s", why);
}

static bool
begin_section(struct pace_ini *ini, const char *name)
{
	struct campaign_file_reading *r = ini->ctx;

	if (r->opened > 0)
		return fail(r, "the section before has no key");
	snprintf(r->section, sizeof(r->section), "%s", name);
	r->opened = ini->line;
	return true;
}

/* Append a copy of text to *to, which may be NULL. */
static int
append(char **to, const char *text)
{
	size_t had = *to != NULL ? strlen(*to) : 0;
	char *more = realloc(*to, had + strlen(text) + 1);

	if (more == NULL)
		return -ENOMEM;
	strcpy(more + had, text);
	*to = more;
	return 0;
}

/* Continue a value: a space joins the lines, unless the first ends with a comma. */
static int
go_on(char **to, const char *text)
{
	size_t len = strlen(*to);

	if (len > 0 && (*to)[len - 1] != ',' && append(to, " ") < 0)
		return -ENOMEM;
	return append(to, text);
}

static bool
begin_step(struct campaign_file_reading *r)
{
	struct pace_campaign *c = r->c;
	struct pace_step *more;

	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->steps[i].name, r->section) == 0)
			return fail(r, "a step of this name was there before");
	if (!pace_ini_is_name(r->section, PACE_STEP_NAME) || c->n == PACE_STEPS_MAX) {
		r->ini.line = r->opened;
		return fail(r, c->n == PACE_STEPS_MAX ? "more than 99 steps" :
		    "the name of a step is of letters, digits, '-' and '_', at most 39");
	}
	more = realloc(c->steps, (c->n + 1) * sizeof(*more));
	if (more == NULL)
		return fail(r, strerror(ENOMEM));
	c->steps = more;
	more[c->n] = (struct pace_step){ .line = r->opened };
	snprintf(more[c->n++].name, sizeof(more->name), "%.*s", PACE_STEP_NAME - 1,
	    r->section);
	return true;
}

static bool
set_option(struct campaign_file_reading *r, struct pace_step *s, const char *key, const char *value)
{
	struct pace_setting *more;

	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->v[i].key, key) != 0)
			continue;
		if (!r->ini.indented)
			return fail(r, "this key was there before");
		return go_on(&s->v[i].value, value) == 0 || fail(r, strerror(ENOMEM));
	}
	if (s->n == SETTINGS_MAX)
		return fail(r, "more than 64 keys in a step");
	more = realloc(s->v, (s->n + 1) * sizeof(*more));
	if (more == NULL)
		return fail(r, strerror(ENOMEM));
	s->v = more;
	more[s->n] = (struct pace_setting){ .key = strdup(key), .value = strdup(value) };
	s->n++;
	return (more[s->n - 1].key != NULL && more[s->n - 1].value != NULL) ||
	    fail(r, strerror(ENOMEM));
}

static bool
set_about(struct campaign_file_reading *r, const char *key, const char *value)
{
	struct pace_campaign *c = r->c;
	char **to = strcmp(key, "title") == 0 ? &c->title : strcmp(key, "about") == 0 ?
	    &c->about : NULL;

	if (to == NULL)
		return fail(r, "[campaign] has a title and an about; options belong to steps");
	if (*to != NULL && !r->ini.indented)
		return fail(r, "this key was there before");
	if (*to != NULL && append(to, " ") < 0)
		return fail(r, strerror(ENOMEM));
	return append(to, value) == 0 || fail(r, strerror(ENOMEM));
}

static bool
read_value(struct pace_ini *ini, const char *key, const char *value)
{
	struct campaign_file_reading *r = ini->ctx;
	bool about = strcmp(r->section, "campaign") == 0;
	struct pace_step *s;

	if (r->section[0] == '\0')
		return fail(r, "a key before the first [section]");
	if (!about && r->opened > 0 && !begin_step(r))
		return false;
	r->opened = 0;
	if (about)
		return set_about(r, key, value);
	s = &r->c->steps[r->c->n - 1];
	if (strcmp(key, "command") != 0)
		return set_option(r, s, key, value);
	if (s->command != NULL)
		return fail(r, "this key was there before");
	return append(&s->command, value) == 0 || fail(r, strerror(ENOMEM));
}

int
pace_campaign_load(struct pace_campaign *c, const char *path, struct pace_err *err)
{
	struct campaign_file_reading r = { .c = c, .ini = { .section = "section",
	    .shape = "neither [section] nor key = value",
	    .unclosed = "neither [section] nor key = value",
	    .begin = begin_section, .value = read_value, .ctx = &r } };
	bool unread;
	FILE *f;

	memset(c, 0, sizeof(*c));
	if (!pace_ini_works())
		return pace_failf(err, ENOSYS, "read campaign",
		    "%s: this udpace was built without the library that reads campaign files, inih",
		    path);
	f = fopen(path, "re");
	if (f == NULL)
		return pace_failf(err, errno, "open campaign", "%s: %s", path, strerror(errno));
	pace_ini_read(&r.ini, f);
	unread = ferror(f) != 0;
	fclose(f);
	if (r.opened > 0)
		fail(&r, "the last section has no key");
	if (c->n == 0)
		fail(&r, "there is no step in it");
	if (r.ini.why[0] == '\0')
		return 0;
	pace_campaign_free(c);
	if (r.ini.line == 0)
		return pace_failf(err, unread ? EIO : EPROTO, "read campaign", "%s: %s", path,
		    r.ini.why);
	return pace_failf(err, EPROTO, "read campaign", "%s line %d: %s", path, r.ini.line,
	    r.ini.why);
}

void
pace_campaign_free(struct pace_campaign *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->steps[i].n; k++) {
			free(c->steps[i].v[k].key);
			free(c->steps[i].v[k].value);
		}
		free(c->steps[i].v);
		free(c->steps[i].command);
	}
	free(c->steps);
	free(c->title);
	free(c->about);
	memset(c, 0, sizeof(*c));
}

const char *
pace_step_get(const struct pace_step *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i].key, key) == 0)
			return s->v[i].value;
	return NULL;
}
