#include "out/conclusions_text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/units.h"
#include "doc/loss_attribution.h"
#include "out/table.h"
#include "out/text.h"

#define INDENT	"              "
#define WHERE_MAX	64

static const char *
percent(uint64_t n, uint64_t whole, char buf[64])
{
	pace_percent(whole > 0 ? (double)n / (double)whole : NAN, buf, 64);
	buf[strcspn(buf, " ")] = '\0';
	return buf;
}

static const char *
point_of(const struct pace_rated *r, char buf[PACE_POINT_NAME])
{
	return pace_point_name(&(struct pace_params){ .size_bytes = r->size_bytes,
	    .spacing = r->spacing, .streams = r->streams, .dscp = r->dscp,
	    .direction = r->direction }, buf);
}

/* ", in step sweep" for a campaign. */
static const char *
step_of(const char *where, char text[WHERE_MAX])
{
	snprintf(text, WHERE_MAX, where != NULL ? ", in step %.40s" : "%s",
	    where != NULL ? where : "");
	return text;
}

static void
say_clean(const struct pace_say *s, const struct pace_conclusions *c, enum pace_direction way)
{
	const struct pace_rated *r = &c->clean[way];
	char text[512], name[PACE_POINT_NAME], step[WHERE_MAX];

	if (r->user_bps > 0)
		snprintf(text, sizeof(text), "up to %s of data, %s on the wire: %s, %s frames%s%s",
		    PACE_AS_BPS(r->user_bps), PACE_AS_BPS(r->wire_bps), point_of(r, name),
		    PACE_AS_COUNT(r->received), step_of(r->where, step), c->lossy == 0 ?
		    "; no point lost frames, so the limit was not reached" : "");
	else
		snprintf(text, sizeof(text), "%s%s", c->answered == 0 ?
		    "not known: no point has the responder's counts" :
		    "at no point with a known rate",
		    c->answered > c->ways[way] && way == PACE_DOWN ? " from the responder" : "");
	pace_say_wrapped(s, "  no loss     ", text);
}

static void
say_failed(const struct pace_say *s, const struct pace_conclusions *c, enum pace_direction way)
{
	const struct pace_rated *r = &c->failed[way];
	char text[512], name[PACE_POINT_NAME], share[64], step[WHERE_MAX];

	if (r->sent_bps <= 0)
		return;
	snprintf(text, sizeof(text), "from %s of data on: %s %% of the frames of %s%s",
	    PACE_AS_BPS(r->sent_bps), percent(r->lost, r->lost + r->received, share),
	    point_of(r, name), step_of(r->where, step));
	pace_say_wrapped(s, "  loss        ", text);
}

/* Sort by count, largest first. */
static void
say_places(const struct pace_say *s, const struct pace_conclusions *c)
{
	bool printed[PACE_PLACES] = { false };

	for (int left = PACE_PLACES; left > 0; left--) {
		int most = -1;
		char first[96], range[96] = "exact";

		for (int i = 0; i < PACE_PLACES; i++)
			if (!printed[i] && c->place[i].high > 0 &&
			    (most < 0 || c->place[i].n > c->place[most].n))
				most = i;
		if (most < 0)
			return;
		printed[most] = true;
		if (c->place[most].low != c->place[most].high)
			snprintf(range, sizeof(range), "%s to %s",
			    PACE_AS_COUNT(c->place[most].low),
			    PACE_AS_COUNT(c->place[most].high));
		snprintf(first, sizeof(first), INDENT "%-16s%12s   ",
		    pace_loss_attribution_place((enum pace_place)most),
		    PACE_AS_COUNT(c->place[most].n));
		pace_say_wrapped(s, first, range);
	}
}

static void
say_lost(const struct pace_say *s, const struct pace_conclusions *c)
{
	char text[256], share[64], ways[96] = "";

	if (c->refused > 0) {
		snprintf(text, sizeof(text), "%s frames by %s: they were never sent",
		    PACE_AS_COUNT(c->refused), c->ways[PACE_DOWN] == 0 ? "this host" :
		    c->ways[PACE_UP] == 0 ? "the responder" : "the sending hosts");
		pace_say_wrapped(s, "  refused     ", text);
	}
	if (c->lost == 0)
		return;
	if (c->ways[PACE_UP] > 0 && c->ways[PACE_DOWN] > 0)
		snprintf(ways, sizeof(ways), ", %s up and %s down",
		    PACE_AS_COUNT(c->lost_way[PACE_UP]), PACE_AS_COUNT(c->lost_way[PACE_DOWN]));
	snprintf(text, sizeof(text), "%s of %s frames (%s %%)%s, at %zu of %zu points; where:",
	    PACE_AS_COUNT(c->lost), PACE_AS_COUNT(c->lost + c->received),
	    percent(c->lost, c->lost + c->received, share), ways, c->lossy, c->answered);
	pace_say_wrapped(s, "  lost        ", text);
	say_places(s, c);
}

