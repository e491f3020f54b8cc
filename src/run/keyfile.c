#include "config.h"

#include "run/keyfile.h"

#include <errno.h>
#include <limits.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opt/opt.h"
#include "opt/regular.h"

#define ROOM	(256U << 10)	/* of a file: 1024 keys and what is said of them */

static int
complain(const char *opt, const char *path, const char *why)
{
	const bool both = opt[0] != '\0' && path[0] != '\0';

	pace_complain("%s%s%s: %s", opt, both ? ": " : "", path, why);
	return -1;
}

static int
check_mode(const char *opt, const char *path, int fd)
{
	struct stat st;
	char why[80];

	if (fstat(fd, &st) == -1)
		return complain(opt, path, strerror(errno));
	if ((st.st_mode & 077) == 0)
		return 0;
	snprintf(why, sizeof(why), "others than its owner may use it (mode %04o)",
	    (unsigned)st.st_mode & 07777);
	complain(opt, path, why);
	pace_hint("chmod 600 %s", path);
	return -1;
}

/* All of it, at most ROOM: how much, or -errno. */
static ssize_t
read_all(int fd, char *text)
{
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < ROOM) {
		n = read(fd, text + len, ROOM - len);
		if (n == -1 && errno == EINTR)
			n = 1;
		else if (n == -1)
			return -errno;
		else
			len += (size_t)n;
	}
	return len < ROOM ? (ssize_t)len : -EFBIG;
}

static int
read_keys(const char *opt, const char *path, int fd, char *text, struct pace_keys *ks)
{
	struct pace_err err = { .code = 0 };
	ssize_t len = read_all(fd, text);

	if (len < 0)
		return complain(opt, path, strerror((int)-len));
	if (pace_keys_read(ks, text, (size_t)len, &err) < 0)
		return complain(opt, path, pace_err_why(&err));
	return 0;
}

int
pace_keyfile_read(const char *opt, const char *path, struct pace_keys *ks)
{
	const char *why;
	int fd = pace_open_regular(path, &why), rc = -1;
	char *text;

	*ks = (struct pace_keys){ .n = 0 };
	if (fd == -1)
		return complain(opt, path, why);
	text = sodium_init() < 0 ? NULL : sodium_malloc(ROOM);
	if (text == NULL)
		complain(opt, path, strerror(ENOMEM));
	else if (check_mode(opt, path, fd) == 0)
		rc = read_keys(opt, path, fd, text, ks);
	sodium_free(text);			/* wipes */
	close(fd);
	return rc;
}

int
pace_keyfile_pick(const char *opt, const char *arg, struct pace_keys *ks,
    const struct pace_key **key)
{
	const char *colon = strrchr(arg, ':');
	char path[PATH_MAX];
	bool named = colon != NULL && access(arg, F_OK) == -1 && errno == ENOENT;
	int len = named ? (int)(colon - arg) : (int)strlen(arg);

	*key = NULL;
	if (len >= (int)sizeof(path)) {
		*ks = (struct pace_keys){ .n = 0 };
		return complain(opt, arg, strerror(ENAMETOOLONG));
	}
	snprintf(path, sizeof(path), "%.*s", len, arg);
	if (pace_keyfile_read(opt, path, ks) < 0)
		return -1;
	if (named)
		*key = pace_keys_named(ks, colon + 1);
	else if (ks->n > 0)
		*key = &ks->v[0];
	if (*key != NULL)
		return 0;
	pace_keys_free(ks);
	return complain(opt, path, named ? "it has no key of that name" : "there is no key in it");
}
