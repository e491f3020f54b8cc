#include "doc/clock_doc.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "doc/js.h"

#define TIME_MAX	(INT64_C(1) << 60)
#define PPM_MAX		1000.0
#define PPM_DIGITS	1e9	/* a rate is told to 1e-9 ppm: what 12 digits hold */

/* --- the state of a wall clock --------------------------------------------------- */

static void
put_state(struct pace_jw *w, const struct pace_clock_state *s)
{
	pace_jw_bool(w, "synchronised", s->synchronised);
	pace_jw_put(w, "error_ns", json_integer(s->error_ns));
	pace_jw_put(w, "error_max_ns", json_integer(s->error_max_ns));
	pace_jw_real(w, "frequency_ppm", s->frequency_ppm);
}

json_t *
pace_clock_state_to_json(const struct pace_clock_state *s)
{
	struct pace_jw w;

	if (!s->known)
		return json_null();
	w = pace_jw_begin();
	put_state(&w, s);
	return w.o;
}

int
pace_clock_state_from_json(struct pace_clock_state *s, const json_t *o)
{
	struct pace_jr j = { .o = o };

	*s = (struct pace_clock_state){ .known = false };
	if (json_is_null(o))
		return 0;
	s->synchronised = pace_jr_bool(&j, "synchronised");
	s->error_ns = pace_jr_int(&j, "error_ns", 0, TIME_MAX);
	s->error_max_ns = pace_jr_int(&j, "error_max_ns", 0, TIME_MAX);
	s->frequency_ppm = pace_jr_real(&j, "frequency_ppm");
	s->known = true;
	return j.bad || fabs(s->frequency_ppm) > PPM_MAX ? -EPROTO : 0;
}

/* --- a host's clocks ---------------------------------------------------------------- */

static json_t *
host_to_json(const struct pace_clock_state *s, uint64_t steps, uint64_t slews)
{
	struct pace_jw w = pace_jw_begin();

	if (s->known)
		put_state(&w, s);
	pace_jw_count(&w, "steps", steps);
	pace_jw_count(&w, "slews", slews);
	return w.o;
}

static bool
read_host(const json_t *o, struct pace_clock_state *s, uint64_t *steps, uint64_t *slews)
{
	struct pace_jr j = { .o = o };

	*s = (struct pace_clock_state){ .known = false };
	*steps = pace_jr_count(&j, "steps");
	*slews = pace_jr_count(&j, "slews");
	if (!j.bad && pace_jr_has(&j, "synchronised"))
		return pace_clock_state_from_json(s, o) == 0;
	return !j.bad;
}

/* --- the lines ------------------------------------------------------------------------ */

/* The lines as the document has them, in whole ns: what follows from them is
 * computed from these, so that it comes out the same when read back. */
static struct pace_clock_estimate
told(const struct pace_clock_estimate *e)
{
	struct pace_clock_estimate t = *e;

	for (int i = 0; i < t.segments; i++) {
		struct pace_clock_line *l = &t.v[i].line;

		l->offset_ns = pace_clock_line_at(l, l->t_ns);
		l->frac_ns = 0;
		l->rate = round(l->rate * 1e6 * PPM_DIGITS) / PPM_DIGITS * 1e-6;
	}
	return t;
}

static json_t *
segments_to_json(const struct pace_clock_estimate *e)
{
	json_t *all = json_array();

	for (int i = 0; i < e->segments; i++) {
		const struct pace_clock_segment *s = &e->v[i];
		struct pace_jw w = pace_jw_begin();

		pace_jw_put(&w, "from_ns", json_integer(s->from_ns));
		pace_jw_put(&w, "to_ns", json_integer(s->to_ns));
		pace_jw_put(&w, "t_ns", json_integer(s->line.t_ns));
		pace_jw_put(&w, "offset_ns", json_integer(s->line.offset_ns));
		pace_jw_real(&w, "skew_ppm", s->line.rate * 1e6);
		pace_jw_real(&w, "bound_ns", s->bound_ns);
		if (json_array_append_new(all, w.o) == -1) {
			json_decref(all);
			return NULL;
		}
	}
	return all;
}

static bool
read_segment(struct pace_clock_segment *s, const json_t *o)
{
	struct pace_jr j = { .o = o };

	s->from_ns = pace_jr_int(&j, "from_ns", -TIME_MAX, TIME_MAX);
	s->to_ns = pace_jr_int(&j, "to_ns", -TIME_MAX, TIME_MAX);
	s->line.t_ns = pace_jr_int(&j, "t_ns", -TIME_MAX, TIME_MAX);
	s->line.offset_ns = pace_jr_int(&j, "offset_ns", INT64_MIN, INT64_MAX);
	s->line.rate = pace_jr_real(&j, "skew_ppm") * 1e-6;
	s->bound_ns = pace_jr_real(&j, "bound_ns");
	return !j.bad && s->to_ns >= s->from_ns && fabs(s->line.rate) <= PPM_MAX * 1e-6 &&
	    s->bound_ns >= 0;
}

static bool
read_segments(struct pace_clock_estimate *e, const json_t *all)
{
	const json_t *o;
	size_t i;

	if (!json_is_array(all) || json_array_size(all) > PACE_CLOCK_SEGMENTS)
		return false;
	json_array_foreach(all, i, o)
		if (!read_segment(&e->v[i], o) ||	/* neighbours may overlap by a round trip */
		    (i > 0 && (e->v[i].from_ns < e->v[i - 1].from_ns ||
		    e->v[i].to_ns < e->v[i - 1].to_ns)))
			return false;
	e->segments = (int)json_array_size(all);
	return true;
}

