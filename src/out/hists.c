#include "out/hists.h"

#include <string.h>

#include "core/hist.h"
#include "doc/params.h"
#include "out/say.h"

#define STREAM(name, unit, differences, rx, has, member) \
	{ name, unit, differences, false, rx, has, offsetof(struct pace_point, member) }
#define TX(name, member)	STREAM(name, "ns", false, false, 0, member)
#define TX_ERROR(name, member)	STREAM(name, "ns", true, false, 0, member)
#define RX(name, unit, member)	STREAM(name, unit, false, true, 0, rx.member)
#define RX_ERROR(name, member)	STREAM(name, "ns", true, true, 0, rx.member)
#define WIRE_TX(name, differences, member) \
	STREAM(name, "ns", differences, false, offsetof(struct pace_point, has_wire), wire.member)
#define WIRE_RX(name, differences, member) \
	STREAM(name, "ns", differences, true, offsetof(struct pace_point, rx.has_wire), \
	    rx.wire.member)

static const struct pace_hist_name of_streams[] = {
	RX("gap", "ns", gap),
	RX_ERROR("gap_error", gap_error),
	TX("tx_gap", tx.gap),
	TX_ERROR("tx_gap_error", tx.gap_error),
	TX_ERROR("tx_stamped_gap_error", tx.stamped_gap_error),
	TX("tx_stack", tx.stack),
	RX("owd", "ns", owd),
	RX("owd_scheduled", "ns", owd_scheduled),
	RX("pdv", "ns", pdv),
	RX_ERROR("ipdv", ipdv),
	RX("runs", "frames", runs),
	RX("loss_distances", "frames", loss_distances),
	RX("loss_free_runs", "frames", loss_free_runs),
	RX("extent", "frames", extent),
	RX("late", "ns", late_ns),
	WIRE_TX("wire_tx_gap", false, gap),
	WIRE_TX("wire_tx_gap_difference", true, gap_difference),
	WIRE_RX("wire_rx_gap", false, gap),
	WIRE_RX("wire_rx_gap_difference", true, gap_difference),
	{ "linear", "ns", false, true, true, 0, offsetof(struct pace_point, rx.linear) },
};

#define TRIP(name, member) \
	{ name, "ns", false, false, false, 0, offsetof(struct pace_latency, member) }

static const struct pace_hist_name of_trips[] = {
	TRIP("rtt", rtt),
	TRIP("rtt_kernel", kernel),
	TRIP("rtt_network", network),
	TRIP("residence", residence),
	TRIP("owd_there", there),
	TRIP("owd_back", back),
	{ "linear", "ns", false, true, false, 0, offsetof(struct pace_latency, linear) },
};

#define COUNT_OF(a)	(sizeof(a) / sizeof((a)[0]))

const struct pace_hist_name *
pace_hist_ith(bool latency, size_t i)
{
	if (latency)
		return i < COUNT_OF(of_trips) ? &of_trips[i] : NULL;
	return i < COUNT_OF(of_streams) ? &of_streams[i] : NULL;
}

const struct pace_hist_name *
pace_hist_find(bool latency, const char *name)
{
	const struct pace_hist_name *h;

	for (size_t i = 0; (h = pace_hist_ith(latency, i)) != NULL; i++)
		if (strcmp(h->name, name) == 0)
			return h;
	return NULL;
}

const char *
pace_hist_default(bool latency)
{
	return pace_hist_ith(latency, 0)->name;
}

static const void *
member_of(const struct pace_hist_name *h, const struct pace_any_point *p)
{
	return p->p != NULL ? (const char *)p->p + h->at : (const char *)p->l + h->at;
}

const struct pace_hist *
pace_hist_of(const struct pace_hist_name *h, const struct pace_any_point *p)
{
	const struct pace_point *s = p->p;

	if (s != NULL && h->rx && !s->has_rx)
		return NULL;
	if (s != NULL && h->has > 0 && !*(const bool *)((const char *)s + h->has))
		return NULL;
	/* delays need known clocks */
	if (s != NULL && strncmp(h->name, "owd", 3) == 0 && (!s->rx.has_owd || s->owd_relative))
		return NULL;
	return member_of(h, p);
}

static const struct pace_linear_hist *
linear_hist_of(const struct pace_hist_name *h, const struct pace_any_point *p)
{
	const struct pace_linear_hist *linear = member_of(h, p);

	return linear->bins > 0 ? linear : NULL;
}

bool
pace_hist_known(const struct pace_hist_name *h, const struct pace_any_point *p)
{
	return h->linear ? linear_hist_of(h, p) != NULL : pace_hist_of(h, p) != NULL;
}

uint32_t
pace_any_size(const struct pace_any_point *p)
{
	return p->p != NULL ? p->p->ask.size_bytes : p->l->ask.size_bytes;
}

