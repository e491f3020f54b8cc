#include "config.h"

#include "opt/regular.h"

#include <errno.h>
#include <fcntl.h>
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
