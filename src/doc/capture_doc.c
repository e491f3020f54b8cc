#include "doc/capture_doc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doc/hist_doc.h"
#include "doc/js.h"
#include "doc/point_doc.h"
#include "doc/receipt_doc.h"

#define TIME_MAX	INT64_MAX

void
pace_seen_reset(struct pace_seen *s)
{
	memset(s, 0, sizeof(*s));
	pace_receipt_reset(&s->rx);
}

struct pace_seen *
pace_seen_new(void)
{
	struct pace_seen *s = malloc(sizeof(*s));

	if (s != NULL)
		pace_seen_reset(s);
	return s;
}

/* --- a stream, out --------------------------------------------------------------------- */

static json_t *
flow_to_json(const struct pace_seen *s)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "source", s->source);
	pace_jw_count(&w, "source_port", s->source_port);
	pace_jw_text(&w, "destination", s->destination);
	pace_jw_count(&w, "destination_port", s->destination_port);
	pace_jw_count(&w, "ip", s->ip);
	pace_jw_count(&w, "dscp", s->dscp);
	pace_jw_count(&w, "dscp_changes", s->dscp_changes);
	if (s->vlan != 0)
		pace_jw_count(&w, "vlan", s->vlan);
	pace_jw_count(&w, "frames", s->frames);
	pace_jw_count(&w, "bytes", s->bytes);
	pace_jw_count(&w, "wire_bytes", s->wire_bytes);
	pace_jw_count(&w, "streams", s->streams);
	pace_jw_count(&w, "unnumbered", s->unnumbered);
	pace_jw_count(&w, "unfollowed", s->unfollowed);
	return w.o;
}

static json_t *
rx_to_json(const struct pace_seen *s)
{
	const struct pace_receipt *r = &s->rx;
	const double rate_bps[2] = { r->user_rate_bps, r->wire_rate_bps };
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "frames", r->frames);
	pace_jw_count(&w, "unique", r->unique);
	pace_jw_count(&w, "bytes", r->bytes);
	pace_jw_flow(&w, r->unique, r->duration_ns, rate_bps);
	pace_jw_put(&w, "gap_ns", pace_hist_to_json(&r->gap, "ns"));
	pace_jw_count(&w, "coalesced_stamps", r->coalesced_stamps);
	pace_jw_count(&w, "backwards", s->backwards);
	pace_jw_stamp(&w, r->stamp);
	return w.o;
}

static json_t *
numbers_to_json(const struct pace_seen *s)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_bool(&w, "from_start", s->from_start);
	pace_jw_bool(&w, "ended", s->ended);
	pace_jw_count(&w, "early", s->early);
	pace_jw_count(&w, "strays", s->strays);
	pace_jw_count(&w, "restarts", s->restarts);
	return w.o;
}

static json_t *
heaps_to_json(const struct pace_seen_heaps *h)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "complete", h->complete);
	pace_jw_count(&w, "incomplete", h->incomplete);
	pace_jw_count(&w, "lost", h->lost);
	pace_jw_count(&w, "unsized", h->unsized);
	pace_jw_real(&w, "loss_ratio", h->loss_ratio);
	pace_jw_count(&w, "duplicates", h->duplicates);
	pace_jw_count(&w, "late", h->late);
	pace_jw_count(&w, "absurd", h->absurd);
	pace_jw_count(&w, "bytes_missing", h->bytes_missing);
	pace_jw_real(&w, "frames_missing", h->frames_missing);
	pace_jw_real(&w, "frame_loss_ratio", h->frame_loss_ratio);
	return w.o;
}

