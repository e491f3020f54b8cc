#include "config.h"

#include "report/fig.h"

#include <stddef.h>

#include "report/pick.h"
#include "report/value.h"
#include "report/words.h"

const struct pace_fig *const pace_figs[] = {
	&pace_fig_streams, &pace_fig_delays,
	&pace_fig_spacing,
	&pace_fig_map,
	&pace_fig_network,
	&pace_fig_scaling,
	&pace_fig_size,
	&pace_fig_price,
	&pace_fig_cpu,
	&pace_fig_where,
	&pace_fig_counters,
	&pace_fig_latency, &pace_fig_rtt_hist, &pace_fig_spectrum, &pace_fig_gaps,
	&pace_fig_spread, &pace_fig_frames, &pace_fig_losses, &pace_fig_distance,
	&pace_fig_time, &pace_fig_clock,
	NULL
};

bool
pace_fig_wanted(const struct pace_fig *f, const struct pace_run *r)
{
	if (r->seen && !f->of_arrivals)
		return false;
	if (f->of_sweep && !pace_run_has_sweep(r))
		return false;
	return f->has != NULL ? pace_pick_any(r, f->has) : f->wanted(r);
}

void
pace_fig_make(const struct pace_fig *f, const struct pace_run *r, struct pace_figure *s)
{
	struct pace_sweep_view v;

	pace_figure_say(s, &s->title, "%s", f->title);
	pace_figure_say(s, &s->caption, "%s", f->caption);
	pace_words_subtitle(s, r, "");
	pace_words_footer(s, r, f->formula);
	s->rate = pace_value_rate_unit(r);
	if (f->make != NULL) {
		f->make(r, s);
	} else if (pace_sweep_view_make(&v, r, s)) {
		f->make_view(r, &v, s);
		pace_sweep_view_free(&v);
	}
	if (f->marked)
		pace_words_marks(s, r);
}
