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
#include "run/stop.h"

#define ROOM	(256U << 10)	/* largest file: 1024 keys with their comments */

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

/* Read the whole file, at most ROOM bytes: its length, or -errno. */
static ssize_t
read_all(int fd, char *text)
{
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < ROOM) {
		n = read(fd, text + len, ROOM - len);
		if (n == -1 && errno == EINTR && pace_stop == 0)
			n = 1;
		else if (n == -1)
			return -errno;
		else
			len += (size_t)n;
	}
	return len < ROOM ? (ssize_t)len : -EFBIG;
}

typedef int parse_text(void *ks, const char *text, size_t len, struct pace_err *err);

static int
parse_keys(void *ks, const char *text, size_t len, struct pace_err *err)
{
	return pace_keys_read(ks, text, len, err);
}

static int
parse_stamp_keys(void *ks, const char *text, size_t len, struct pace_err *err)
{
	return pace_stamp_keys_read(ks, text, len, err);
}

static int
read_file(const char *opt, const char *path, parse_text *parse, void *ks)
{
	const char *why;
	struct pace_err err = { .code = 0 };
	int fd = pace_open_passed(path, &why), rc = -1;
	ssize_t len;
	char *text;

	if (fd == -1) {
		complain(opt, path, why);
		return -EIO;
	}
	text = sodium_init() < 0 ? NULL : sodium_malloc(ROOM);
	if (text == NULL)
		complain(opt, path, strerror(ENOMEM));
	else if (check_mode(opt, path, fd) < 0)
		rc = -1;
	else if ((len = read_all(fd, text)) < 0)
		complain(opt, path, strerror((int)-len));
	else if (parse(ks, text, (size_t)len, &err) < 0)
		complain(opt, path, pace_err_why(&err));
	else
		rc = 0;
	sodium_free(text);			/* also wipes it */
	close(fd);
	return rc;
}

int
pace_keyfile_read(const char *opt, const char *path, struct pace_keys *ks)
{
	*ks = (struct pace_keys){ .n = 0 };
	return read_file(opt, path, parse_keys, ks);
}

int
pace_keyfile_read_stamp(const char *opt, const char *path, struct pace_stamp_keys *ks)
{
	*ks = (struct pace_stamp_keys){ .n = 0 };
	return read_file(opt, path, parse_stamp_keys, ks);
}

/* Split "FILE" or "FILE:NAME" (if no file has the whole string as its name).  Returns NAME; NULL:
 * there is none. */
static const char *
split(const char *opt, const char *arg, char path[PATH_MAX], int *rc)
{
	const char *colon = strrchr(arg, ':');
	bool named = colon != NULL && access(arg, F_OK) == -1 && errno == ENOENT;
	int len = named ? (int)(colon - arg) : (int)strlen(arg);

	*rc = len < PATH_MAX ? 0 : complain(opt, arg, strerror(ENAMETOOLONG));
	snprintf(path, PATH_MAX, "%.*s", len, arg);
	return named ? colon + 1 : NULL;
}

static int
lacks_key(const char *opt, const char *path, const char *name)
{
	char why[160];

	if (name == NULL)
		return complain(opt, path, "the file has no key");
	snprintf(why, sizeof(why), "the file has no key of the name %.100s", name);
	return complain(opt, path, why);
}

int
pace_keyfile_pick(const char *opt, const char *arg, struct pace_keys *ks,
    const struct pace_key **key)
{
	char path[PATH_MAX];
	int rc;
	const char *name = split(opt, arg, path, &rc);

	*key = NULL;
	*ks = (struct pace_keys){ .n = 0 };
	if (rc < 0 || pace_keyfile_read(opt, path, ks) < 0)
		return -1;
	*key = name != NULL ? pace_keys_named(ks, name) : ks->n > 0 ? &ks->v[0] : NULL;
	if (*key != NULL)
		return 0;
	pace_keys_free(ks);
	return lacks_key(opt, path, name);
}

int
pace_keyfile_pick_stamp(const char *opt, const char *arg, struct pace_stamp_keys *ks,
    const struct pace_stamp_key **key)
{
	char path[PATH_MAX];
	int rc;
	const char *name = split(opt, arg, path, &rc);

	*key = NULL;
	*ks = (struct pace_stamp_keys){ .n = 0 };
	if (rc < 0 || pace_keyfile_read_stamp(opt, path, ks) < 0)
		return -1;
	*key = name != NULL ? pace_stamp_keys_of(ks, name) : ks->n > 0 ? &ks->v[0] : NULL;
	if (*key != NULL)
		return 0;
	pace_stamp_keys_free(ks);
	return lacks_key(opt, path, name);
}
