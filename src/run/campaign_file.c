#include "config.h"

#include "run/campaign_file.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_MAX	64

struct campaign_file_reading {
	struct pace_campaign *c;
	FILE	*f;
	int	line;
	bool	goes_on;	/* the line at hand begins with a blank */
	int	opened;		/* line of the last [section]; 0: a key of it was seen */
	const char *why;	/* NULL: all is well so far */
};

static int
fail(struct campaign_file_reading *r, const char *why)
{
	if (r->why == NULL)
		r->why = why;
	return 0;
}

/* inih's parser would take the rest of a line that is too long for the next one. */
static char *
read_line(char *text, int size, void *stream)
{
	struct campaign_file_reading *r = stream;

	if (r->why != NULL || fgets(text, size, r->f) == NULL)
		return NULL;
	r->line++;
	r->goes_on = text[0] == ' ' || text[0] == '\t';
	if (text[0] == '[' && r->opened > 0) {
		fail(r, "the section before has no key");
		return NULL;
	}
	if (text[0] == '[')
		r->opened = r->line;
	if (strchr(text, '\n') == NULL && !feof(r->f)) {
		fail(r, "the line is too long (at most 198 bytes; a line that begins with a "
		    "blank goes on with the one before)");
		return NULL;
	}
	return text;
}

/* A copy of text at the end of *to, which may be NULL. */
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

static bool
is_name(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '-' || text[n] == '_')
		n++;
	return n > 0 && n < PACE_STEP_NAME && text[n] == '\0' && text[0] != '-';
}

/* NULL: it cannot be. */
static struct pace_step *
begin_step(struct campaign_file_reading *r, const char *section)
{
	struct pace_campaign *c = r->c;
	struct pace_step *more;

	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(c->steps[i].name, section) == 0) {
			fail(r, "a step of this name was there before");
			return NULL;
		}
	}
	if (!is_name(section) || c->n == PACE_STEPS_MAX) {
		r->line = r->opened > 0 ? r->opened : r->line;
		fail(r, c->n == PACE_STEPS_MAX ? "more than 99 steps" :
		    "the name of a step is of letters, digits, '-' and '_', at most 39");
		return NULL;
	}
	more = realloc(c->steps, (c->n + 1) * sizeof(*more));
	if (more == NULL) {
		fail(r, strerror(ENOMEM));
		return NULL;
	}
	c->steps = more;
	memset(&more[c->n], 0, sizeof(*more));
	snprintf(more[c->n].name, sizeof(more->name), "%s", section);
	more[c->n].line = r->opened > 0 ? r->opened : r->line;
	return &more[c->n++];
}

static int
set_option(struct campaign_file_reading *r, struct pace_step *s, const char *key, const char *value)
{
	struct pace_setting *more;

	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->v[i].key, key) != 0)
			continue;
		if (!r->goes_on)
			return fail(r, "this key was there before");
		return append(&s->v[i].value, value) == 0 ? 1 : fail(r, strerror(ENOMEM));
	}
	if (s->n == SETTINGS_MAX)
		return fail(r, "more than 64 keys in a step");
	more = realloc(s->v, (s->n + 1) * sizeof(*more));
	if (more == NULL)
		return fail(r, strerror(ENOMEM));
	s->v = more;
	more[s->n] = (struct pace_setting){ .key = strdup(key), .value = strdup(value) };
	s->n++;
	return more[s->n - 1].key != NULL && more[s->n - 1].value != NULL ? 1 :
	    fail(r, strerror(ENOMEM));
}

static int
set_about(struct campaign_file_reading *r, const char *key, const char *value)
{
	struct pace_campaign *c = r->c;
	char **to = strcmp(key, "title") == 0 ? &c->title : strcmp(key, "about") == 0 ?
	    &c->about : NULL;

	if (to == NULL)
		return fail(r, "[campaign] has a title and an about; options belong to steps");
	if (*to != NULL && !r->goes_on)
		return fail(r, "this key was there before");
	if (*to != NULL && append(to, " ") < 0)
		return fail(r, strerror(ENOMEM));
	return append(to, value) == 0 ? 1 : fail(r, strerror(ENOMEM));
}

/* inih sees a [section] also behind blanks or a byte order mark. */
static bool
is_new(const struct campaign_file_reading *r, const char *section)
{
	return r->opened > 0 || r->c->n == 0 ||
	    strcmp(r->c->steps[r->c->n - 1].name, section) != 0;
}

/* inih's: 1 when all is well. */
static int
take(void *user, const char *section, const char *key, const char *value)
{
	struct campaign_file_reading *r = user;
	struct pace_step *s;

	if (section[0] == '\0')
		return fail(r, "a key before the first [section]");
	if (strcmp(section, "campaign") != 0 && is_new(r, section) &&
	    begin_step(r, section) == NULL)
		return 0;
	r->opened = 0;
	if (strcmp(section, "campaign") == 0)
		return set_about(r, key, value);
	s = &r->c->steps[r->c->n - 1];
	if (strcmp(key, "command") != 0)
		return set_option(r, s, key, value);
	if (s->command != NULL)
		return fail(r, "this key was there before");
	return append(&s->command, value) == 0 ? 1 : fail(r, strerror(ENOMEM));
}

int
pace_campaign_load(struct pace_campaign *c, const char *path, struct pace_err *err)
{
	struct campaign_file_reading r = { .c = c };
	int line;

	memset(c, 0, sizeof(*c));
	r.f = fopen(path, "re");
	if (r.f == NULL)
		return pace_failf(err, errno, "open campaign", "%s: %s", path, strerror(errno));
	line = ini_parse_stream(read_line, &r, take, &r);
	if (r.why == NULL && ferror(r.f))
		r.why = "it cannot be read";
	if (line > 0 && (r.why == NULL || line < r.line)) {
		r.why = "neither [section] nor key = value";
		r.line = line;
	}
	if (r.why == NULL && r.opened > 0)
		r.why = "the last section has no key";
	if (r.why == NULL && c->n == 0)
		r.why = "there is no step in it";
	fclose(r.f);
	if (r.why == NULL)
		return 0;
	pace_campaign_free(c);
	if (r.line == 0)
		return pace_failf(err, EPROTO, "read campaign", "%s: %s", path, r.why);
	return pace_failf(err, EPROTO, "read campaign", "%s line %d: %s", path, r.line, r.why);
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
