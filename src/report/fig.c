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
	&pace_fig_transports, &pace_fig_latency, &pace_fig_rtt_hist, &pace_fig_spectrum, &pace_fig_gaps,
	&pace_fig_spread, &pace_fig_frames, &pace_fig_losses, &pace_fig_distance,
	&pace_fig_time, &pace_fig_tcp, &pace_fig_clock,
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

void
pace_fig_make_mesh(const struct pace_fig *f, const struct pace_mesh *m, struct pace_figure *s)
{
	pace_figure_say(s, &s->title, "%s", pace_mesh_title[f->measure]);
	pace_figure_say(s, &s->caption, "%s A ring marks a pair that is worse than its hosts "
	    "explain, a bar beside the names a host that differs.", f->caption);
	pace_figure_say(s, &s->subtitle, "%zu hosts · %zu pairs · rows send, columns receive", m->n,
	    pace_mesh_count(m, PACE_MESH_MEASURED));
	pace_figure_say(s, &s->footer, "udpace %s · runs %s to %s · %s", PACKAGE_VERSION, m->first,
	    m->last, m->folder);
	f->make_mesh(m, f->measure, s);
}

void
pace_fig_make_group(const struct pace_fig *f, const struct pace_group *g, struct pace_figure *s)
{
	const struct pace_run *first = g->member[0].run;

	pace_figure_say(s, &s->title, "%s", f->title);
	pace_figure_say(s, &s->caption, "%s", f->caption);
	pace_figure_say(s, &s->subtitle, "group %s · %zu senders to %s · %u B", g->name, g->n,
	    first->head.r.target, g->member[0].point->ask.size_bytes);
	pace_figure_say(s, &s->footer, "udpace %s · run %.16sZ · %s and %zu more", PACKAGE_VERSION,
	    first->head.r.started, first->name, g->n - 1);
	f->make_group(g, s);
}
