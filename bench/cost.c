/*
 * cost - run a program on one core and say what it cost.
 *
 * usage: cost [-w] CORE FILE COMMAND [ARGUMENT...]
 *
 * FILE gets one JSON object: CPU seconds and peak memory of the process and
 * of those it waited for (wait4), and with -w the latest wake-up of a 20 ms
 * timer on the same core: tens of ms there are a machine that stood still.
 * SIGINT and SIGTERM are passed on to the program.  The exit status is its own.
 *
 * A small C program and not a shell or Python, because the peak memory of a
 * process begins with that of what it was forked from.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS		20000000
#define SEC		INT64_C(1000000000)

struct outcome {
	int	status;
	struct rusage usage;
	int64_t	wall_ns, latest_ns;
};

static int64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SEC + ts.tv_nsec;
}

static void
fail(const char *what)
{
	fprintf(stderr, "cost: %s: %s\n", what, strerror(errno));
	_exit(99);
}

static void
stay_on(const char *core)
{
	char *end;
	long n = strtol(core, &end, 10);
	cpu_set_t set;

	if (*core == '\0' || *end != '\0' || n < 0 || n >= CPU_SETSIZE) {
		fprintf(stderr, "cost: '%s' is no core\n", core);
		exit(2);
	}
	CPU_ZERO(&set);
	CPU_SET((size_t)n, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == -1)
		fail("sched_setaffinity");
}

static pid_t
start(char **command, const sigset_t *usual)
{
	pid_t pid = fork();

	if (pid == -1)
		fail("fork");
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);	/* a shell's background job ignores it */
	sigprocmask(SIG_SETMASK, usual, NULL);
	execvp(command[0], command);
	fail(command[0]);
	return -1;
}

/* One signal or, when watching, one tick; how much too late that was. */
static int64_t
wait_signal(const sigset_t *set, bool watch, int *sig)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };
	int64_t due = now_ns() + TICK_NS;

	*sig = watch ? sigtimedwait(set, NULL, &tick) : sigwaitinfo(set, NULL);
	return *sig == -1 && errno == EAGAIN ? now_ns() - due : 0;
}

static void
follow(pid_t pid, const sigset_t *set, bool watch, struct outcome *o)
{
	int64_t begin = now_ns(), late;
	int sig;

	while (wait4(pid, &o->status, WNOHANG, &o->usage) == 0) {
		late = wait_signal(set, watch, &sig);
		if (late > o->latest_ns)
			o->latest_ns = late;
		if (sig == SIGINT || sig == SIGTERM)
			kill(pid, sig);
	}
	o->wall_ns = now_ns() - begin;
}

/* A watch that waits its turn would see a busy core, not a frozen one.
 * Without the right to a real-time class it is only less sharp. */
static void
stay_awake(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &first) == -1)
		(void)setpriority(PRIO_PROCESS, 0, -19);
}

static double
seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static int
report(const char *name, const struct outcome *o)
{
	int status = WIFEXITED(o->status) ? WEXITSTATUS(o->status) : 128 + WTERMSIG(o->status);
	FILE *f = fopen(name, "w");

	if (f == NULL)
		fail(name);
	fprintf(f, "{\"status\": %d, \"wall_s\": %.6f, \"user_s\": %.6f, \"system_s\": %.6f, "
	    "\"peak_kib\": %ld, \"latest_ms\": %.3f}\n", status, (double)o->wall_ns / 1e9,
	    seconds(&o->usage.ru_utime), seconds(&o->usage.ru_stime), o->usage.ru_maxrss,
	    (double)o->latest_ns / 1e6);
	if (fclose(f) != 0)
		fail(name);
	return status;
}

int
main(int argc, char **argv)
{
	bool watch = argc > 1 && strcmp(argv[1], "-w") == 0;
	struct outcome o = { 0 };
	sigset_t set, usual;
	pid_t pid;

	argv += watch;
	argc -= watch;
	if (argc < 4) {
		fprintf(stderr, "usage: cost [-w] CORE FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	stay_on(argv[1]);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &usual);
	pid = start(argv + 3, &usual);
	if (watch)
		stay_awake();
	follow(pid, &set, watch, &o);
	return report(argv[2], &o);
}