static json_t *
between_to_json(const struct pace_seen_between *b)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_bool(&w, "backwards", b->backwards);
	pace_jw_count(&w, "sent", b->sent);
	pace_jw_count(&w, "received", b->received);
	pace_jw_count(&w, "twins", b->twins);
	pace_jw_count(&w, "foreign", b->foreign);
	pace_jw_count(&w, "head", b->head);
	pace_jw_count(&w, "tail", b->tail);
	pace_jw_count(&w, "foreign_head", b->foreign_head);
	pace_jw_count(&w, "foreign_tail", b->foreign_tail);
	pace_jw_count(&w, "duplicate_bytes", b->duplicate_bytes);
	pace_jw_count(&w, "foreign_bytes", b->foreign_bytes);
	pace_jw_put(&w, "bound_ns", b->has_clock ? pace_js_real(b->bound_ns) : json_null());
	pace_jw_put(&w, "uncertainty_ns", b->has_clock ? pace_js_real(b->uncertainty_ns) :
	    json_null());
	return w.o;
}

static void
put_numbers(struct pace_jw *w, const struct pace_seen *s)
{
	const struct pace_receipt *r = &s->rx;

	pace_jw_put(w, "numbers", numbers_to_json(s));
	pace_jw_put(w, "loss", pace_loss_to_json(r));
	pace_jw_count(w, "duplicates", r->duplicates);
	pace_jw_count(w, "replicated", r->replicated);
	pace_jw_put(w, "reordering", pace_reordering_to_json(r));
}

static void
put_delays(struct pace_jw *w, const struct pace_receipt *r)
{
	bool jitter = r->ipdv.stats.n > 0;

	pace_jw_put(w, "pdv_ns", pace_hist_to_json(&r->pdv, "ns"));
	pace_jw_put(w, "ipdv_ns", pace_hist_to_json(&r->ipdv, "ns"));
	pace_jw_put(w, "jitter_rfc3550_ns", jitter ? pace_js_real(r->jitter_ns) : json_null());
	pace_jw_put(w, "jitter_rfc3550_max_ns", jitter ? pace_js_real(r->jitter_max_ns) :
	    json_null());
	pace_jw_count(w, "absurd_times", r->absurd_times);
}

json_t *
pace_seen_to_json(const struct pace_seen *s)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_put(&w, "flow", flow_to_json(s));
	pace_jw_text(&w, "format", s->format);
	pace_jw_text(&w, "stream", s->stream);
	pace_jw_text(&w, "started", s->started);
	pace_jw_count(&w, "size_min_bytes", s->size_min);
	pace_jw_count(&w, "size_max_bytes", s->size_max);
	pace_jw_put(&w, "rx", rx_to_json(s));
	if (s->numbered)
		put_numbers(&w, s);
	if (s->has_delay)
		put_delays(&w, &s->rx);
	if (s->between.any) {
		pace_jw_put(&w, "between", between_to_json(&s->between));
		pace_jw_put(&w, "owd_ns", s->rx.has_owd ? pace_hist_to_json(&s->rx.owd, "ns") :
		    json_null());
	}
	if (s->heaps.any)
		pace_jw_put(&w, "heaps", heaps_to_json(&s->heaps));
	pace_jw_put(&w, "notes", pace_notes_to_json(&s->notes));
	return w.o;
}

/* --- a stream, in ------------------------------------------------------------------------ */

static bool
read_flow(struct pace_seen *s, const json_t *o)
{
	struct pace_jr j = { .o = o };

	pace_jr_text(&j, "source", s->source, sizeof(s->source));
	s->source_port = (uint16_t)pace_jr_int(&j, "source_port", 0, UINT16_MAX);
	pace_jr_text(&j, "destination", s->destination, sizeof(s->destination));
	s->destination_port = (uint16_t)pace_jr_int(&j, "destination_port", 0, UINT16_MAX);
	s->ip = (uint32_t)pace_jr_int(&j, "ip", 4, 6);
	s->dscp = (uint32_t)pace_jr_int(&j, "dscp", 0, 63);
	s->dscp_changes = pace_jr_count(&j, "dscp_changes");
	if (pace_jr_has(&j, "vlan"))
		s->vlan = (uint32_t)pace_jr_int(&j, "vlan", 1, 4095);
	s->frames = pace_jr_count(&j, "frames");
	s->bytes = pace_jr_count(&j, "bytes");
	s->wire_bytes = pace_jr_count(&j, "wire_bytes");
	s->streams = pace_jr_count(&j, "streams");
	s->unnumbered = pace_jr_count(&j, "unnumbered");
	s->unfollowed = pace_jr_count(&j, "unfollowed");
	return !j.bad && s->ip != 5;
}

