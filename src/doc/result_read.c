/*
 * The text of the outermost object is copied, except for the array "points".  From that
 * array jansson reads one value at a time, from the same stream.  The copy, with
 * an empty array for the points, is the head.
 */
#include "config.h"

#include "doc/result_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doc/js.h"
#include "doc/result_doc.h"

#define HEAD_MAX	(64 << 20)	/* bytes of a document without its points */

struct result_read_reader {
	FILE	*f;
	const char *path;
	struct pace_result_read *r;
	struct pace_err *err;
	FILE	*copy;		/* of the outermost object */
	size_t	copied;
	int	depth;
	char	key[8];		/* start of the last string at depth 1 */
	int	key_len;	/* -1: too long to be "points" */
	bool	after_colon;
	bool	has_points;
};

static int
bad(struct result_read_reader *d, const char *what)
{
	return pace_failf(d->err, EPROTO, "read result", "%s: %s", d->path, what);
}

/* --- the outermost object ---------------------------------------------------------- */

static int
keep(struct result_read_reader *d, int c)
{
	if (++d->copied > HEAD_MAX)
		return bad(d, "not a result of udpace: its head is too long");
	return putc(c, d->copy) == EOF ? pace_fail(d->err, ENOMEM, "read result") : 0;
}

/* Read from the opening quote, already read, to the closing one. */
static int
copy_string(struct result_read_reader *d)
{
	bool escaped = false;
	int rc, c;

	d->key_len = 0;
	d->after_colon = false;
	while ((c = getc(d->f)) != EOF) {
		rc = keep(d, c);
		if (rc != 0)
			return rc;
		if (c == '"' && !escaped)
			return 0;
		escaped = c == '\\' && !escaped;
		if (d->key_len >= 0 && d->key_len < (int)sizeof(d->key))
			d->key[d->key_len++] = (char)c;
		else
			d->key_len = -1;
	}
	return bad(d, "cut off in a string");
}

static int
next_char(FILE *f)
{
	int c;

	do
		c = getc(f);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	return c;
}

static int
hand_over(struct result_read_reader *d, const json_t *point)
{
	if (!json_is_object(point))
		return bad(d, "a point is not an object");
	return d->r->point(point, d->r->points++, d->r->ctx, d->err);
}

static int
read_point(struct result_read_reader *d)
{
	json_error_t at;
	json_t *point = pace_js_parse_file(d->f, JSON_DISABLE_EOF_CHECK, &at);
	int rc;

	if (point == NULL)
		return pace_failf(d->err, EPROTO, "read result", "%s: point %zu: %s", d->path,
		    d->r->points, at.text);
	rc = hand_over(d, point);
	json_decref(point);
	return rc;
}

/* Read from the opening bracket, already read, to the closing one. */
static int
read_points(struct result_read_reader *d)
{
	int rc, c = next_char(d->f);

	if (d->has_points)
		return bad(d, "has \"points\" twice");
	d->has_points = true;
	while (c != ']') {
		ungetc(c, d->f);
		rc = c == EOF ? bad(d, "cut off in its points") : read_point(d);
		if (rc != 0)
			return rc;
		c = next_char(d->f);
		if (c != ',' && c != ']')
			return bad(d, "cut off in its points, or not a list");
		if (c == ',' && (c = next_char(d->f)) == ']')
			return bad(d, "a comma after its last point");
	}
	return keep(d, ']');
}

static bool
at_points(const struct result_read_reader *d, int c)
{
	return c == '[' && d->depth == 1 && d->after_colon && d->key_len == 6 &&
	    memcmp(d->key, "points", 6) == 0;
}

/* Handle the next character, and the string or array that it opens. */
static int
copy_one(struct result_read_reader *d, int c)
{
	int rc = keep(d, c);

	if (rc != 0)
		return rc;
	if (c == '"')
		return copy_string(d);
	if (at_points(d, c))
		return read_points(d);
	if (c == ':')
		d->after_colon = true;
	else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
		d->after_colon = false;
	if (c == '{' || c == '[')
		d->depth++;
	if (c == '}' || c == ']')
		d->depth--;
	return 0;
}

