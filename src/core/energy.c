#include "core/energy.h"

#include <stdio.h>
#include <string.h>

void
pace_energy_since(struct pace_energy *now, const struct pace_energy *then)
{
	if (!now->known)
		return;
	if (!then->known || now->domains != then->domains) {
		now->known = false;
		snprintf(now->why, sizeof(now->why), "%s", then->known ?
		    "domains came or went during the run" : then->why);
		return;
	}
	for (int i = 0; i < now->domains; i++)
		now->v[i].joules -= then->v[i].joules;
}

bool
pace_energy_idle(const struct pace_energy *now, const struct pace_energy *then,
    int64_t span_ns, double *watts)
{
	struct pace_energy used = *now;

	pace_energy_since(&used, then);
	if (!used.known || span_ns < PACE_IDLE_LEAST_NS)
		return false;
	*watts = pace_energy_joules(&used) / ((double)span_ns / 1e9);
	return true;
}

double
pace_energy_joules(const struct pace_energy *e)
{
	double sum = 0;

	for (int i = 0; i < e->domains; i++)
		if (e->v[i].counted)
			sum += e->v[i].joules;
	return sum;
}
