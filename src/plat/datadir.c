#include "config.h"

#include "plat/datadir.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
join(char *path, size_t size, const char *folder, const char *name)
{
	int len = snprintf(path, size, "%s/%s", folder, name);

	if (len < 0 || (size_t)len >= size)
		return -ENAMETOOLONG;
	return access(path, R_OK) == 0 ? 0 : -ENOENT;
}

static bool
own_folder(char folder[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	char *slash;

	if (len <= 0)
		return false;
	folder[len] = '\0';
	slash = strrchr(folder, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	return true;
}

int
pace_data_path(char *path, size_t size, const char *name)
{
	const char *given = getenv("UDPACE_DATADIR");
	char folder[PATH_MAX];

	if (given != NULL && given[0] != '\0')
		return join(path, size, given, name);
	if (own_folder(folder) && join(path, size, folder, name) == 0)
		return 0;
	return join(path, size, PACE_PKGDATADIR, name);
}
