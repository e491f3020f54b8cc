#include "out/udpmon_hist.h"

/* Division rounded towards minus infinity. */
static int64_t
floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Count a bin, and add its values to *sum; false: the bin lies across an edge. */
static bool
add_bin(struct pace_udpmon_hist *to, const struct pace_bin *bin, int64_t unit, double *sum)
{
	int64_t cell = floor_div(bin->low - to->low * unit, to->width * unit);
	int64_t last = floor_div(bin->high - 1 - to->low * unit, to->width * unit);

	if (cell < 0 && last < 0) {
		to->underflow += bin->count;
		return true;
	}
	if (cell >= to->bins) {
		to->overflow += bin->count;
		return true;
	}
	if (cell != last)
		return false;
	to->count[cell] += bin->count;
	to->n += bin->count;
	*sum += (double)bin->count * (double)(bin->low + bin->high - 1) / 2 / (double)unit;
	return true;
}

bool
pace_udpmon_from_hist(struct pace_udpmon_hist *to, const struct pace_hist *h, int64_t shift,
    int64_t unit)
{
	struct pace_bin bin;
	double sum = 0;
	int iter = 0;

	to->n = to->underflow = to->overflow = 0;
	for (uint32_t i = 0; i < to->bins; i++)
		to->count[i] = 0;
	while (pace_hist_next(h, &iter, &bin)) {
		bin.low += shift;
		bin.high += shift;
		if (!add_bin(to, &bin, unit, &sum))
			return false;
	}
	to->mean = to->n > 0 ? sum / (double)to->n : 0;
	return true;
}

bool
pace_udpmon_from_linear_hist(struct pace_udpmon_hist *to, const struct pace_linear_hist *l,
    int64_t unit)
{
	double sum = 0;

	if (l->bins == 0 || l->low % unit != 0 || l->width % unit != 0)
		return false;
	to->low = l->low / unit;
	to->width = l->width / unit;
	to->bins = l->bins;
	to->underflow = l->underflow;
	to->overflow = l->overflow;
	to->n = 0;
	for (uint32_t i = 0; i < l->bins; i++) {
		to->count[i] = l->count[i];
		to->n += l->count[i];
		sum += (double)l->count[i] * ((double)to->low +
		    ((double)i + 0.5) * (double)to->width);
	}
	to->mean = to->n > 0 ? sum / (double)to->n : 0;
	return true;
}

/* The mean of an empty histogram is 0, as in UDPmon. */
void
pace_udpmon_put_hist(FILE *f, int id, const char *title, const struct pace_udpmon_hist *h)
{
	fprintf(f, "Hist %8d %s\n counts %llu mean %.2f underflows %llu overflows %llu\n", id,
	    title, (unsigned long long)h->n, h->mean, (unsigned long long)h->underflow,
	    (unsigned long long)h->overflow);
	for (uint32_t i = 0; i < h->bins; i++)
		fprintf(f, "%lld ; %llu\n", (long long)(h->low + (int64_t)i * h->width),
		    (unsigned long long)h->count[i]);
}
