#include "config.h"

#include "opt/operands.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "opt/opt.h"

static int
is_result(const struct dirent *e)
{
	static const char *const ends[] = { ".json", ".jsonl", ".journal", ".records" };
	const char *dot = strrchr(e->d_name, '.');

	for (size_t i = 0; dot != NULL && dot > e->d_name && i < sizeof(ends) / sizeof(ends[0]);
	    i++)
		if (strcmp(dot, ends[i]) == 0)
			return 1;
	return 0;
}

/* Add name, and take it; false: no memory. */
static bool
add(struct pace_operands *o, char *name)
{
	char **more = name != NULL ? realloc(o->v, ((size_t)o->n + 1) * sizeof(*more)) : NULL;

	if (more == NULL) {
		free(name);
		return false;
	}
	o->v = more;
	o->v[o->n++] = name;
	return true;
}

/* Is found[i] a journal or lines next to the document of the same run?  Names are sorted. */
static bool
has_document(struct dirent *const *found, int i)
{
	const char *name = found[i]->d_name, *dot = strrchr(name, '.');
	size_t len = strcmp(dot, ".journal") == 0 ? (size_t)(dot - name) :
	    strcmp(dot, ".jsonl") == 0 ? strlen(name) - 1 : 0;

	for (int k = i - 1; len > 0 && k >= 0; k--)
		if (strlen(found[k]->d_name) == len &&
		    strncmp(found[k]->d_name, name, len) == 0)
			return true;
	return false;
}

/* Add the results of a folder; returns 0 or an exit status. */
static int
add_folder(struct pace_operands *o, const char *folder)
{
	struct dirent **found = NULL;
	int n = scandir(folder, &found, is_result, alphasort), had = o->n;
	bool good = true;
	char *name;

	if (n < 0) {
		pace_complain("%s: %s", folder, strerror(errno));
		return PACE_EXIT_NO_RESULT;
	}
	for (int i = 0; i < n; i++) {
		if (!good || has_document(found, i))
			continue;
		good = asprintf(&name, "%s/%s", folder, found[i]->d_name) >= 0 && add(o, name);
	}
	for (int i = 0; i < n; i++)
		free(found[i]);
	free(found);
	if (good && o->n > had)
		return PACE_EXIT_OK;
	pace_complain("%s: %s", folder,
	    good ? "there is no result in this folder" : "out of memory");
	return PACE_EXIT_NO_RESULT;
}

int
pace_operands_expand(struct pace_operands *o, int argc, char **argv, const char **folder)
{
	int status = PACE_EXIT_OK;
	struct stat st;

	*o = (struct pace_operands){ .n = 0 };
	*folder = NULL;
	for (int i = 0; i < argc && status == PACE_EXIT_OK; i++) {
		if (strcmp(argv[i], "-") != 0 && stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode)) {
			status = add_folder(o, argv[i]);
			*folder = *folder != NULL ? *folder : argv[i];
		} else if (!add(o, strdup(argv[i]))) {
			pace_complain("out of memory");
			status = PACE_EXIT_NO_RESULT;
		}
	}
	if (status != PACE_EXIT_OK)
		pace_operands_free(o);
	return status;
}

void
pace_operands_free(struct pace_operands *o)
{
	for (int i = 0; i < o->n; i++)
		free(o->v[i]);
	free(o->v);
	*o = (struct pace_operands){ .n = 0 };
}
