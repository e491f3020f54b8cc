#include "config.h"

#include "report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/err.h"

#define STEP_MS	10
#define LEAST	500	/* smallest size of a picture with a title, bytes */

bool
pace_gnuplot_is_there(void)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	for (path = path != NULL ? path : "/usr/bin:/bin"; ; path++) {
		size_t len = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/gnuplot", (int)len, len > 0 ? path : ".");
		if (access(file, X_OK) == 0)
			return true;
		path += len;
		if (*path == '\0')
			return false;
	}
}

static long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* --- the child ----------------------------------------------------------------------- */

static void
exec_gnuplot(const struct pace_drawing *d)
{
	char what[2 * NAME_MAX], script[NAME_MAX];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), err;

	if (chdir(d->folder) != 0)
		_exit(126);
	unlink(d->said);	/* removed first, so that no existing file or link is used */
	unlink(d->temporary);
	err = open(d->said, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (null == -1 || err == -1)
		_exit(126);
	dup2(null, 0);
	dup2(null, 1);
	dup2(err, 2);
	setenv("LC_ALL", "C", 1);
	unsetenv("GNUPLOT_LIB");
	unsetenv("GNUTERM");
	snprintf(what, sizeof(what), "TERMINAL='%s'; OUTPUT='%s'", d->format, d->temporary);
	snprintf(script, sizeof(script), "%s.gp", d->base);
	execlp("gnuplot", "gnuplot", "-d", "-e", what, script, (char *)NULL);
	_exit(127);
}

static void
start(struct pace_drawing *d)
{
	snprintf(d->temporary, sizeof(d->temporary), ".%s.%s.tmp", d->base, d->format);
	snprintf(d->said, sizeof(d->said), ".%s.%s.err", d->base, d->format);
	d->until_ms = now_ms() + PACE_GNUPLOT_LIMIT_S * 1000;
	d->pid = fork();
	if (d->pid == 0)
		exec_gnuplot(d);
	if (d->pid == -1) {
		snprintf(d->why, sizeof(d->why), "fork: %s", strerror(errno));
		d->done = true;
	}
}

/* --- what it made -------------------------------------------------------------------- */

static const struct form {
	const char	*format;
	const char	*begins;	/* the first len bytes */
	size_t		len;
	const char	*ends;		/* within the last 64 bytes */
} forms[] = {
	{ "png", "\211PNG\r\n\032\n", 8, "IEND" },
	{ "svg", "<?xml", 5, "</svg>" },
	{ "pdf", "%PDF-", 5, "%%EOF" },
};

static bool
check_picture(struct pace_drawing *d, const char *path)
{
	const struct form *form = forms;
	char head[8], tail[65] = "";
	struct stat st;
	FILE *f = fopen(path, "re");
	bool good;

	if (f == NULL) {
		snprintf(d->why, sizeof(d->why), "gnuplot made no file");
		return false;
	}
	while (strcmp(form->format, d->format) != 0)	/* always finds one */
		form++;
	good = fstat(fileno(f), &st) == 0 && st.st_size >= LEAST &&
	    fread(head, 1, sizeof(head), f) == sizeof(head) &&
	    memcmp(head, form->begins, form->len) == 0 && fseek(f, -64, SEEK_END) == 0 &&
	    memmem(tail, fread(tail, 1, 64, f), form->ends, strlen(form->ends)) != NULL;
	/* A full disk may be reported only here. */
	if (good && fsync(fileno(f)) == -1 && errno != EINVAL && errno != EROFS)
		good = false;
	fclose(f);
	if (!good)
		snprintf(d->why, sizeof(d->why), "the picture is not whole: is the disk full?");
	return good;
}

/* Find the last line of gnuplot's messages that has words: before an error it repeats the
 * command. */
static bool
said_something(struct pace_drawing *d, const char *path)
{
	char line[200] = "";
	FILE *f = fopen(path, "re");
	bool said = false;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		size_t skip = strspn(line, " \t\r\n^"), len = strcspn(line + skip, "\r\n");
		char words[200];

		if (len == 0)
			continue;
		said = true;
		pace_clean(words, sizeof(words), line + skip, len);
		snprintf(d->why, sizeof(d->why), "gnuplot: %s", words);
	}
	if (f != NULL)
		fclose(f);
	return said;
}

static void
judge(struct pace_drawing *d, int status)
{
	char temporary[PATH_MAX], said[PATH_MAX], final[PATH_MAX];
	bool words;

	snprintf(temporary, sizeof(temporary), "%s/%s", d->folder, d->temporary);
	snprintf(said, sizeof(said), "%s/%s", d->folder, d->said);
	snprintf(final, sizeof(final), "%s/%s.%s", d->folder, d->base, d->format);
	d->done = true;
	words = d->why[0] != '\0' || said_something(d, said);
	if (!words && WIFEXITED(status) && WEXITSTATUS(status) != 0)
		snprintf(d->why, sizeof(d->why), "gnuplot: status %d", WEXITSTATUS(status));
	else if (!words && !WIFEXITED(status))
		snprintf(d->why, sizeof(d->why), "gnuplot was ended by signal %d",
		    WTERMSIG(status));
	d->good = d->why[0] == '\0' && check_picture(d, temporary);
	if (d->good && rename(temporary, final) != 0) {
		snprintf(d->why, sizeof(d->why), "renaming it: %s", strerror(errno));
		d->good = false;
	}
	if (!d->good)
		unlink(temporary);
	unlink(said);
}

/* --- several -------------------------------------------------------------------------- */

static bool
is_running(const struct pace_drawing *d)
{
	return d->pid > 0 && !d->done;
}

static void
look_at(struct pace_drawing *d, bool stop)
{
	int status;

	pid_t ended = waitpid(d->pid, &status, WNOHANG);

	if (ended == d->pid) {
		judge(d, status);
	} else if (ended == -1 && errno != EINTR) {
		snprintf(d->why, sizeof(d->why), "gnuplot was lost");
		d->done = true;
	} else if (d->why[0] == '\0' && (stop || now_ms() >= d->until_ms)) {
		if (stop)
			snprintf(d->why, sizeof(d->why), "interrupted");
		else
			snprintf(d->why, sizeof(d->why), "gnuplot took more than %d s",
			    PACE_GNUPLOT_LIMIT_S);
		kill(d->pid, SIGKILL);
	}
}

void
pace_gnuplot_draw(struct pace_drawing *d, size_t n, bool (*stop)(void))
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	size_t next = 0, running = 0;

	do {
		while (next < n && running < PACE_GNUPLOT_JOBS && !stop()) {
			start(&d[next++]);
			running++;
		}
		nanosleep(&step, NULL);
		running = 0;
		for (size_t i = 0; i < next; i++) {
			if (is_running(&d[i]))
				look_at(&d[i], stop());
			running += is_running(&d[i]);
		}
	} while (running > 0 || (next < n && !stop()));
	for (size_t i = next; i < n; i++)
		snprintf(d[i].why, sizeof(d[i].why), "interrupted");
}