static void
read_hist(struct pace_jr *j, const char *key, struct pace_hist *h)
{
	if (pace_hist_from_json(h, pace_jr_get(j, key), "ns") != 0)
		j->bad = true;
}

static bool
read_rx(struct pace_seen *s, const json_t *o)
{
	struct pace_receipt *r = &s->rx;
	struct pace_jr j = { .o = o };

	r->frames = pace_jr_count(&j, "frames");
	r->unique = pace_jr_count(&j, "unique");
	r->bytes = pace_jr_count(&j, "bytes");
	pace_jr_flow(&j, r->unique, &r->duration_ns, &r->user_rate_bps, &r->wire_rate_bps);
	read_hist(&j, "gap_ns", &r->gap);
	r->coalesced_stamps = pace_jr_count(&j, "coalesced_stamps");
	s->backwards = pace_jr_count(&j, "backwards");
	r->stamp = pace_jr_stamp(&j);
	return !j.bad;
}

static bool
read_numbers(struct pace_seen *s, struct pace_jr *j)
{
	struct pace_jr n = { .o = pace_jr_get(j, "numbers") };
	struct pace_receipt *r = &s->rx;

	s->from_start = pace_jr_bool(&n, "from_start");
	s->ended = pace_jr_bool(&n, "ended");
	s->early = pace_jr_count(&n, "early");
	s->strays = pace_jr_count(&n, "strays");
	s->restarts = pace_jr_count(&n, "restarts");
	r->duplicates = pace_jr_count(j, "duplicates");
	r->replicated = pace_jr_count(j, "replicated");
	return pace_loss_from_json(r, pace_jr_get(j, "loss")) &&
	    pace_reordering_from_json(r, pace_jr_get(j, "reordering")) && !n.bad;
}

static double
read_jitter(struct pace_jr *j, const char *key, bool known)
{
	if (known)
		return pace_jr_real(j, key);
	j->bad |= !json_is_null(pace_jr_get(j, key));
	return 0;
}

static void
read_delays(struct pace_receipt *r, struct pace_jr *j)
{
	bool jitter;

	read_hist(j, "pdv_ns", &r->pdv);
	read_hist(j, "ipdv_ns", &r->ipdv);
	jitter = r->ipdv.stats.n > 0;
	r->jitter_ns = read_jitter(j, "jitter_rfc3550_ns", jitter);
	r->jitter_max_ns = read_jitter(j, "jitter_rfc3550_max_ns", jitter);
	r->absurd_times = pace_jr_count(j, "absurd_times");
}

static bool
read_heaps(struct pace_seen_heaps *h, const json_t *o)
{
	struct pace_jr j = { .o = o };

	h->any = true;
	h->complete = pace_jr_count(&j, "complete");
	h->incomplete = pace_jr_count(&j, "incomplete");
	h->lost = pace_jr_count(&j, "lost");
	h->unsized = pace_jr_count(&j, "unsized");
	h->loss_ratio = pace_jr_real(&j, "loss_ratio");
	h->duplicates = pace_jr_count(&j, "duplicates");
	h->late = pace_jr_count(&j, "late");
	h->absurd = pace_jr_count(&j, "absurd");
	h->bytes_missing = pace_jr_count(&j, "bytes_missing");
	h->frames_missing = pace_jr_real(&j, "frames_missing");
	h->frame_loss_ratio = pace_jr_real(&j, "frame_loss_ratio");
	return !j.bad && h->loss_ratio >= 0 && h->loss_ratio <= 1 && h->frames_missing >= 0 &&
	    h->frame_loss_ratio >= 0 && h->frame_loss_ratio <= 1;
}

