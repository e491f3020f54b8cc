/*
 * A whole measurement on the simulated network while memory runs out, at both ends, at
 * any moment: it ends in time, with a failure or with the truth, nothing is lost or
 * used after it was given back, and with memory again all is well.
 *
 * malloc and calloc are the linker's to wrap, in our libraries and here; jansson gets
 * its memory from here too.
 */
#include "lib/unit.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "core/schedule.h"
#include "doc/latency.h"
#include "simnet.h"
#include "sums.h"

#define SEC	INT64_C(1000000000)
#define LONG_NS	(400 * SEC)	/* of the virtual clock: seven steps that give up late */

void	*__real_malloc(size_t size);
void	*__real_calloc(size_t n, size_t size);
void	*__wrap_malloc(size_t size);
void	*__wrap_calloc(size_t n, size_t size);

static struct {
	bool		armed, of_json, for_ever;
	unsigned long	asked, fails_at;	/* counted while armed */
} memory;

static bool
is_refused(bool of_json)
{
	if (!memory.armed || sim_own > 0 || of_json != memory.of_json)
		return false;
	memory.asked++;
	return memory.for_ever ? memory.asked > memory.fails_at :
	    memory.asked == memory.fails_at + 1;
}

void *
__wrap_malloc(size_t size)
{
	return is_refused(false) ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return is_refused(false) ? NULL : __real_calloc(n, size);
}

static void *
json_room(size_t size)
{
	return is_refused(true) ? NULL : __real_malloc(size);
}

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_latency *trips;
static struct pace_err err;

static void
setup(void)
{
	json_set_alloc_funcs(json_room, free);
	net = sim_new(unit_rnd());
	net->poll_ns = 20000;		/* who spins does not look so often */
	pt = pace_point_new();
	trips = pace_latency_new();
	ck_assert(pt != NULL && trips != NULL);
}

static void
teardown(void)
{
	pace_client_free(&cl);
	sim_free(net);
	pace_point_free(pt);
	free(trips);
}

static int
new_client(void)
{
	int rc;

	rc = sim_new_client(net, &cl);
	cl.rcvbuf_bytes = 1 << 20;
	return rc;
}

static int
run_point(void)
{
	pace_point_free(pt);
	pt = pace_point_new();
	if (pt == NULL)
		return -ENOMEM;
	pt->ask = (struct pace_params){ .size_bytes = 100, .spacing = pace_spacing_from_ns(10000),
	    .count = 20, .train = 1, .bursts = 1, .grace_ns = SEC / 2, .verify = true,
	    .record = { .room = 20 }, .linear = { .width = 100, .bins = 10 } };
	return pace_client_point(&cl, pt, &err);
}

static int
run_trips(void)
{
	free(trips);
	trips = pace_latency_new();
	if (trips == NULL)
		return -ENOMEM;
	trips->ask = (struct pace_latency_params){ .size_bytes = 100, .reply_bytes = 100,
	    .count = 5, .interval_ns = SEC / 1000, .timeout_ns = SEC / 10 };
	return pace_client_latency(&cl, trips, &err);
}

/* Check asks for memory too, and has it. */
static void
is_true(bool claim)
{
	bool armed = memory.armed;

	memory.armed = false;
	ck_assert(claim);
	memory.armed = armed;
}

/* All that a client does.  A measured value stays, whatever happens later. */
static int
measure(void)
{
	static struct pace_clock clock;
	uint8_t *columns = NULL;
	int rc = new_client();

	if (rc == 0)
		rc = pace_client_open(&cl, &err);
	if (rc == 0)
		rc = pace_client_clock(&cl, 10, SEC / 1000, &clock, &err);
	if (rc == 0)
		rc = run_point();
	if (rc == 0) {
		is_true(pace_point_broken(pt) == NULL && pt->rx.unique == 20 &&
		    pt->rx.records == 20);
		rc = pace_client_records(&cl, pt, &columns, &err);
		is_true((columns != NULL) == (rc == 0));
		free(columns);
	}
	if (rc == 0)
		rc = run_trips();
	is_true(rc != 0 || trips->received == 5);
	pace_client_close(&cl);
	return rc;
}

static void
measure_without(unsigned long fails_at)
{
	int64_t start = net->now_ns;
	int rc;

	memset(&err, 0, sizeof(err));
	memory.asked = 0;
	memory.fails_at = fails_at;
	memory.armed = true;
	rc = measure();
	memory.armed = false;
	ck_assert_int_le(rc, 0);
	ck_assert_int_lt(net->now_ns - start, LONG_NS);
	sim_pass(net, 100 * SEC);		/* a CLOSE may have been lost with it */
	ck_assert_int_eq(sim_sessions(net), 0);
}

/* Ours one by one, and all from one on; of jansson's, which are thousands, all the first
 * ones, then fewer and fewer.  Never all of jansson's: 2.14 does not survive that, its
 * parser asserts that what it could not keep is there. */
START_TEST(memory_that_is_not_there_spoils_no_more_than_one_run)
{
	unsigned long runs = 0, at = 0;

	memory.for_ever = _i == 1;
	memory.of_json = _i == 2;
	do {
		measure_without(at);
		at += memory.of_json ? 1 + at / 50 : 1;
		if (++runs % 16 == 0)
			ck_assert_int_eq(measure(), 0);
	} while (memory.asked > memory.fails_at);
	ck_assert_uint_gt(runs, memory.for_ever ? 4 : 10);
	ck_assert_int_eq(measure(), 0);
}
END_TEST

/* An empty body says that all is well. */
START_TEST(a_refusal_is_whole_or_is_not_sent)
{
	const struct pace_msg_error e = { .code = "policy", .text = "no" };
	const struct pace_hdr h = { .type = PACE_START | PACE_REPLY };
	struct pace_msg_error read;
	uint8_t buf[512];
	json_t *body;
	int len;

	memory.of_json = true;
	memory.for_ever = _i == 1;
	memory.asked = 1;
	for (memory.fails_at = 0; memory.asked > memory.fails_at; memory.fails_at++) {
		memory.asked = 0;
		memory.armed = true;
		len = pace_msg_put(buf, sizeof(buf), &h, pace_msg_error_json(&e), 0);
		memory.armed = false;
		if (len < 0)
			continue;
		body = pace_msg_body(buf, (size_t)len);
		ck_assert_msg(pace_msg_is_error(body, &read), "without allocation %lu",
		    memory.fails_at);
		ck_assert_str_eq(read.code, "policy");
		json_decref(body);
	}
	ck_assert_uint_gt(memory.fails_at, 3);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("memory");

	unit_seed(tc);
	sim_sums(tc, "memory");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, memory_that_is_not_there_spoils_no_more_than_one_run, 0, 3);
	tcase_add_loop_test(tc, a_refusal_is_whole_or_is_not_sent, 0, 2);
	return unit_run(tc, "memory");
}
