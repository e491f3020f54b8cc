#include "config.h"

#include "run/campaign_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "doc/js.h"
#include "opt/opt.h"
#include "run/outfile.h"

#define SCHEMA		"udpace-campaign/1"
#define COMMAND		"campaign.command"

/* udpmon-jitter-hostb-20261122T0305 */
void
pace_folder_name(char dir[PATH_MAX], const char *file, const char *host)
{
	const char *base = strrchr(file, '/');
	time_t now = time(NULL);
	struct tm utc;
	char when[32];
	int len;

	base = base != NULL ? base + 1 : file;
	len = (int)strlen(base);
	if (len > 4 && strcmp(base + len - 4, ".ini") == 0)
		len -= 4;
	gmtime_r(&now, &utc);
	strftime(when, sizeof(when), "%Y%m%dT%H%M", &utc);
	len = snprintf(dir, PATH_MAX, "%.*s-%.100s-%s", len < 100 ? len : 100, base, host, when);
	for (int i = 0; i < len; i++)
		if (!isalnum((unsigned char)dir[i]) && strchr("-._", dir[i]) == NULL)
			dir[i] = '_';
}

void
pace_folder_step(char path[PACE_FOLDER_PATH], const char *dir, const struct pace_campaign *c,
    size_t i, const char *suffix)
{
	snprintf(path, PACE_FOLDER_PATH, "%s/%02u-%s%s", dir, (unsigned)(i % 100) + 1,
	    c->steps[i].name, suffix);
}

void
pace_folder_file(char path[PACE_FOLDER_PATH], const char *dir, const char *name)
{
	snprintf(path, PACE_FOLDER_PATH, "%s/%s", dir, name);
}

/* --- a new folder ---------------------------------------------------------------------- */

static int
write_command(FILE *f, void *ctx)
{
	const struct pace_folder *r = ctx;
	json_t *argv = json_array(), *o;
	int rc;

	for (int i = 0; i < r->argc; i++)
		json_array_append_new(argv, json_stringn_nocheck(r->argv[i], strlen(r->argv[i])));
	o = json_pack("{s:s, s:o}", "schema", SCHEMA, "command", argv);
	rc = o == NULL || json_dumpf(o, f, JSON_INDENT(1)) != 0 || fputc('\n', f) == EOF;
	json_decref(o);
	return rc != 0 ? -EIO : 0;
}

/* Copy the campaign's file, because the original may change. */
static int
write_copy(FILE *f, void *ctx)
{
	const struct pace_folder *r = ctx;
	FILE *from = fopen(r->file, "re");
	char buf[4096];
	size_t n;
	int rc = from == NULL ? -errno : 0;

	while (rc == 0 && (n = fread(buf, 1, sizeof(buf), from)) > 0)
		rc = fwrite(buf, 1, n, f) == n ? 0 : -EIO;
	if (rc == 0 && ferror(from))
		rc = -EIO;
	if (from != NULL)
		fclose(from);
	return rc;
}

/* Is it a file of a step: 01-name.json and the like? */
static int
is_step_file(const struct dirent *e)
{
	const char *n = e->d_name, *dot = strrchr(n, '.');

	return isdigit((unsigned char)n[0]) && isdigit((unsigned char)n[1]) && n[2] == '-' &&
	    dot != NULL && (strcmp(dot, ".json") == 0 || strcmp(dot, ".journal") == 0 ||
	    strcmp(dot, ".records") == 0);
}

/* Remove the files of an older campaign, which would look like results of this one. */
static void
remove_steps(const char *dir)
{
	char path[PACE_FOLDER_PATH + NAME_MAX];
	struct dirent **found = NULL;
	int n;

	pace_folder_file(path, dir, COMMAND);
	if (access(path, F_OK) != 0)
		return;			/* the folder had no campaign */
	n = scandir(dir, &found, is_step_file, NULL);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, found[i]->d_name);
		unlink(path);
		free(found[i]);
	}
	free(found);
}

static int
make_dir(const struct pace_folder *f)
{
	struct stat st;

	if (mkdir(f->dir, 0777) == 0)
		return PACE_EXIT_OK;
	if (errno != EEXIST) {
		pace_complain("--output: '%s' cannot be made: %s", f->dir, strerror(errno));
		return PACE_EXIT_USAGE;
	}
	if (stat(f->dir, &st) == 0 && !S_ISDIR(st.st_mode)) {
		pace_complain("--output: '%s' is a file; a campaign needs a folder", f->dir);
		return PACE_EXIT_USAGE;
	}
	if (!f->force) {
		pace_complain("--output: '%s' already exists", f->dir);
		pace_hint("continue it with --resume %s, or replace it with --force", f->dir);
		return PACE_EXIT_USAGE;
	}
	remove_steps(f->dir);
	return PACE_EXIT_OK;
}

int
pace_folder_make(const struct pace_folder *f)
{
	struct pace_folder own = *f;
	char path[PACE_FOLDER_PATH];
	int rc = make_dir(f);

	if (rc != PACE_EXIT_OK)
		return rc;
	pace_folder_file(path, f->dir, PACE_FOLDER_COPY);
	rc = pace_outfile_write(path, write_copy, &own);
	pace_folder_file(path, f->dir, COMMAND);
	if (rc == 0)
		rc = pace_outfile_write(path, write_command, &own);
	if (rc == 0)
		return PACE_EXIT_OK;
	pace_complain("--output: '%s' cannot be written to: %s", f->dir, strerror(-rc));
	return PACE_EXIT_USAGE;
}

/* --- an existing folder ------------------------------------------------------------------- */

/* The command line in the file, valid until doc is released; NULL: none. */
static const json_t *
words_of(const json_t *doc)
{
	const char *schema = json_string_value(json_object_get(doc, "schema"));
	const json_t *list = json_object_get(doc, "command"), *word;
	size_t i;

	if (schema == NULL || strcmp(schema, SCHEMA) != 0 || json_array_size(list) < 2 ||
	    json_array_size(list) > 4096)
		return NULL;
	json_array_foreach(list, i, word)
		if (!json_is_string(word))
			return NULL;
	return list;
}

static char **
copy_words(const json_t *list)
{
	char **argv = calloc(json_array_size(list) + 1, sizeof(*argv));
	const json_t *word;
	size_t i;

	if (argv == NULL)
		return NULL;
	json_array_foreach(list, i, word) {
		argv[i] = strdup(json_string_value(word));
		if (argv[i] == NULL) {
			pace_folder_command_free(argv);
			return NULL;
		}
	}
	return argv;
}

char **
pace_folder_command(const char *dir, int *argc)
{
	char path[PACE_FOLDER_PATH], **argv = NULL;
	json_t *doc;
	const json_t *list;
	FILE *f;

	pace_folder_file(path, dir, COMMAND);
	f = fopen(path, "r");
	doc = f != NULL ? pace_js_parse_file(f, 0, NULL) : NULL;
	if (f != NULL)
		fclose(f);
	list = words_of(doc);
	if (list == NULL) {
		pace_complain("--resume: '%s' is not a campaign's folder: %s %s", dir, path,
		    doc == NULL ? "cannot be read" : "is not udpace's");
	} else {
		*argc = (int)json_array_size(list);
		argv = copy_words(list);
		if (argv == NULL)
			pace_complain("--resume: %s: %s", path, strerror(ENOMEM));
	}
	json_decref(doc);
	return argv;
}

void
pace_folder_command_free(char **argv)
{
	for (char **word = argv; word != NULL && *word != NULL; word++)
		free(*word);
	free(argv);
}