static bool
read_between(struct pace_seen *s, struct pace_jr *from)
{
	struct pace_seen_between *b = &s->between;
	struct pace_jr j = { .o = pace_jr_get(from, "between") };

	b->any = true;
	b->backwards = pace_jr_bool(&j, "backwards");
	b->sent = pace_jr_count(&j, "sent");
	b->received = pace_jr_count(&j, "received");
	b->twins = pace_jr_count(&j, "twins");
	b->foreign = pace_jr_count(&j, "foreign");
	b->head = pace_jr_count(&j, "head");
	b->tail = pace_jr_count(&j, "tail");
	b->foreign_head = pace_jr_count_or_0(&j, "foreign_head");
	b->foreign_tail = pace_jr_count_or_0(&j, "foreign_tail");
	b->duplicate_bytes = pace_jr_count_or_0(&j, "duplicate_bytes");
	b->foreign_bytes = pace_jr_count_or_0(&j, "foreign_bytes");
	b->has_clock = pace_jr_has(&j, "bound_ns");
	if (b->has_clock) {
		b->bound_ns = pace_jr_real(&j, "bound_ns");
		b->uncertainty_ns = pace_jr_real(&j, "uncertainty_ns");
	}
	s->rx.has_owd = pace_jr_has(from, "owd_ns");
	if (s->rx.has_owd)
		read_hist(from, "owd_ns", &s->rx.owd);
	return !j.bad && b->head + b->tail <= s->rx.lost &&
	    b->foreign_head + b->foreign_tail <= b->foreign &&
	    s->rx.unique + s->rx.lost + b->twins == b->sent &&
	    s->rx.frames + b->foreign == b->received;
}

int
pace_seen_from_json(struct pace_seen *s, const json_t *o)
{
	struct pace_jr j = { .o = o };

	pace_seen_reset(s);
	pace_jr_text(&j, "format", s->format, sizeof(s->format));
	pace_jr_text(&j, "stream", s->stream, sizeof(s->stream));
	pace_jr_text(&j, "started", s->started, sizeof(s->started));
	s->size_min = (uint32_t)pace_jr_int(&j, "size_min_bytes", 0, UINT32_MAX);
	s->size_max = (uint32_t)pace_jr_int(&j, "size_max_bytes", 0, UINT32_MAX);
	if (!read_flow(s, pace_jr_get(&j, "flow")) || !read_rx(s, pace_jr_get(&j, "rx")) ||
	    pace_notes_from_json(&s->notes, pace_jr_get(&j, "notes")) != 0)
		return -EPROTO;
	s->numbered = pace_jr_has(&j, "loss");
	if (s->numbered && !read_numbers(s, &j))
		return -EPROTO;
	s->has_delay = pace_jr_has(&j, "pdv_ns");
	if (s->has_delay)
		read_delays(&s->rx, &j);
	if (pace_jr_has(&j, "between") && !read_between(s, &j))
		return -EPROTO;
	if (pace_jr_has(&j, "heaps") && !read_heaps(&s->heaps, pace_jr_get(&j, "heaps")))
		return -EPROTO;
	return !j.bad && s->size_min <= s->size_max && pace_receipt_holds(&s->rx) ? 0 : -EPROTO;
}

/* --- the capture ----------------------------------------------------------------------------- */

static json_t *
frames_to_json(const struct pace_capture *c)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "all", c->frames);
	pace_jw_count(&w, "udp", c->udp);
	pace_jw_count(&w, "fragments", c->fragments);
	pace_jw_count(&w, "other", c->other);
	pace_jw_count(&w, "short", c->cut_short);
	pace_jw_count(&w, "bad", c->bad);
	pace_jw_count(&w, "cut", c->cut);
	pace_jw_count(&w, "large", c->large);
	pace_jw_count(&w, "unfollowed", c->unfollowed);
	return w.o;
}

static json_t *
drops_to_json(const struct pace_capture *c)
{
	struct pace_jw w;

	if (!c->has_drops)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "kernel", c->dropped);
	pace_jw_count(&w, "interface", c->interface_dropped);
	return w.o;
}