static int
copy_outermost(struct result_read_reader *d)
{
	int c = next_char(d->f), rc;

	if (c == EOF)
		return bad(d, "not a result of udpace: it is empty");
	if (c != '{')
		return bad(d, "not a result of udpace: not a JSON object");
	do
		rc = copy_one(d, c);
	while (rc == 0 && d->depth > 0 && (c = getc(d->f)) != EOF);
	return rc != 0 || c != EOF ? rc : bad(d, "cut off");
}

/* Read the outermost object into *o, without points. */
static int
read_outermost(struct result_read_reader *d, json_t **o)
{
	json_error_t at;
	char *text = NULL;
	size_t size;
	int rc;

	d->copy = open_memstream(&text, &size);
	if (d->copy == NULL)
		return pace_fail(d->err, ENOMEM, "read result");
	rc = copy_outermost(d);
	if (fclose(d->copy) != 0 && rc == 0)
		rc = pace_fail(d->err, ENOMEM, "read result");
	if (rc == 0) {
		*o = pace_js_parse_line(text, size, &at);
		if (*o == NULL)
			rc = pace_failf(d->err, EPROTO, "read result", "%s: line %d: %s", d->path,
			    at.line, at.text);
	}
	free(text);
	return rc;
}

/* --- JSON lines --------------------------------------------------------------------- */

static int
take_line(struct result_read_reader *d, const char *line, size_t len)
{
	json_error_t at;
	json_t *o = pace_js_parse_line(line, len, &at);
	const char *event = json_string_value(json_object_get(o, "event"));
	int rc = 0;

	if (o == NULL) {
		d->r->torn++;
		return 0;
	}
	if (event == NULL) {
		rc = bad(d, "a line is not an event");
	} else if (strcmp(event, "point") == 0) {
		rc = hand_over(d, o);
	} else if (strcmp(event, "end") == 0) {		/* ignore events of later versions */
		d->r->ended = true;
		if (json_object_update(d->r->head, o) != 0)
			rc = pace_fail(d->err, ENOMEM, "read result");
	}
	json_decref(o);
	return rc;
}

static int
read_lines(struct result_read_reader *d)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int rc = 0;

	d->r->lines = true;
	d->r->ended = false;
	errno = 0;
	while (rc == 0 && (len = getline(&line, &room, d->f)) > 0)
		if (strspn(line, " \t\r\n") < (size_t)len)
			rc = take_line(d, line, (size_t)len);
	if (rc == 0 && ferror(d->f))
		rc = pace_fail(d->err, errno, "read result");
	free(line);
	return rc;
}

/* --- both forms ------------------------------------------------------------------------- */

static int
read_all(struct result_read_reader *d)
{
	const char *event;
	int rc = read_outermost(d, &d->r->head);

	if (rc == 0)
		rc = pace_result_check(d->r->head, d->path, d->err);
	if (rc != 0)
		return rc;
	event = json_string_value(json_object_get(d->r->head, "event"));
	d->r->ended = true;
	if (event != NULL && strcmp(event, "start") == 0)
		return read_lines(d);
	if (next_char(d->f) != EOF)
		return bad(d, "more text after its end");
	return d->has_points ? 0 : bad(d, "has no \"points\"");
}

int
pace_result_read_from(FILE *f, const char *name, struct pace_result_read *r,
    struct pace_err *err)
{
	struct result_read_reader d = { .f = f, .path = name, .r = r, .err = err };
	int rc;

	r->head = NULL;
	r->points = r->torn = 0;
	r->lines = r->ended = false;
	rc = read_all(&d);
	if (rc != 0) {
		json_decref(r->head);
		r->head = NULL;
	}
	return rc;
}

int
pace_result_read(const char *path, struct pace_result_read *r, struct pace_err *err)
{
	FILE *f;
	int rc;

	if (strcmp(path, "-") == 0)
		return pace_result_read_from(stdin, "standard input", r, err);
	f = fopen(path, "re");
	if (f == NULL)
		return pace_failf(err, errno, "open result", "%s: %s", path, strerror(errno));
	rc = pace_result_read_from(f, path, r, err);
	fclose(f);
	return rc;
}
