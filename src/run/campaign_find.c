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
#include "plat/datadir.h"
#include "run/campaign_file.h"
#include "run/peer.h"

/* A campaign of ours, and what it is. */
static void
list_one(const char *folder, const char *name)
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
	printf("  %-24.*s %s\n", len, name, title);
	pace_campaign_free(&c);
}

int
pace_campaign_list(void)
{
	char folder[PATH_MAX];
	struct dirent **found = NULL;
	int n = -1;

	if (pace_data_path(folder, sizeof(folder), "campaigns") == 0)
		n = scandir(folder, &found, NULL, alphasort);
	if (n < 0) {
		pace_complain("there are no campaigns in %s", folder);
		return PACE_EXIT_NO_RESULT;
	}
	printf("udpace campaign NAME HOST, or a FILE of your own, see udpace-campaign(1)\n\n");
	for (int i = 0; i < n; i++) {
		list_one(folder, found[i]->d_name);
		free(found[i]);
	}
	free(found);
	return PACE_EXIT_OK;
}

const char *
pace_campaign_find(const char *given, char path[PATH_MAX])
{
	char name[NAME_MAX + 32];

	if (strchr(given, '/') != NULL || access(given, F_OK) == 0)
		return given;
	snprintf(name, sizeof(name), "campaigns/%.200s.ini", given);
	return pace_data_path(path, PATH_MAX, name) == 0 ? path : given;
}
