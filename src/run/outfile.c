#include "config.h"

#include "run/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open a temporary file in the directory of path, with the permissions that path would get. */
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

/* Follow a symbolic link: its target is replaced, the link stays. */
static const char *
behind_links(const char *path, char real[PATH_MAX])
{
	return realpath(path, real) != NULL ? real : path;
}

/* Is it a device, a pipe or a socket?  These are written to, never replaced. */
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

/* Sync all data to the disk and close the stream in any case. */
static int
finish(FILE *f, int rc)
{
	if (rc == 0 && fflush(f) == EOF)
		rc = -errno;
	/* pipes and devices cannot be synced */
	if (rc == 0 && fsync(fileno(f)) == -1 && errno != EINVAL && errno != EROFS)
		rc = -errno;
	if (fclose(f) == EOF && rc == 0)
		rc = -errno;
	return rc;
}

int
pace_outfile_write(const char *path, int (*fn)(FILE *f, void *ctx), void *ctx)
{
	char name[PATH_MAX], real[PATH_MAX];
	FILE *f;
	int rc, fd;

	if (is_special(path)) {
		f = fopen(path, "we");
		return f == NULL ? -errno : finish(f, fn(f, ctx));
	}
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

/* 0; 1: whoever had the lock has removed the file meanwhile; -errno. */
static int
try_lock(struct pace_outfile_lock *l)
{
	struct stat st;
	int rc = 0;

	l->fd = open(l->name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
	if (l->fd == -1)
		return -errno;
	if (flock(l->fd, LOCK_EX | LOCK_NB) == -1 || fstat(l->fd, &st) == -1)
		rc = -errno;
	else if (st.st_nlink == 0)
		rc = 1;
	if (rc != 0)
		close(l->fd);
	return rc;
}

int
pace_outfile_lock(struct pace_outfile_lock *l, const char *path)
{
	char real[PATH_MAX];
	int len = snprintf(l->name, sizeof(l->name), "%s.lock", behind_links(path, real)), rc;

	if (len < 0 || (size_t)len >= sizeof(l->name))
		rc = -ENAMETOOLONG;
	else
		while ((rc = try_lock(l)) > 0)
			;
	if (rc < 0)
		l->fd = -1;
	return rc;
}

void
pace_outfile_unlock(struct pace_outfile_lock *l)
{
	if (l->fd == -1)
		return;
	unlink(l->name);
	close(l->fd);
	l->fd = -1;
}
