#include "config.h"

#include "report/folder.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/html.h"

char *
pace_folder_beside(const char *given)
{
	size_t len = strlen(given), up;
	char *folder;

	while (len > 1 && given[len - 1] == '/')
		len--;
	for (up = len; up > 0 && given[up - 1] == '.'; up--)
		;
	if (strcmp(given, "-") == 0 || (up < len && (up == 0 || given[up - 1] == '/')))
		return strdup("udpace-report");
	if (len > 6 && strcmp(given + len - 6, ".jsonl") == 0)
		len -= 6;
	else if (len > 5 && strcmp(given + len - 5, ".json") == 0)
		len -= 5;
	return asprintf(&folder, "%.*s-report", (int)len, given) < 0 ? NULL : folder;
}

bool
pace_folder_is_report(const char *folder)
{
	char path[PATH_MAX], head[128] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/index.html", folder);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	head[fread(head, 1, sizeof(head) - 1, f)] = '\0';
	fclose(f);
	return strstr(head, PACE_HTML_MARK) != NULL;
}

bool
pace_folder_is_empty(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	bool empty = true;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		empty &= strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
	if (dir != NULL)
		closedir(dir);
	return empty;
}

/* Is it a figure: fig-01-spacing.png and the like, or of a pair, 2-5-fig-01-spacing.png? */
static bool
is_figure(const char *name)
{
	static const char *const ends[] = { ".gp", ".dat", ".png", ".svg", ".pdf" };
	const char *dot = strrchr(name, '.');

	name += strspn(name, "0123456789-");
	if (strncmp(name, "fig-", 4) != 0 || strspn(name + 4, "0123456789") < 2 || dot == NULL)
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(dot, ends[i]) == 0)
			return true;
	return false;
}

void
pace_folder_clear(const char *folder, bool pages)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (is_figure(e->d_name) || (pages &&
		    strcmp(e->d_name + strspn(e->d_name, "0123456789-"), ".html") == 0))
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir != NULL)
		closedir(dir);
}