static void
say_delays(const struct pace_say *s, const struct pace_conclusions *c)
{
	char text[512], high[96] = "";

	if (!isnan(c->rtt_ns))
		pace_say(s, "  RTT         %s at least, without the responder's residence time\n",
		    PACE_AS_USEC(c->rtt_ns));
	if (c->delays > 0) {
		if (c->owd_p50_high_ns > c->owd_p50_low_ns)
			snprintf(high, sizeof(high), " to %s", PACE_AS_USEC(c->owd_p50_high_ns));
		snprintf(text, sizeof(text), "%s at least, with the sender's system call, medians "
		    "%s%s; error \xc2\xb1 %s for symmetric minimum delays, \xc2\xb1 %s in any case",
		    PACE_AS_USEC(c->owd_min_ns), PACE_AS_USEC(c->owd_p50_low_ns), high,
		    PACE_AS_USEC(c->owd_error_ns), PACE_AS_USEC(c->owd_bound_ns));
		pace_say_wrapped(s, "  one way     ", text);
	} else if (c->received > 0) {
		pace_say(s, "  one way     relative only: the clock error is too large\n");
	}
}

/* Say how well the spacing was kept by what left the sending host. */
static void
say_departures(const struct pace_say *s, const struct pace_conclusions *c)
{
	const struct pace_params a = { .spacing = c->departed_spacing };
	char rest[96] = "";

	if (c->departed == 0)
		return;
	if (c->departed > 1)
		snprintf(rest, sizeof(rest), " at the worst of %zu points (every %s), %s %% at the best",
		    c->departed, PACE_AS_USEC(pace_params_spacing_ns(&a)),
		    PACE_AS_FIXED(100 * c->departed_high, 0));
	pace_say_sentence(s, "  departures  ", "an estimated %s %% of the gaps left the host within "
	    "0.2 \xc2\xb5s of the spacing%s", PACE_AS_FIXED(100 * c->departed_low, 0), rest);
}

/* The name in the document; "": not known. */
static const char *
limit_words(const struct pace_searched *f)
{
	static const struct { const char *limit, *words; } all[] = {
		{ "path", "the path" }, { "responder", "the responder's host" },
		{ "client", "this host" }, { "sender", "this host" },
		{ "highest", "the highest requested rate" },
		{ "policy", "the responder's policy" },
	};

	if (f->direction == PACE_DOWN && strcmp(f->limit, "sender") == 0)
		return "the responder's host";
	for (size_t i = 0; i < PACE_COUNT_OF(all); i++)
		if (strcmp(all[i].limit, f->limit) == 0)
			return all[i].words;
	return "not known";
}

static void
say_searches(const struct pace_say *s, const struct pace_conclusions *c)
{
	char step[WHERE_MAX];

	for (size_t i = 0; i < c->searches; i++) {
		const struct pace_searched *f = &c->search[i];
		bool more = strcmp(f->limit, "path") != 0 && strcmp(f->limit, "responder") != 0 &&
		    strcmp(f->limit, "client") != 0;
		const char *down = f->direction == PACE_DOWN ? " from the responder" : "";

		if (f->user_bps > 0)
			pace_say_sentence(s, "  capacity    ", "%s%s of data%s, %s on the wire, "
			    "frames of %u B%s; limit: %s", more ? "at least " : "",
			    PACE_AS_BPS(f->user_bps), down, PACE_AS_BPS(f->wire_bps), f->size_bytes,
			    step_of(f->where, step), limit_words(f));
		else
			pace_say_sentence(s, "  capacity    ", "not found%s%s; limit: %s", down,
			    step_of(f->where, step), limit_words(f));
	}
}

/* What TCP achieved at most, and why not more. */
static void
say_achieved(const struct pace_say *s, const struct pace_conclusions *c)
{
	static const char *const limits[PACE_TCP_LIMITS] = {
		[PACE_TCP_UNKNOWN] = "not known", [PACE_TCP_PACING] = "--rate",
		[PACE_TCP_RECEIVER_CPU] = "the receiver's processor",
		[PACE_TCP_RECEIVE_WINDOW] = "the receive window",
		[PACE_TCP_SEND_BUFFER] = "the send buffer",
		[PACE_TCP_SENDER_CPU] = "the sender's processor", [PACE_TCP_PATH] = "the path",
		[PACE_TCP_LOSS] = "loss", [PACE_TCP_REORDERING] = "reordering",
		[PACE_TCP_SHORT] = "its short time",
	};
	char step[WHERE_MAX];

	for (int way = 0; way < PACE_DIRECTIONS; way++) {
		const struct pace_achieved *a = &c->tcp[way];

		if (a->goodput_bps > 0)
			pace_say_sentence(s, "  TCP         ", "%s%s with %u connection%s%s; limit: %s",
			    PACE_AS_BPS(a->goodput_bps), way == PACE_DOWN ? " from the responder" : "",
			    a->streams, pace_plural(a->streams), step_of(a->where, step), limits[a->limit]);
	}
	if (c->tcp_points > 0 && !(c->tcp[PACE_UP].goodput_bps > 0) &&
	    !(c->tcp[PACE_DOWN].goodput_bps > 0))
		pace_say(s, "  TCP         not known: no run has the receiver's figures\n");
}

