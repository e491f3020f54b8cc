#include "out/dispersion_text.h"

#include "out/say.h"
#include "out/scale.h"

#define PM	" \xc2\xb1 "
#define DECIMALS	3	/* the errors of a quiet path are small */

static void
say_rate(const struct pace_say *s, const char *what, double bps, double error_bps)
{
	struct pace_scale rate = pace_scale_rate(bps, bps);

	pace_say(s, "  %-10s", what);
	pace_say_fixed(s, 10, bps / rate.one, DECIMALS);
	pace_say(s, PM);
	pace_say_fixed(s, 0, error_bps / rate.one, DECIMALS);
	pace_say(s, "  %s on the wire\n", rate.unit);
}

/* Why there is no line, or what is not in it. */
static void
say_rest(const struct pace_say *s, const struct pace_dispersion_size *d)
{
	if (d->n >= PACE_DISPERSION_POINTS && !d->fit.known)
		pace_say_wrapped(s, "  ", "sent over received does not grow with the rate: this is no "
		    "queue, and no capacity follows");
	if (d->by_responder > 0)
		pace_say(s, "  %zu point%s left out: the responder's host lost frames, not the path\n",
		    d->by_responder, d->by_responder == 1 ? "" : "s");
	if (d->by_sender > 0)
		pace_say(s, "  %zu point%s left out: the sender did not keep the spacing, or lost "
		    "frames\n", d->by_sender, d->by_sender == 1 ? "" : "s");
}

static void
say_size(const struct pace_say *s, const struct pace_dispersion_size *d)
{
	pace_say(s, "\ndispersion of %u B: %zu of %zu points were held up on the path\n",
	    d->size_bytes, d->n, d->measured);
	if (d->fit.known) {
		say_rate(s, "capacity", d->fit.capacity_bps, d->fit.capacity_stderr_bps);
		say_rate(s, "available", d->fit.available_bps, d->fit.available_stderr_bps);
	}
	say_rest(s, d);
}

int
pace_dispersions_text(FILE *f, const struct pace_dispersions *d, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	for (size_t i = 0; i < d->n && !d->failed; i++)
		if (pace_dispersion_tells(&d->v[i]))
			say_size(&s, &d->v[i]);
	return pace_say_end(&s);
}