static void
put_estimate(struct pace_jw *w, const struct pace_clock *c)
{
	const struct pace_clock_estimate e = told(&c->fit);
	int64_t mid = pace_clock_mid(c);
	bool known = e.segments > 0;

	pace_jw_put(w, "offset_ns", known ? json_integer(pace_clock_at(&e, mid)) : json_null());
	pace_jw_put(w, "skew_ppm", known ?
	    pace_js_real(pace_clock_rate_at(&e, mid) * 1e6) : json_null());
	pace_jw_put(w, "uncertainty_ns", known ? pace_js_real(e.uncertainty_ns) : json_null());
	pace_jw_put(w, "bound_ns", known ? pace_js_real(e.bound_ns) : json_null());
	pace_jw_put(w, "linear", known ? json_boolean(e.segments == 1) : json_null());
	pace_jw_put(w, "wanders", known ? json_boolean(e.wanders) : json_null());
	pace_jw_put(w, "wall_offset_ns", known ? json_integer(c->wall_offset_ns) : json_null());
	pace_jw_put(w, "segments", segments_to_json(&e));
}

static void
put_rtts(struct pace_jw *w, const struct pace_clock *c)
{
	const struct { const char *key; int64_t ns; } rtt[] = {
		{ "min_rtt_ns", c->min_rtt_ns }, { "min_rtt_before_ns", c->before_ns },
		{ "min_rtt_during_ns", c->during_ns }, { "min_rtt_after_ns", c->after_ns },
	};

	for (size_t i = 0; i < sizeof(rtt) / sizeof(rtt[0]); i++)
		pace_jw_put(w, rtt[i].key, c->exchanges > 0 && rtt[i].ns != PACE_NO_TIME ?
		    json_integer(rtt[i].ns) : json_null());
}

json_t *
pace_clock_to_json(const struct pace_clock *c)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "method", PACE_CLOCK_METHOD);
	pace_jw_text(&w, "assumes", PACE_CLOCK_ASSUMES);
	pace_jw_count(&w, "exchanges", c->exchanges);
	pace_jw_count(&w, "timeouts", c->timeouts);
	pace_jw_stamp(&w, c->stamp);
	put_estimate(&w, c);
	pace_jw_put(&w, "from_ns", json_integer(c->from_ns));
	pace_jw_put(&w, "to_ns", json_integer(c->to_ns));
	put_rtts(&w, c);
	pace_jw_put(&w, "client", host_to_json(&c->ours, c->our_steps, c->our_slews));
	pace_jw_put(&w, "responder", host_to_json(&c->theirs, c->their_steps, c->their_slews));
	return w.o;
}

static int64_t
read_rtt(struct pace_jr *j, const char *key, uint64_t exchanges)
{
	if (json_is_null(pace_jr_get(j, key)))
		return PACE_NO_TIME;
	j->bad |= exchanges == 0;
	return pace_jr_int(j, key, -TIME_MAX, TIME_MAX);
}

/* offset_ns, skew_ppm, linear and whether there is one follow from the lines. */
static void
read_estimate(struct pace_clock *c, struct pace_jr *j)
{
	c->fit.uncertainty_ns = pace_jr_real(j, "uncertainty_ns");
	c->fit.bound_ns = pace_jr_real(j, "bound_ns");
	c->fit.wanders = pace_jr_bool(j, "wanders");
	c->wall_offset_ns = pace_jr_int(j, "wall_offset_ns", INT64_MIN, INT64_MAX);
	if (!(c->fit.uncertainty_ns >= 0 && c->fit.bound_ns >= 0))
		j->bad = true;
}

int
pace_clock_from_json(struct pace_clock *c, const json_t *o)
{
	struct pace_jr j = { .o = o };

	memset(c, 0, sizeof(*c));
	c->exchanges = pace_jr_count(&j, "exchanges");
	c->timeouts = pace_jr_count(&j, "timeouts");
	c->stamp = pace_jr_stamp(&j);
	c->from_ns = pace_jr_int(&j, "from_ns", -TIME_MAX, TIME_MAX);
	c->to_ns = pace_jr_int(&j, "to_ns", -TIME_MAX, TIME_MAX);
	c->min_rtt_ns = read_rtt(&j, "min_rtt_ns", c->exchanges);
	c->before_ns = read_rtt(&j, "min_rtt_before_ns", c->exchanges);
	c->during_ns = read_rtt(&j, "min_rtt_during_ns", c->exchanges);
	c->after_ns = read_rtt(&j, "min_rtt_after_ns", c->exchanges);
	if (!read_segments(&c->fit, pace_jr_get(&j, "segments")))
		return -EPROTO;
	if (c->fit.segments > 0)
		read_estimate(c, &j);
	if (!read_host(pace_jr_get(&j, "client"), &c->ours, &c->our_steps, &c->our_slews) ||
	    !read_host(pace_jr_get(&j, "responder"), &c->theirs, &c->their_steps,
	    &c->their_slews))
		return -EPROTO;
	return j.bad ? -EPROTO : 0;
}