static void
say_tripped(const struct pace_say *s, const char *first, const struct pace_tripped *t)
{
	pace_say_sentence(s, first, "of %u B: %s at least, median %s, between applications",
	    t->size_bytes, PACE_AS_USEC(t->min_ns), PACE_AS_USEC(t->p50_ns));
}

static void
say_trips(const struct pace_say *s, const struct pace_conclusions *c)
{
	const struct pace_tripped *t = &c->smallest;
	char share[64];

	if (c->answered_trips > 0)
		say_tripped(s, "  round trip  ", &c->smallest);
	if (c->answered_trips > 0 && c->largest.size_bytes > c->smallest.size_bytes)
		say_tripped(s, INDENT, &c->largest);
	if (c->answered_trips > 0 && !isnan(t->there_ns))
		pace_say_sentence(s, "  one way     ", "of %u B: medians %s there, %s back; error "
		    "\xc2\xb1 %s for symmetric minimum delays, \xc2\xb1 %s in any case",
		    t->size_bytes, PACE_AS_USEC(t->there_ns), PACE_AS_USEC(t->back_ns),
		    PACE_AS_USEC(t->error_ns), PACE_AS_USEC(t->bound_ns));
	if (c->timeouts > 0)
		pace_say_sentence(s, "  timed out   ", "%s of %s requests (%s %%)",
		    PACE_AS_COUNT(c->timeouts), PACE_AS_COUNT(c->requests),
		    percent(c->timeouts, c->requests, share));
}

/* Lines after a common label, which only the first one has. */
struct doubts {
	const struct pace_say *s;
	const char	*first;
};

__attribute__((format(printf, 2, 3)))
static void
doubt(struct doubts *d, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	pace_say_wrapped(d->s, d->first, text);
	d->first = INDENT;
}

static void
say_doubts(const struct pace_say *s, const struct pace_conclusions *c)
{
	struct doubts d = { s, "  doubtful    " };
	size_t all = c->points + c->trips + c->tcp_points;

	if (c->unmeasured > 0)
		doubt(&d, "%zu step%s not measured: there is no document", c->unmeasured,
		    c->unmeasured == 1 ? " was" : "s were");
	if (c->unread > 0)
		doubt(&d, "the document%s of %zu step%s cannot be read", pace_plural(c->unread),
		    c->unread, pace_plural(c->unread));
	if (c->failed_points > 0)
		doubt(&d, "%zu point%s failed: there is no result", c->failed_points,
		    pace_plural(c->failed_points));
	if (c->skipped > 0)
		doubt(&d, "%zu point%s skipped: there is no result", c->skipped,
		    c->skipped == 1 ? " was" : "s were");
	if (c->points > c->answered)
		doubt(&d, "the responder's counts are missing at %zu of %zu points",
		    c->points - c->answered, c->points);
	if (c->trips > c->answered_trips)
		doubt(&d, "at %zu of %zu sizes no reply came", c->trips - c->answered_trips,
		    c->trips);
	if (c->interrupted > 0)
		doubt(&d, "%zu of %zu points %s interrupted: only a part was measured",
		    c->interrupted, all, c->interrupted == 1 ? "was" : "were");
	if (c->degraded > 0)
		doubt(&d, "%zu of %zu points %s degraded: the sender did not send as requested",
		    c->degraded, all, c->degraded == 1 ? "is" : "are");
	for (int i = 0; i < c->doubts; i++)
		doubt(&d, c->doubt[i].points > 1 ? "%zu point%s, the first: %s" : "%zu point%s: %s",
		    c->doubt[i].points, pace_plural(c->doubt[i].points), c->doubt[i].note.text);
}

int
pace_conclusions_text(FILE *f, const struct pace_conclusions *c, const char *title, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	bool rates = title != NULL && c->points > 0;

	if (c->points + c->trips + c->searches + c->tcp_points == 0 && isnan(c->rtt_ns))
		return pace_say_end(&s);
	if (title != NULL)
		pace_say(&s, "\n%s\n", title);
	for (int way = 0; way < PACE_DIRECTIONS && rates; way++)
		if (c->ways[way] > 0 || (way == PACE_UP && c->answered == 0)) {
			say_clean(&s, c, (enum pace_direction)way);
			say_failed(&s, c, (enum pace_direction)way);
		}
	say_searches(&s, c);
	if (rates) {
		say_lost(&s, c);
		say_departures(&s, c);
	}
	say_delays(&s, c);
	say_trips(&s, c);
	say_achieved(&s, c);
	say_doubts(&s, c);
	return pace_say_end(&s);
}
