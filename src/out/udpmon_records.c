#include "out/udpmon_records.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "out/columns.h"
#include "out/say.h"

struct arrival {
	uint64_t	seq, i;		/* number of the frame, index of its record */
};

struct dump {
	FILE		*f;
	const struct pace_record_run *run;
	struct pace_record_times zero;	/* times of the first row that has them */
	struct pace_record_times last;	/* times of the previous row */
	int64_t		last_ns;
	enum pace_stamp	last_stamp;
	bool		began, has_last;
	uint64_t	next;		/* number of the next row's frame */
};

bool
pace_udpmon_dumpable(const struct pace_record_run *run)
{
	return run->sent <= run->skip || run->sent - run->skip <= PACE_RECORD_LIMIT;
}

static int
by_number(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/* List the first arrivals of sent frames, by number. */
static size_t
sort_arrivals(const struct pace_record_run *run, struct arrival *v)
{
	struct pace_record rec;
	size_t n = 0, kept = 0;

	for (uint64_t i = 0; i < run->n; i++) {
		(void)pace_record_read(run->columns, run->n, i, &rec);
		if ((rec.flags & (PACE_RECORD_DUPLICATE | PACE_RECORD_BEYOND)) == 0 &&
		    rec.seq >= run->skip && rec.seq < run->sent)
			v[n++] = (struct arrival){ rec.seq, i };
	}
	qsort(v, n, sizeof(*v), by_number);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || v[kept - 1].seq != v[i].seq)
			v[kept++] = v[i];
	return kept;
}

static double
tenths(int64_t a, int64_t b)
{
	return round((double)(int64_t)((uint64_t)a - (uint64_t)b) / 100);
}

static void
lost_row(struct dump *d)
{
	fprintf(d->f, " %llu; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ;\n", (unsigned long long)d->next + 1);
	d->has_last = false;
	d->next++;
}

static void
put_times(const struct dump *d, const struct pace_record_times *t)
{
	double sent = tenths(t->departure_ns, d->zero.departure_ns), came;

	if (!t->has_arrival) {
		fprintf(d->f, " ; %.0f; ; ;", sent);
		return;
	}
	came = tenths(t->arrival_ns, t->has_owd ? d->zero.departure_ns : d->zero.arrival_ns);
	fprintf(d->f, " %.0f; %.0f; %.0f;", came, sent, came - sent);
	if (t->has_owd)
		fprintf(d->f, " %g;", (double)t->owd_ns / 1e3);
	else
		fputs(" ;", d->f);
}

/* Print in us; an empty cell if not known.  Times of a forged file may have any value. */
static void
put_difference(const struct dump *d, bool known, int64_t a, int64_t b)
{
	if (known)
		fprintf(d->f, " %g;", ((double)a - (double)b) / 1e3);
	else
		fputs(" ;", d->f);
}

static void
put_stamps(const struct dump *d, enum pace_stamp stamp, int64_t ns)
{
	bool step = d->has_last && d->last_stamp == stamp;

	for (int s = PACE_STAMP_KERNEL; s <= PACE_STAMP_NIC; s++)
		if ((int)stamp == s)
			fprintf(d->f, " %lld;", (long long)ns);
		else
			fputs(" ;", d->f);
	fputs(" ;", d->f);
	for (int s = PACE_STAMP_KERNEL; s <= PACE_STAMP_NIC; s++)
		put_difference(d, (int)stamp == s && step, ns, d->last_ns);
	fputs(" ;", d->f);
}

/* The first row is short; an empty line follows it. */
static void
row(struct dump *d, uint64_t i)
{
	struct pace_record_times t;
	struct pace_record rec;
	enum pace_stamp stamp;

	(void)pace_record_read(d->run->columns, d->run->n, i, &rec);
	pace_record_times(d->run, &rec, &t);
	stamp = (enum pace_stamp)(rec.flags & PACE_RECORD_STAMP);
	if (!d->began)
		d->zero = t;
	d->began = true;
	fprintf(d->f, " %llu;", (unsigned long long)rec.seq + 1);
	put_times(d, &t);
	fputs(" ;", d->f);
	if (d->next == d->run->skip) {
		fputc('\n', d->f);
	} else {
		put_difference(d, d->has_last && t.has_arrival && d->last.has_arrival,
		    t.arrival_ns, d->last.arrival_ns);
		put_difference(d, d->has_last, t.departure_ns, d->last.departure_ns);
		put_difference(d, d->has_last && t.has_owd && d->last.has_owd,
		    t.owd_ns, d->last.owd_ns);
		fputs(" ;", d->f);
		put_stamps(d, stamp, rec.rx_ns);
	}
	fputc('\n', d->f);
	d->last = t;
	d->last_stamp = stamp;
	d->last_ns = rec.rx_ns;
	d->has_last = true;
	d->next = rec.seq + 1;
}

