/* tx_result_doc.h: what a responder that sent says goes round, and contradictions are refused. */
#include "doc/tx_result_doc.h"

#include <errno.h>
#include <string.h>

#include "lib/unit.h"

static struct pace_tx tx, back;
static struct pace_tx_result result, got;
static struct pace_counters none, counters;

static void
setup(void)
{
	memset(&tx, 0, sizeof(tx));
	pace_hist_reset(&tx.gap);
	pace_hist_reset(&tx.gap_error);
	pace_hist_reset(&tx.stack);
	tx.frames = 5;
	tx.bytes = 500;
	tx.duration_ns = 4000;
	tx.user_rate_bps = 8e8;
	tx.wire_rate_bps = 9e8;
	tx.refused = 3;
	tx.refusals[0] = (struct pace_refusal){ ENOBUFS, 2 };
	tx.refusals[1] = (struct pace_refusal){ EPERM, 1 };
	tx.refused_errno = EPERM;
	tx.proof_waits = 2;
	tx.proof_waited_ns = 7000;
	tx.stamp = PACE_STAMP_USER;
	for (int i = 0; i < 4; i++) {
		pace_hist_add(&tx.gap, 1000 + i);
		pace_hist_add(&tx.gap_error, i - 1);
	}
	tx.near_gaps = 4;
	result = (struct pace_tx_result){ .asked = 8, .due_ns = -77, .failed = EMSGSIZE,
	    .lease_lost = true, .clock = { .known = true, .error_ns = 9 } };
}

static int
round_trip(void)
{
	json_t *j = pace_tx_result_to_json(&result, &tx, &none);
	int rc = pace_tx_result_from_json(&got, &back, &counters, j);

	json_decref(j);
	return rc;
}

START_TEST(what_is_said_is_read)
{
	ck_assert_int_eq(round_trip(), 0);
	ck_assert(got.asked == 8 && got.due_ns == -77 && got.failed == EMSGSIZE && got.lease_lost);
	ck_assert(got.clock.known && got.clock.error_ns == 9);
	ck_assert(back.frames == 5 && back.bytes == 500 && back.refused == 3 && back.near_gaps == 4);
	ck_assert(back.refusals[1].code == EPERM && back.refusals[1].frames == 1);
	ck_assert(back.proof_waits == 2 && back.proof_waited_ns == 7000);
	ck_assert(back.gap.stats.n == 4 && back.gap_error.stats.min == -1);
}
END_TEST

START_TEST(what_a_capture_saw_is_read)
{
	ck_assert(round_trip() == 0 && !got.has_wire);
	result.has_wire = result.wire.complete = true;
	strcpy(result.wire.interface, "eth0");
	result.wire.frames = 4;
	result.wire.packets = 5;
	result.wire.copies = 1;
	ck_assert(round_trip() == 0 && got.has_wire && got.wire.complete);
	ck_assert(got.wire.frames == 4 && got.wire.packets == 5 && got.wire.copies == 1);
	ck_assert_str_eq(got.wire.interface, "eth0");
	result.wire.packets = 6;	/* more than frames */
	ck_assert_int_eq(round_trip(), -EPROTO);
}
END_TEST

START_TEST(contradictions_are_refused)
{
	switch (_i) {
	case 0: result.asked = 9; break;
	case 1: tx.refusals[0].frames = 3; break;
	case 2: tx.near_gaps = 5; break;
	case 3: tx.frames = 3, result.asked = 6; break;	/* fewer than gaps */
	case 4: result.failed = 5000; break;
	}
	ck_assert_int_eq(round_trip(), -EPROTO);
}
END_TEST

START_TEST(what_is_missing_is_refused)
{
	static const char *const names[] = { "asked", "due_ns", "failed", "lease_lost", "near_gaps",
	    "tx", "cpu", "counters" };
	json_t *j = pace_tx_result_to_json(&result, &tx, &none);

	json_object_del(j, names[_i]);
	ck_assert_int_eq(pace_tx_result_from_json(&got, &back, &counters, j), -EPROTO);
	json_decref(j);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("tx_result_doc");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, what_is_said_is_read);
	tcase_add_test(tc, what_a_capture_saw_is_read);
	tcase_add_loop_test(tc, contradictions_are_refused, 0, 5);
	tcase_add_loop_test(tc, what_is_missing_is_refused, 0, 8);
	return unit_run(tc, "tx_result_doc");
}