json_t *
pace_capture_to_json(const struct pace_capture *c)
{
	struct pace_jw w = pace_jw_begin();
	bool any = c->frames > 0;

	if (c->interface[0] != '\0')
		pace_jw_text(&w, "interface", c->interface);
	else
		pace_jw_text(&w, "file", c->file);
	if (c->other_file[0] != '\0')
		pace_jw_text(&w, "received_file", c->other_file);
	if (c->filter[0] != '\0')
		pace_jw_text(&w, "filter", c->filter);
	pace_jw_text(&w, "link_type", c->link);
	pace_jw_count(&w, "snap_bytes", c->snap_bytes);
	pace_jw_put(&w, "frames", frames_to_json(c));
	pace_jw_count(&w, "bytes", c->bytes);
	pace_jw_put(&w, "first_ns", any ? json_integer(c->first_ns) : json_null());
	pace_jw_put(&w, "last_ns", any ? json_integer(c->last_ns) : json_null());
	pace_jw_put(&w, "resolution_ns", any ? json_integer(c->resolution_ns) : json_null());
	pace_jw_count(&w, "flows", c->flows);
	pace_jw_count(&w, "streams", c->streams);
	pace_jw_put(&w, "dropped", drops_to_json(c));
	pace_jw_bool(&w, "whole", c->whole);
	if (c->damage[0] != '\0')
		pace_jw_text(&w, "damage", c->damage);
	return w.o;
}

static bool
read_frames(struct pace_capture *c, const json_t *o)
{
	struct pace_jr j = { .o = o };

	c->frames = pace_jr_count(&j, "all");
	c->udp = pace_jr_count(&j, "udp");
	c->fragments = pace_jr_count(&j, "fragments");
	c->other = pace_jr_count(&j, "other");
	c->cut_short = pace_jr_count(&j, "short");
	c->bad = pace_jr_count(&j, "bad");
	c->cut = pace_jr_count(&j, "cut");
	c->large = pace_jr_count(&j, "large");
	c->unfollowed = pace_jr_count(&j, "unfollowed");
	if (j.bad)
		return false;
	for (uint64_t left = c->frames, i = 0; i < 5; i++) {
		const uint64_t parts[] = { c->udp, c->fragments, c->other, c->cut_short, c->bad };

		if (parts[i] > left || (i == 4 && parts[i] != left))
			return false;
		left -= parts[i];
	}
	return c->cut <= c->frames && c->large <= c->udp && c->unfollowed <= c->udp;
}

static bool
read_drops(struct pace_capture *c, const json_t *o)
{
	struct pace_jr j = { .o = o };

	c->has_drops = true;
	c->dropped = pace_jr_count(&j, "kernel");
	c->interface_dropped = pace_jr_count(&j, "interface");
	return !j.bad;
}

int
pace_capture_from_json(struct pace_capture *c, const json_t *o)
{
	struct pace_jr j = { .o = o };

	memset(c, 0, sizeof(*c));
	pace_jr_text_or_empty(&j, "interface", c->interface, sizeof(c->interface));
	pace_jr_text_or_empty(&j, "file", c->file, sizeof(c->file));
	pace_jr_text_or_empty(&j, "received_file", c->other_file, sizeof(c->other_file));
	pace_jr_text_or_empty(&j, "filter", c->filter, sizeof(c->filter));
	pace_jr_text(&j, "link_type", c->link, sizeof(c->link));
	c->snap_bytes = pace_jr_count(&j, "snap_bytes");
	c->bytes = pace_jr_count(&j, "bytes");
	c->flows = pace_jr_count(&j, "flows");
	c->streams = pace_jr_count(&j, "streams");
	c->whole = pace_jr_bool(&j, "whole");
	pace_jr_text_or_empty(&j, "damage", c->damage, sizeof(c->damage));
	if (!read_frames(c, pace_jr_get(&j, "frames")))
		return -EPROTO;
	if (c->frames > 0) {
		c->first_ns = pace_jr_int(&j, "first_ns", -TIME_MAX, TIME_MAX);
		c->last_ns = pace_jr_int(&j, "last_ns", c->first_ns, TIME_MAX);
		c->resolution_ns = pace_jr_int(&j, "resolution_ns", 1, 1000000000);
	}
	if (pace_jr_has(&j, "dropped") && !read_drops(c, pace_jr_get(&j, "dropped")))
		return -EPROTO;
	return j.bad ? -EPROTO : 0;
}
