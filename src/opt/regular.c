#include "config.h"

#include "opt/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NULL: it is one. */
static const char *
not_regular(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == -1)
		return strerror(errno);
	if (S_ISREG(st.st_mode))
		return NULL;
	return S_ISDIR(st.st_mode) ? "it is a directory" :
	    S_ISFIFO(st.st_mode) ? "it is a pipe; only a regular file is read" :
	    "it is a device or a socket; only a regular file is read";
}

int
pace_open_regular(const char *path, const char **why)
{
	/* not waiting for the writer of a FIFO, nor taking a terminal */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd == -1) {
		*why = path[0] == '\0' ? "no file is named" :
		    errno == ENXIO ? "it is a device or a socket; only a regular file is read" :
		    strerror(errno);
		return -1;
	}
	*why = not_regular(fd);
	if (*why == NULL)
		return fd;
	close(fd);
	return -1;
}
