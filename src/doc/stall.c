#include "config.h"

#include "doc/stall.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/units.h"

#define NAMED_SHARE	0.05	/* a process with a smaller share is not named */

enum cause { OTHERS, THROTTLED, STEAL, INTERRUPTS, REST, CAUSES };

struct stall_share {
	enum cause	cause;
	double		of;		/* 0..1 */
};

static const char *
span(int64_t ns, char buf[32])
{
	return pace_print(PACE_UNIT_SEC, (double)ns, buf, 32);
}

/* Time the sender waited for the core: from the kernel, else the CPU time of other threads on
 * that core; 0: none, or not known. */
static int64_t
waited_ns(const struct pace_tx *tx)
{
	int64_t used = 0;

	if (tx->preempted == 0 || !tx->causes.known)
		return 0;
	if (tx->causes.waited_ns >= 0)
		return tx->causes.waited_ns;
	for (int i = 0; i < PACE_TASKS; i++)
		used += tx->causes.task[i].cpu_ns;
	return used;
}

static int
falling(const void *a, const void *b)
{
	const struct stall_share *x = a, *y = b;

	return x->of < y->of ? 1 : x->of > y->of ? -1 : (int)x->cause - (int)y->cause;
}

/* Divide the frozen time: exact amounts first, then bounds, at most the time that is left. */
static void
divide(const struct pace_tx *tx, struct stall_share v[CAUSES])
{
	const struct pace_stall_causes *c = &tx->causes;
	int64_t left = tx->stalls.total_ns, waited = waited_ns(tx);
	int64_t throttled = c->known && c->throttled_ns > 0 ? c->throttled_ns : 0;
	const int64_t amount[REST] = { [THROTTLED] = throttled,
		[OTHERS] = waited > throttled ? waited - throttled : 0,
		[STEAL] = c->known && c->steal_ns >= 0 ? c->steal_ns : tx->steal_ns,
		[INTERRUPTS] = c->known && c->irq_ns > 0 ? c->irq_ns : 0 };

	for (int i = 0; i < REST; i++) {
		int64_t part = amount[i] < left ? amount[i] : left;

		v[i] = (struct stall_share){ (enum cause)i,
		    (double)part / (double)tx->stalls.total_ns };
		left -= part;
	}
	v[REST] = (struct stall_share){ REST, (double)left / (double)tx->stalls.total_ns };
	qsort(v, CAUSES, sizeof(*v), falling);
}

struct stall_text {
	char	*buf;
	size_t	size, n;
};

static void
add(struct stall_text *t, const char *words)
{
	int n = snprintf(t->buf + t->n, t->size - t->n, "%s", words);

	t->n += n > 0 && (size_t)n < t->size - t->n ? (size_t)n : t->size - t->n - 1;
}

/* "sh, pid 4711, ran 3.91 s" */
static void
add_tasks(struct stall_text *t, const struct pace_tx *tx)
{
	char words[96], ran[32];
	const char *between = " (";

	for (int i = 0; i < PACE_TASKS; i++) {
		const struct pace_task *p = &tx->causes.task[i];

		if ((double)p->cpu_ns < NAMED_SHARE * (double)tx->stalls.total_ns || p->cpu_ns <= 0)
			break;
		snprintf(words, sizeof(words), "%s%s, pid %" PRId64 ", ran %s", between, p->comm,
		    p->pid, span(p->cpu_ns, ran));
		add(t, words);
		between = "; ";
	}
	if (*between == ';')
		add(t, ")");
}

static void
add_cause(struct stall_text *t, const struct pace_tx *tx, enum cause cause)
{
	static const char *const names[CAUSES] = { [OTHERS] = "other processes on ",
		[THROTTLED] = "CPU quota of the control group", [STEAL] = "hypervisor (steal)",
		[INTERRUPTS] = "interrupts", [REST] = "not accounted for" };
	char words[64], n[32];

	add(t, names[cause]);
	if (cause == OTHERS) {
		snprintf(words, sizeof(words), tx->causes.core < 0 ? "its cores" : "core %d",
		    tx->causes.core);
		add(t, words);
	}
	if (cause == REST && tx->preempted > 0 && waited_ns(tx) == 0) {
		snprintf(words, sizeof(words), " (preempted %s time%s)", pace_print(PACE_UNIT_COUNT,
		    (double)tx->preempted, n, sizeof(n)), tx->preempted == 1 ? "" : "s");
		add(t, words);
	}
}

char *
pace_stall_say(const struct pace_tx *tx, char *buf, size_t size)
{
	struct stall_text t = { buf, size, 0 };
	struct stall_share v[CAUSES];
	char words[128], most[32], all[32];

	snprintf(words, sizeof(words), "the sender was frozen for up to %s, %s in all",
	    span(tx->stalls.max_ns, most), span(tx->stalls.total_ns, all));
	add(&t, words);
	if (tx->stalls.total_ns <= 0)
		return buf;
	divide(tx, v);
	for (int i = 0; i < CAUSES && v[i].of > 0; i++) {
		add(&t, i == 0 ? ": " : ", ");
		add_cause(&t, tx, v[i].cause);
		snprintf(words, sizeof(words), v[i].of < 0.01 ? " below 1 %%" : " %.0f %%",
		    100 * v[i].of);
		add(&t, words);
		if (v[i].cause == OTHERS)
			add_tasks(&t, tx);
	}
	return buf;
}
