#include "config.h"

#include "daemon/reflect.h"

#include <errno.h>
#include <string.h>

#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/thread.h"

#define LOOK_NS		INT64_C(100000000)	/* interval of looking at stop */
#define CLOCK_NS	INT64_C(1000000000)	/* and at the state of the wall clock */
#define RCVBUF		(4U << 20)

int
pace_reflect_open(struct pace_reflect *f, const struct pace_reflect_cfg *cfg,
    struct pace_err *err)
{
	const struct pace_sock_cfg sock = { .local = cfg->bind, .ttl = 255, .headers = true,
	    .rcvbuf_bytes = RCVBUF };
	int rc;

	*f = (struct pace_reflect){ .cpu = cfg->cpu, .sock = { .fd = -1 } };
	rc = pace_sock_open(&f->sock, &sock, err);
	if (rc < 0)
		return rc;
	f->reflector = pace_reflector_new(cfg->stateful);
	if (f->reflector == NULL) {
		pace_sock_close(&f->sock);
		return pace_fail(err, ENOMEM, "start");
	}
	f->port = pace_sock_local(&f->sock).port;
	f->reflector->io = pace_sock_io(&f->sock);
	f->reflector->rules = cfg->rules;
	f->reflector->port = f->port;
	return 0;
}

void
pace_reflect_use_nic(struct pace_reflect *f)
{
	static const struct pace_addr any;
	const struct pace_addr local = pace_sock_local(&f->sock);
	struct pace_err err;

	if (memcmp(local.ip, any.ip, sizeof(any.ip)) == 0)
		return;			/* devices of all kinds */
	f->reflector->nic = pace_io_stamps(&f->reflector->io, true, &err) == 0;
}

static void *
run(void *arg)
{
	struct pace_reflect *f = arg;
	struct pace_reflector *r = f->reflector;
	int64_t looked_ns = 0, now;

	pace_clock_no_slack();
	if (f->cpu >= 0)
		(void)pace_affinity_pin(f->cpu);
	while (!atomic_load_explicit(&f->stop, memory_order_relaxed)) {
		now = pace_clock_raw();
		if (looked_ns == 0 || now - looked_ns > CLOCK_NS) {
			looked_ns = now;
			pace_clock_state(&r->clock);
		}
		/* After less than a batch most likely nothing waits. */
		if (pace_reflector_step(r) < PACE_REFLECTOR_BATCH)
			(void)r->io.wait(r->io.ctx, now + LOOK_NS);
	}
	return NULL;
}

int
pace_reflect_begin(struct pace_reflect *f)
{
	int rc = f->reflector == NULL ? 0 : pace_thread_start(&f->thread, run, f);

	f->running = f->reflector != NULL && rc == 0;
	return rc;
}

void
pace_reflect_end(struct pace_reflect *f)
{
	atomic_store_explicit(&f->stop, true, memory_order_relaxed);
	if (f->running)
		pthread_join(f->thread, NULL);
	f->running = false;
}

void
pace_reflect_close(struct pace_reflect *f)
{
	pace_reflect_end(f);
	if (f->reflector != NULL)
		pace_sock_close(&f->sock);
	pace_reflector_free(f->reflector);
	f->reflector = NULL;
}
