#include "sums.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doc/latency_doc.h"
#include "doc/point_doc.h"
#include "lib/counter.h"
#include "lib/sum.h"
#include "simnet.h"

#define DIGITS	9	/* of a figure: so many are the same with every compiler */
#define SHOWN	128	/* bytes of a datagram in a trace */

enum how { COMPARE, WRITE, TRACE, NOTHING };

static const char *program;
static enum how how;
static int *turn;		/* tests begun; each may run in a process of its own */
static uint64_t sum[SIM_SUMS];
static FILE *trace;		/* stdout; a test may send that elsewhere */
static int only;		/* the test to trace; 0: all */

static void
add(enum sim_sum which, const void *buf, size_t len)
{
	sum[which] = sum_add(sum[which], buf, len);
}

static bool
is_traced(void)
{
	return how == TRACE && (only == 0 || *turn == only);
}

bool
sim_sum_skips(void)
{
	return how == TRACE && !is_traced();
}

static FILE *
open_sums(const char *mode)
{
	const char *top = getenv("top_srcdir");
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/data/sums/%s.txt", top != NULL ? top : ".", program);
	return fopen(path, mode);
}

/* The line of this test; "": there is none. */
static void
recorded(char line[64])
{
	FILE *f = open_sums("r");

	line[0] = '\0';
	if (f == NULL)
		return;
	for (int i = 0; i < *turn; i++)
		if (fgets(line, 64, f) == NULL)
			line[0] = '\0';
	fclose(f);
}

static void
begin(void)
{
	++*turn;
	if (counter_begin(1) < 0)	/* for what draws before there is a network */
		abort();
	memset(sum, 0, sizeof(sum));
	if (is_traced()) {
		fprintf(trace, "test %d\n", *turn);
		fflush(trace);
	}
}

static void
end(void)
{
	static const char *const what[SIM_SUMS] = { "clients sent", "the responder sent",
	    "clients got" };
	unsigned long long was[SIM_SUMS] = { 0 };
	char line[64];
	FILE *f;

	if (how == WRITE) {
		f = open_sums("a");
		ck_assert_ptr_nonnull(f);
		fprintf(f, "%016llx %016llx %016llx\n", (unsigned long long)sum[0],
		    (unsigned long long)sum[1], (unsigned long long)sum[2]);
		fclose(f);
	}
	if (how != COMPARE)
		return;
	recorded(line);
	ck_assert_msg(sscanf(line, "%llx %llx %llx", &was[0], &was[1], &was[2]) == SIM_SUMS,
	    "tests/data/sums/%s.txt has no line %d: see sim/sums.h", program, *turn);
	for (int i = 0; i < SIM_SUMS; i++)
		ck_assert_msg(sum[i] == was[i], "what %s is not what was recorded in line %d of "
		    "tests/data/sums/%s.txt; UDPACE_SUMS=trace:%d prints it: see sim/sums.h", what[i], *turn,
		    program, *turn);
}

void
sim_sums(TCase *tc, const char *name)
{
	const char *mode = getenv("UDPACE_SUMS");

	program = name;
	how = mode != NULL && strcmp(mode, "write") == 0 ? WRITE :
	    mode != NULL && strncmp(mode, "trace", 5) == 0 ? TRACE :
	    getenv("UDPACE_SEED") != NULL || !SUM_SAME_FIGURES ? NOTHING : COMPARE;
	only = how == TRACE && mode[5] == ':' ? atoi(mode + 6) : 0;
	turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (turn == MAP_FAILED)
		abort();
	trace = how == TRACE ? fdopen(dup(STDOUT_FILENO), "w") : NULL;
	if (how == TRACE && trace == NULL)
		abort();
	if (how == WRITE) {
		FILE *f = open_sums("w");

		if (f != NULL)
			fclose(f);
	}
	tcase_add_checked_fixture(tc, begin, end);
}

void
sim_sum_datagram(enum sim_sum which, int64_t now_ns, const struct pace_addr *addr, const void *buf,
    size_t len)
{
	const int64_t at[] = { now_ns, addr->port };

	add(which, at, sizeof(at));
	add(which, addr->ip, sizeof(addr->ip));
	add(which, buf, len);
	if (!is_traced())
		return;
	fprintf(trace, "%lld.%09lld %s %u:", (long long)(now_ns / 1000000000),
	    (long long)(now_ns % 1000000000), which == SIM_FROM_CLIENTS ? "from" : "to", addr->port);
	for (size_t i = 0; i < len && i < SHOWN; i++)
		fprintf(trace, i % 4 == 0 ? " %02x" : "%02x", ((const uint8_t *)buf)[i]);
	fprintf(trace, " %zu bytes, sum %016llx\n", len, (unsigned long long)sum[which]);
	fflush(trace);
}

void
sim_sum_text(const char *what, const char *text, size_t len)
{
	add(SIM_RESULTS, what, strlen(what));
	add(SIM_RESULTS, text, len);
	if (!is_traced())
		return;
	fprintf(trace, "%s:\n%.*s\n", what, (int)len, text);
	fflush(trace);
}

/* Frees j. */
static int
got(int rc, json_t *j, const struct pace_err *err)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(DIGITS));

	add(SIM_RESULTS, &rc, sizeof(rc));
	if (rc < 0)
		add(SIM_RESULTS, err->text, strlen(err->text));
	add(SIM_RESULTS, text, text != NULL ? strlen(text) : 0);
	if (is_traced()) {
		fprintf(trace, "got %d %s %s\n", rc, rc < 0 ? err->text : "", text != NULL ? text : "");
		fflush(trace);
	}
	free(text);
	json_decref(j);
	return rc;
}

int
sim_sum_point(int rc, const struct pace_point *p, const struct pace_err *err)
{
	sim_own++;
	rc = got(rc, pace_point_to_json(p), err);
	sim_own--;
	return rc;
}

int
sim_sum_latency(int rc, const struct pace_latency *p, const struct pace_err *err)
{
	sim_own++;
	rc = got(rc, pace_latency_to_json(p), err);
	sim_own--;
	return rc;
}
