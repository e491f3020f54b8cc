#include "config.h"

#include "run/campaign_find.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/err.h"
#include "opt/opt.h"
#include "out/say.h"
#include "plat/datadir.h"
#include "run/campaign_file.h"

/* An installed campaign and its title. */
static void
list_one(const char *folder, const char *name, bool bare)
{
	char path[PATH_MAX], title[256];
	struct pace_campaign c;
	struct pace_err err;
	int len = (int)strlen(name) - 4;

	if (len < 1 || strcmp(name + len, ".ini") != 0 ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return;
	if (pace_campaign_load(&c, path, &err) < 0) {
		pace_complain("%s", err.text);
		return;
	}
	pace_clean(title, sizeof(title), c.title != NULL ? c.title : "",
	    c.title != NULL ? strlen(c.title) : 0);
	if (bare) {
		printf("%.*s\t%s\n", len, name, title);
	} else {
		snprintf(path, sizeof(path), "  %-24.*s ", len, name);
		pace_say_wrapped(&(struct pace_say){ stdout, pace_say_utf8() }, path, title);
	}
	pace_campaign_free(&c);
}

/* Return the number of files in the folder of campaigns, sorted; below 0: it cannot be read. */
static int
scan(char folder[PATH_MAX], struct dirent ***found)
{
	return pace_data_path(folder, PATH_MAX, "campaigns") == 0 ?
	    scandir(folder, found, NULL, alphasort) : -1;
}

int
pace_campaign_list(bool bare)
{
	char folder[PATH_MAX];
	struct dirent **found = NULL;
	int n = scan(folder, &found);

	if (n < 0) {
		pace_complain("%s contains no campaigns", folder);
		return PACE_EXIT_NO_RESULT;
	}
	if (!bare)
		printf("udpace campaign NAME HOST, or a FILE of your own, see "
		    "udpace-campaign(1)\n\n");
	for (int i = 0; i < n; i++) {
		list_one(folder, found[i]->d_name, bare);
		free(found[i]);
	}
	free(found);
	return PACE_EXIT_OK;
}

/* Complain about a name that is neither a file nor an installed campaign. */
static void
refuse(const char *given)
{
	char folder[PATH_MAX], names[400] = "";
	struct dirent **found = NULL;
	int n = scan(folder, &found);
	size_t used = 0;

	pace_complain("no campaign '%s': there is no such file, and %s has no %s.ini", given,
	    folder,
	    given);
	for (int i = 0; i < n; i++) {
		int len = (int)strlen(found[i]->d_name) - 4;

		if (len > 0 && strcmp(found[i]->d_name + len, ".ini") == 0 &&
		    used + (size_t)len + 3 < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.*s",
			    used > 0 ? ", " : "", len, found[i]->d_name);
		free(found[i]);
	}
	free(found);
	if (used > 0)
		pace_hint("write the path of a file, or one of: %s", names);
	else
		pace_hint("write the path of a file; no campaign is installed");
}

const char *
pace_campaign_find(const char *given, char path[PATH_MAX])
{
	char name[NAME_MAX + 32];

	if (strchr(given, '/') != NULL || access(given, F_OK) == 0)
		return given;
	snprintf(name, sizeof(name), "campaigns/%.200s.ini", given);
	if (pace_data_path(path, PATH_MAX, name) == 0)
		return path;
	refuse(given);
	return NULL;
}
