/*
 * logaxis.h - a logarithmic axis that ends near its data, with ticks at 1, 2 and 5.
 *
 * Purpose    whole decades (axis.h) waste most of a panel on data within one.
 * Script     as axis.h: NAME_LOW, NAME_HIGH, NAME_TICKS, NAME_BARE.
 */
#ifndef PACE_REPORT_LOGAXIS_H
#define PACE_REPORT_LOGAXIS_H

#include "report/figure.h"

/* Over low .. high, both above 0 and finite, and a little room; axis "x" or "y", with room
 * for about so many labels. */
void	pace_logaxis_put(struct pace_figure *s, const char *name, const char *axis,
	    double low, double high, int labels);

#endif
