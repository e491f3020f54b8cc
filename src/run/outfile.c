#include "config.h"

#include "run/outfile.h"

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

/* The file that a symbolic link names: that one is replaced, not the link. */
static const char *
behind_links(const char *path, char real[PATH_MAX])
{
	return realpath(path, real) != NULL ? real : path;
}

/* A device, a pipe or a socket is written to, never replaced. */
static bool
is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int
pace_outfile_check(const char *path, bool replace)
{
	char name[PATH_MAX], real[PATH_MAX];
	struct stat st;
	int fd;

	if (is_special(path))
		return access(path, W_OK) == 0 ? 0 : -errno;
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		if (!replace)
			return -EEXIST;
	}
	fd = open_beside(behind_links(path, real), name, sizeof(name));
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
	if (rc == 0 && fflush(f) == EOF)
		rc = -errno;
	/* Pipes and devices have nothing to be synced. */
	if (rc == 0 && fsync(fileno(f)) == -1 && errno != EINVAL && errno != EROFS)
		rc = -errno;
	if (fclose(f) == EOF && rc == 0)
		rc = -errno;
	return rc;
}

static int
write_special(const char *path, int (*fn)(FILE *f, void *ctx), void *ctx)
{
	FILE *f = fopen(path, "we");

	return f == NULL ? -errno : finish(f, fn(f, ctx));
}

int
pace_outfile_write(const char *path, int (*fn)(FILE *f, void *ctx), void *ctx)
{
	char name[PATH_MAX], real[PATH_MAX];
	FILE *f;
	int rc, fd;

	if (is_special(path))
		return write_special(path, fn, ctx);
	path = behind_links(path, real);
	fd = open_beside(path, name, sizeof(name));
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
