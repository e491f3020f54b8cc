/* What both hosts spent on a point: block.h. */
#include <math.h>

#include "core/units.h"
#include "out/block.h"

#define FIGURE		12
#define TEXT_MAX	64

/* Cores that were at work with something, on average while it was counted. */
static void
cores_cell(const struct pace_block *b, const struct pace_counters *c, const enum pace_cpu *kinds,
    int n)
{
	double ns = 0, span = (double)c->at_ns;

	for (int i = 0; i < n; i++)
		ns += (double)c->all.ns[kinds[i]];
	pace_say_fixed(&b->s, FIGURE, c->known && c->has_cpu && span > 0 ? ns / span : NAN, 2);
}

static void
count_cell(const struct pace_block *b, bool known, uint64_t n)
{
	if (known)
		pace_say_count(&b->s, FIGURE, n);
	else
		pace_say_cell(&b->s, FIGURE, "-");
}

static void
say_host(const struct pace_block *b, const char *name, const struct pace_counters *c)
{
	static const enum pace_cpu user[] = { PACE_CPU_USER, PACE_CPU_NICE };
	static const enum pace_cpu system[] = { PACE_CPU_SYSTEM, PACE_CPU_IRQ };
	static const enum pace_cpu softirq[] = { PACE_CPU_SOFTIRQ };

	pace_block_label(b, name);
	cores_cell(b, c, user, 2);
	cores_cell(b, c, system, 2);
	cores_cell(b, c, softirq, 1);
	count_cell(b, c->known && c->has_core[PACE_CORE_INTERRUPTS], c->all.n[PACE_CORE_INTERRUPTS]);
	count_cell(b, c->known, c->thread.voluntary + c->thread.involuntary);
	pace_say(&b->s, "\n");
}

void
pace_block_hosts(const struct pace_block *b)
{
	const struct pace_point *p = b->p;

	if (!p->ours.known && !p->theirs.known)
		return;
	pace_say(&b->s, "\n  %-*s%*s%*s%*s%*s%*s\n", PACE_BLOCK_LABEL - 2, "cores at work",
	    FIGURE, "user", FIGURE, "system", FIGURE, "softirq", FIGURE, "interrupts", FIGURE,
	    "switches");
	say_host(b, "here", &p->ours);
	say_host(b, "there", &p->theirs);
}

/* --- energy ---------------------------------------------------------------------- */

static void
say_energy(const struct pace_block *b, const char *name, const struct pace_counters *c,
    uint64_t bytes)
{
	double joules = pace_energy_joules(&c->energy), s = (double)c->at_ns / 1e9;
	double above = joules - c->energy.idle_watts * s;

	if (!c->energy.known)
		return;
	pace_block_label(b, name);
	pace_say_fixed(&b->s, FIGURE, joules, 2);
	pace_say(&b->s, " J");
	pace_say_fixed(&b->s, FIGURE, s > 0 ? joules / s : NAN, 2);
	pace_say(&b->s, " W");
	if (c->energy.has_idle && bytes > 0)
		pace_say(&b->s, "   idle %.2f W, %.3g nJ/bit", c->energy.idle_watts,
		    above * 1e9 / (8 * (double)bytes));
	pace_say(&b->s, "\n");
}

void
pace_block_energy(const struct pace_block *b)
{
	const struct pace_point *p = b->p;

	if (!p->ours.energy.known && !p->theirs.energy.known)
		return;
	pace_say(&b->s, "\n");
	say_energy(b, "energy here", &p->ours, p->tx.bytes);
	say_energy(b, "energy there", &p->theirs, p->rx.bytes);
}
