#include "config.h"

#include "cli/outfile.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A temporary file beside path, with the permissions that path would get. */
static int
open_beside(const char *path, char *name, size_t size)
{
	mode_t mask;
	int fd, len = snprintf(name, size, "%s.XXXXXX", path);

	if (len < 0 || (size_t)len >= size)
		return -ENAMETOOLONG;
	fd = mkstemp(name);
	if (fd == -1)
		return -errno;
	mask = umask(0);
	umask(mask);
	(void)fchmod(fd, 0666 & ~mask);
	return fd;
}

int
pace_outfile_check(const char *path, bool replace)
{
	char name[PATH_MAX];
	struct stat st;
	int fd;

	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		if (!replace)
			return -EEXIST;
	}
	fd = open_beside(path, name, sizeof(name));
	if (fd < 0)
		return fd;
	close(fd);
	unlink(name);
	return 0;
}

/* Everything to the disk, whatever happens the stream is closed. */
static int
finish(FILE *f, int rc)
{
	if (rc == 0 && (fflush(f) == EOF || fsync(fileno(f)) == -1))
		rc = -errno;
	if (fclose(f) == EOF && rc == 0)
		rc = -errno;
	return rc;
}

int
pace_outfile_write(const char *path, int (*fn)(FILE *f, void *ctx), void *ctx)
{
	char name[PATH_MAX];
	FILE *f;
	int rc, fd = open_beside(path, name, sizeof(name));

	if (fd < 0)
		return fd;
	f = fdopen(fd, "w");
	if (f == NULL) {
		rc = -errno;
		close(fd);
	} else {
		rc = finish(f, fn(f, ctx));
	}
	if (rc == 0 && rename(name, path) == -1)
		rc = -errno;
	if (rc < 0)
		unlink(name);
	return rc;
}
