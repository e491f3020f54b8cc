#include "config.h"

#include "opt/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
pace_open_regular(const char *path, const char **why)
{
	static const char device[] = "it is a device or a socket; only a regular file is read";
	struct stat st;
	/* do not wait for a FIFO's writer, and do not acquire a terminal */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd == -1) {
		*why = path[0] == '\0' ? "no file is named" :
		    errno == ENXIO ? device : strerror(errno);
		return -1;
	}
	if (fstat(fd, &st) == -1)
		*why = strerror(errno);
	else if (S_ISREG(st.st_mode))
		return fd;
	else
		*why = S_ISDIR(st.st_mode) ? "it is a directory" :
		    S_ISFIFO(st.st_mode) ? "it is a pipe; only a regular file is read" : device;
	close(fd);
	return -1;
}

/* The descriptor of "-" and /dev/fd/N, if it is a pipe; -1: none. */
static int
passed_pipe(const char *path)
{
	static const char folder[] = "/dev/fd/";
	const char *digits = path + sizeof(folder) - 1;
	struct stat st;
	int fd = -1;

	if (strcmp(path, "-") == 0)
		fd = STDIN_FILENO;
	else if (strncmp(path, folder, sizeof(folder) - 1) == 0 && digits[0] != '\0' &&
	    strlen(digits) < 8 && strspn(digits, "0123456789") == strlen(digits))
		fd = atoi(digits);
	return fd != -1 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) ? fd : -1;
}

bool
pace_is_passed(const char *path)
{
	return passed_pipe(path) != -1;
}

int
pace_open_passed(const char *path, const char **why)
{
	int fd = passed_pipe(path);

	if (fd == -1)
		return pace_open_regular(path, why);
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fd == -1)
		*why = strerror(errno);
	return fd;
}
