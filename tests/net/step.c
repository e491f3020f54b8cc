/*
 * step.c - a library to preload: steps the wall clock of a running program.
 *
 * Purpose    shows a program a wall clock that is set while it runs, and leaves the
 *            machine's clock alone: CLOCK_REALTIME, and the kernel's stamps of received
 *            and sent frames.
 * Use        LD_PRELOAD=step.so UDPACE_STEP_FIFO=FIFO PROGRAM; every line written to
 *            the FIFO is a number of ns by which the clock is set forward, or back if
 *            it is negative.
 * Moment     the step happens AHEAD_NS after its line was read, so that every thread
 *            knows it in time.  Readings and stamps from before the step stay
 *            unchanged, whenever they are looked at; later ones are shifted.  A real
 *            step of the clock looks the same.
 * Limits     one step every AHEAD_NS; stamps older than the step before the last one
 *            are wrong.  Covers only the calls of udpace: clock_gettime, recvmmsg,
 *            recvmsg, and the software stamp of SCM_TIMESTAMPING.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/errqueue.h>	/* wants the system's timespec */

#define AHEAD_NS	1000000

struct step {
	int64_t		at_ns;		/* of the machine's clock */
	int64_t		before_ns, after_ns;
};

static const struct step none;
static _Atomic(const struct step *) newest = &none;

static int (*next_gettime)(clockid_t, struct timespec *);
static int (*next_recvmmsg)(int, struct mmsghdr *, unsigned int, int, struct timespec *);
static ssize_t (*next_recvmsg)(int, struct msghdr *, int);

/* The type of a function cannot be had from a void pointer in ISO C. */
static void
find(void *fn, const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (p == NULL)
		abort();
	memcpy(fn, &p, sizeof(p));
}

static void
shift(struct timespec *t)
{
	const struct step *s = atomic_load(&newest);
	int64_t ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;

	ns += ns >= s->at_ns ? s->after_ns : s->before_ns;
	t->tv_sec = (time_t)(ns / 1000000000);
	t->tv_nsec = (long)(ns % 1000000000);
}

static void
shift_stamps(struct msghdr *m)
{
	struct scm_timestamping st;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPING)
			continue;
		memcpy(&st, CMSG_DATA(c), sizeof(st));
		if (st.ts[0].tv_sec != 0)
			shift(&st.ts[0]);
		memcpy(CMSG_DATA(c), &st, sizeof(st));
	}
}

int
clock_gettime(clockid_t id, struct timespec *t)
{
	int rc;

	/* Libraries begin before a preload does, and may ask at once. */
	if (next_gettime == NULL)
		find(&next_gettime, "clock_gettime");
	rc = next_gettime(id, t);
	if (rc == 0 && id == CLOCK_REALTIME)
		shift(t);
	return rc;
}

int
recvmmsg(int fd, struct mmsghdr *v, unsigned int n, int flags, struct timespec *timeout)
{
	int got = next_recvmmsg(fd, v, n, flags, timeout);

	for (int i = 0; i < got; i++)
		shift_stamps(&v[i].msg_hdr);
	return got;
}

ssize_t
recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t got = next_recvmsg(fd, m, flags);

	if (got >= 0)
		shift_stamps(m);
	return got;
}

static void
set_clock(int64_t ns)
{
	const struct step *old = atomic_load(&newest);
	struct step *s = malloc(sizeof(*s));	/* never freed: somebody may look at it */
	struct timespec t;

	if (s == NULL)
		abort();
	next_gettime(CLOCK_REALTIME, &t);
	*s = (struct step){ .before_ns = old->after_ns, .after_ns = old->after_ns + ns,
	    .at_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + AHEAD_NS };
	atomic_store(&newest, s);
	fprintf(stderr, "step: the wall clock is set by %lld ns\n", (long long)ns);
}

static void *
listen_to_fifo(void *arg)
{
	char line[64];
	FILE *f;

	while ((f = fopen(arg, "re")) != NULL) {
		while (fgets(line, sizeof(line), f) != NULL)
			set_clock(strtoll(line, NULL, 10));
		fclose(f);
	}
	fprintf(stderr, "step: no fifo\n");
	return NULL;
}

/* Signals are for the program's own threads. */
__attribute__((constructor)) static void
begin(void)
{
	char *fifo = getenv("UDPACE_STEP_FIFO");
	sigset_t all, saved;
	pthread_t t;

	find(&next_gettime, "clock_gettime");
	find(&next_recvmmsg, "recvmmsg");
	find(&next_recvmsg, "recvmsg");
	if (fifo == NULL)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	if (pthread_create(&t, NULL, listen_to_fifo, fifo) != 0)
		abort();
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}