char *
pace_any_spacing(const struct pace_any_point *p, char *buf, size_t size)
{
	if (p->p != NULL)
		return pace_fixed(pace_params_spacing_ns(&p->p->ask),
		    (p->p->ask.spacing & UINT32_MAX) == 0 ? 0 : 6, buf, size);
	if (p->l->ask.interval_ns > 0)
		return pace_fixed((double)p->l->ask.interval_ns, 0, buf, size);
	buf[0] = '\0';
	return buf;
}

char *
pace_any_which(const struct pace_any_point *p, const char *before, char *buf, size_t size)
{
	const struct pace_params *a = p->p != NULL ? &p->p->ask : NULL;
	const uint32_t n = a != NULL ? pace_params_streams(a) : 1;
	const char *blank = before[0] == '-' ? "" : " ";
	size_t len;

	snprintf(buf, size, "%s%s", a != NULL && a->direction == PACE_DOWN ? before : "",
	    a != NULL && a->direction == PACE_DOWN ? "down" : "");
	len = strlen(buf);
	if (p->p != NULL && p->p->number > 0)
		snprintf(buf + len, size - len, "%sstream%s%lu", before, blank,
		    (unsigned long)p->p->number - 1);
	else if (n > 1)
		snprintf(buf + len, size - len, "%s%lu%sstreams", before, (unsigned long)n, blank);
	return buf;
}

/* --- rows --------------------------------------------------------------------------- */

static const char separators[] = { ',', '\t', ' ' };	/* indexed by pace_columns_format */

static int
end(FILE *f)
{
	const struct pace_say s = { f, true };

	return pace_say_end(&s);
}

int
pace_hist_rows_head(FILE *f, enum pace_columns_format format, bool latency,
    const struct pace_hist_name *h, bool per_stream)
{
	const char c = separators[format];

	fprintf(f, "%spoint", format == PACE_COLUMNS_GNUPLOT ? "# " : "");
	if (per_stream)
		fprintf(f, "%cstream", c);
	fprintf(f, "%csize_bytes%c%s_ns%clow_%s%chigh_%s%ccount\n",
	    c, c, latency ? "interval" : "spacing", c, h->unit, c, h->unit, c);
	return end(f);
}

struct hists_row {
	FILE	*f;
	char	c;
	const char *nothing;
	uint32_t point, size;
	const char *spacing;
	bool	per_stream;
	uint32_t number;		/* of the stream, from 1; 0: of all */
};

static void
put_edge(const struct hists_row *r, bool known, int64_t v)
{
	if (known)
		fprintf(r->f, "%lld%c", (long long)v, r->c);
	else
		fprintf(r->f, "%s%c", r->nothing, r->c);
}

static void
put_row(const struct hists_row *r, const struct pace_bin *bin, bool has_low, bool has_high)
{
	fprintf(r->f, "%lu%c", (unsigned long)r->point, r->c);
	if (r->per_stream && r->number > 0)
		fprintf(r->f, "%lu%c", (unsigned long)r->number - 1, r->c);
	else if (r->per_stream)
		fprintf(r->f, "%s%c", r->nothing, r->c);
	fprintf(r->f, "%lu%c%s%c", (unsigned long)r->size, r->c, r->spacing[0] != '\0' ? r->spacing : r->nothing, r->c);
	put_edge(r, has_low, bin->low);
	put_edge(r, has_high, bin->high);
	fprintf(r->f, "%llu\n", (unsigned long long)bin->count);
}

static void
put_lens(const struct hists_row *r, const struct pace_linear_hist *l)
{
	int64_t top = l->low + (int64_t)l->bins * l->width;

	put_row(r, &(struct pace_bin){ 0, l->low, l->underflow }, false, true);
	for (uint32_t i = 0; i < l->bins; i++) {
		int64_t low = l->low + (int64_t)i * l->width;

		put_row(r, &(struct pace_bin){ low, low + l->width, l->count[i] }, true, true);
	}
	put_row(r, &(struct pace_bin){ top, 0, l->overflow }, true, false);
}

int
pace_hist_rows(FILE *f, enum pace_columns_format format, const struct pace_hist_name *h,
    const struct pace_any_point *p, bool first)
{
	struct pace_bin bin;
	char spacing[32], which[48];
	int iter = 0;
	const struct hists_row r = { f, separators[format],
	    format == PACE_COLUMNS_GNUPLOT ? "nan" : "", p->index, pace_any_size(p),
	    pace_any_spacing(p, spacing, sizeof(spacing)), p->per_stream,
	    p->p != NULL ? p->p->number : 0 };

	if (format == PACE_COLUMNS_GNUPLOT)
		fprintf(f, "%s# point %lu: %s of %lu bytes%s%s%s%s\n", first ? "" : "\n\n",
		    (unsigned long)p->index, h->name, (unsigned long)r.size,
		    spacing[0] != '\0' ? " every " : "", spacing,
		    spacing[0] != '\0' ? " ns" : "",
		    pace_any_which(p, ", ", which, sizeof(which)));
	if (h->linear)
		put_lens(&r, linear_hist_of(h, p));
	while (!h->linear && pace_hist_next(pace_hist_of(h, p), &iter, &bin))
		put_row(&r, &bin, true, true);
	return end(f);
}
