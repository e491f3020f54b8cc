/* Print the resources that both hosts used for a point: block.h. */
#include <math.h>

#include "out/block.h"
#include "out/table.h"

#define FIGURE		12

enum { CORES, TIMES };
static const struct pace_scale units[] = {
	[CORES] = { "", 1, 2 }, [TIMES] = { "", 1, PACE_IN_GROUPS },
};
static const struct pace_column columns[] = {
	{ "user", FIGURE, CORES }, { "system", FIGURE, CORES }, { "softirq", FIGURE, CORES },
	{ "interrupts", FIGURE, TIMES }, { "switches", FIGURE, TIMES },
};
static const struct pace_row_table table = { columns, PACE_COUNT_OF(columns), units, 0 };

/* Average number of cores in these states while the host counted. */
static double
cores_at(const struct pace_counters *c, enum pace_cpu one, enum pace_cpu other)
{
	double ns = (double)c->all.ns[one] + (one == other ? 0 : (double)c->all.ns[other]);

	return c->known && c->has_cpu && c->at_ns > 0 ? ns / (double)c->at_ns : NAN;
}

static void
say_host(const struct pace_block *b, const char *name, const struct pace_counters *c)
{
	pace_say_label(&b->s, name);
	pace_say_cells(&b->s, &table, (const double []){
	    cores_at(c, PACE_CPU_USER, PACE_CPU_NICE), cores_at(c, PACE_CPU_SYSTEM, PACE_CPU_IRQ),
	    cores_at(c, PACE_CPU_SOFTIRQ, PACE_CPU_SOFTIRQ),
	    c->known && c->has_core[PACE_CORE_INTERRUPTS] ?
	    (double)c->all.n[PACE_CORE_INTERRUPTS] : NAN,
	    c->known ? (double)(c->thread.voluntary + c->thread.involuntary) : NAN });
	pace_say(&b->s, "\n");
}

void
pace_block_hosts(const struct pace_block *b)
{
	const struct pace_point *p = b->p;

	if (!p->ours.known && !p->theirs.known)
		return;
	pace_say(&b->s, "\n");
	pace_say_label(&b->s, "cores at work");
	for (size_t i = 0; i < PACE_COUNT_OF(columns); i++)
		pace_say_cell(&b->s, FIGURE, columns[i].title);
	pace_say(&b->s, "\n");
	say_host(b, "client", &p->ours);
	if (!p->ask.no_receiver)
		say_host(b, "responder", &p->theirs);
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
	pace_say_label(&b->s, name);
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
	say_energy(b, "client energy", &p->ours, p->tx.bytes);
	say_energy(b, "responder energy", &p->theirs, p->rx.bytes);
}
