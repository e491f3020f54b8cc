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

double
pace_energy_joules(const struct pace_energy *e)
{
	double sum = 0;

	for (int i = 0; i < e->domains; i++)
		if (e->v[i].counted)
			sum += e->v[i].joules;
	return sum;
}