static void
dump(struct dump *d, const struct arrival *v, size_t n)
{
	fputs("packet; recv_time 0.1us; send_time 0.1us; diff 0.1us; 1-way time us; ;"
	    "delta recv_time us; delta send_time us; delta 1-way time us; ;"
	    "HW system time ns; HW raw time ns; ;"
	    "delta HW system time us; delta HW raw time us;  \n", d->f);
	for (size_t i = 0; i < n; i++) {
		while (d->next < v[i].seq)
			lost_row(d);
		row(d, v[i].i);
	}
	/* if room ran out, the fate of later frames is not known */
	while (d->run->missed == 0 && d->next < d->run->sent)
		lost_row(d);
}

/* --- the log of losses ---------------------------------------------------------------- */

/* Find the arrival of this number; NULL: lost, or not recorded. */
static const struct arrival *
arrival_of(const struct arrival *v, size_t n, uint64_t seq)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (v[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && v[low].seq == seq ? &v[low] : NULL;
}

/* The first row's differences are relative to the start. */
static void
log_row(struct dump *d, uint64_t event, uint64_t seq, const struct pace_record_times *before)
{
	fprintf(d->f, " %llu;", (unsigned long long)event);
	if (before != NULL)
		put_times(d, before);
	else
		fputs(" ; ; ; ;", d->f);
	fprintf(d->f, " %llu; ;", (unsigned long long)seq);
	put_difference(d, before != NULL && before->has_arrival && d->last.has_arrival,
	    before != NULL ? before->arrival_ns : 0, d->last.arrival_ns);
	put_difference(d, before != NULL, before != NULL ? before->departure_ns : 0,
	    d->last.departure_ns);
	fprintf(d->f, " %llu\n", (unsigned long long)(seq - d->next));
	if (before != NULL)
		d->last = *before;
	d->next = seq;
}

/* Count the numbers from first to behind - 1, without those that arrived late. */
static uint64_t
log_hole(struct dump *d, const struct arrival *v, size_t n, uint64_t first, uint64_t behind,
    uint64_t event)
{
	const struct arrival *a = first > 0 ? arrival_of(v, n, first - 1) : NULL;
	struct pace_record_times before;
	struct pace_record rec;

	if (a != NULL) {
		(void)pace_record_read(d->run->columns, d->run->n, a->i, &rec);
		pace_record_times(d->run, &rec, &before);
	}
	for (uint64_t seq = first; seq < behind; seq++)
		if (arrival_of(v, n, seq) == NULL)
			log_row(d, ++event, seq, a != NULL ? &before : NULL);
	return event;
}

/* Process holes in order of arrival; a forged hole is limited to the frames sent. */
static void
log_losses(struct dump *d, const struct arrival *v, size_t n)
{
	const struct pace_record_run *run = d->run;
	uint64_t next = run->skip, event = 0;
	struct pace_record rec;

	fputs("lost event; recv_time 0.1us; send_time 0.1us; diff 0.1us; one_way time us; "
	    "lost packet num; ;delta recv_time us; delta send_time us; "
	    "num packets between losses;\n", d->f);
	if (n > 0) {
		(void)pace_record_read(run->columns, run->n, v[0].i, &rec);
		pace_record_times(run, &rec, &d->zero);
	}
	d->last = d->zero;
	if (d->zero.has_owd)
		d->last.arrival_ns = d->zero.departure_ns;
	d->next = 0;
	for (uint64_t i = 0; i < run->n; i++) {
		uint64_t missing;

		(void)pace_record_read(run->columns, run->n, i, &rec);
		if (rec.seq >= run->sent)
			continue;
		missing = pace_record_missing(&rec, &next);
		event = log_hole(d, v, n, rec.seq - missing, rec.seq, event);
	}
	if (run->missed == 0 && next < run->sent)
		log_hole(d, v, n, next, run->sent, event);
}

int
pace_udpmon_dump(FILE *f, const struct pace_record_run *run)
{
	const struct pace_say s = { f, true };
	struct dump d = { .f = f, .run = run, .next = run->skip };
	struct arrival *v = calloc(run->n > 0 ? (size_t)run->n : 1, sizeof(*v));
	size_t n;

	if (v == NULL)
		return -ENOMEM;
	fprintf(f, " %lu bytes\n num packets skipped =; %llu\n", (unsigned long)run->size_bytes,
	    (unsigned long long)run->skip);
	n = sort_arrivals(run, v);
	if (run->lost_only)
		log_losses(&d, v, n);
	else
		dump(&d, v, n);
	free(v);
	return pace_say_end(&s);
}
