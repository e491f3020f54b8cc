#include "config.h"

#include "plat/root.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/err.h"

#define PATH_MOST	4096

const char *
pace_root_default(void)
{
	const char *root = getenv(PACE_ROOT_ENV);

	return root != NULL ? root : "";
}

/* Opening a pipe in a copy of a host would block. */
static FILE *
open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *f = NULL;

	if (fd != -1 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		f = fdopen(fd, "r");
	if (f == NULL && fd != -1)
		close(fd);
	return f;
}

static FILE * __attribute__((format(printf, 2, 0)))
open_at(const char *root, const char *fmt, va_list ap)
{
	char path[PATH_MOST], below[PATH_MOST / 2];
	int n = vsnprintf(below, sizeof(below), fmt, ap);

	if (n < 0 || (size_t)n >= sizeof(below))
		return NULL;
	n = snprintf(path, sizeof(path), "%s%s", root, below);
	return n < 0 || (size_t)n >= sizeof(path) ? NULL : open_regular(path);
}

FILE *
pace_root_open(const char *root, const char *fmt, ...)
{
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	f = open_at(root, fmt, ap);
	va_end(ap);
	return f;
}

/* Read the first line, cut to size; reading a device's attribute may fail. */
static bool
first_line(FILE *f, char *buf, size_t size)
{
	char line[1024];
	bool got;

	buf[0] = '\0';
	if (f == NULL)
		return false;
	got = fgets(line, sizeof(line), f) != NULL;
	fclose(f);
	if (!got)
		return false;
	pace_clean(buf, size, line, strcspn(line, "\n"));
	return buf[0] != '\0';
}

bool
pace_root_text(char *buf, size_t size, const char *root, const char *fmt, ...)
{
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	f = open_at(root, fmt, ap);
	va_end(ap);
	return first_line(f, buf, size);
}

bool
pace_root_int(int64_t *v, const char *root, const char *fmt, ...)
{
	char line[64], *end;
	va_list ap;
	FILE *f;
	long long n;

	va_start(ap, fmt);
	f = open_at(root, fmt, ap);
	va_end(ap);
	if (!first_line(f, line, sizeof(line)))
		return false;
	errno = 0;
	n = strtoll(line, &end, 10);
	if (end == line || errno != 0 || end[strspn(end, " \t")] != '\0')
		return false;
	*v = n;
	return true;
}

static bool
number(const char **p, uint64_t *v, int base)
{
	const char *at = *p + strspn(*p, " \t");
	char *end;

	if (base == 10 ? !isdigit((unsigned char)*at) : !isxdigit((unsigned char)*at))
		return false;
	errno = 0;
	*v = strtoull(at, &end, base);
	if (errno != 0 || (*end != '\0' && !isspace((unsigned char)*end)))
		return false;
	*p = end;
	return true;
}

bool
pace_root_number(const char **p, uint64_t *v)
{
	return number(p, v, 10);
}

bool
pace_root_hex(const char **p, uint64_t *v)
{
	return number(p, v, 16);
}

static int
not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

void
pace_root_list(const char *root, const char *path, void (*name)(void *ctx, const char *name),
    void *ctx)
{
	struct dirent **v = NULL;
	char where[PATH_MOST];
	int n;

	if ((size_t)snprintf(where, sizeof(where), "%s%s", root, path) >= sizeof(where))
		return;
	n = scandir(where, &v, not_hidden, versionsort);
	for (int i = 0; i < n; i++) {
		name(ctx, v[i]->d_name);
		free(v[i]);
	}
	free(v);
}
