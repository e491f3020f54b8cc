/*
 * parts.h - what several screens are made of; private to them.
 */
#ifndef PACE_UI_PARTS_H
#define PACE_UI_PARTS_H

#include "live/snap.h"
#include "ui/canvas.h"
#include "ui/chart.h"
#include "ui/hotkeys.h"

/* A screen that is being drawn. */
struct pace_scene {
	struct pace_canvas *g;
	const struct pace_snap *s;
	const struct pace_ui *ui;
	const struct pace_snap_session *v;	/* that is shown; NULL: none */
};

struct pace_box {
	int	row, col, rows, cols;
};

/* One unit for all figures of a session: "Gbit/s", and its size. */
struct pace_measure {
	const char	*name;
	double		one;
	int		decimals;
};

struct pace_measure	pace_measure_rate(const struct pace_scene *c);
struct pace_measure	pace_measure_frames(const struct pace_scene *c);
/* Of a figure that is a time, in ns: "µs" until that has no room. */
struct pace_measure	pace_measure_time(const struct pace_scene *c, enum pace_live_figure f);

/* Of fixed decimals, as many as fit; '-' when it is none. */
void	pace_part_number(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    double v, int decimals);
/* "6 912 004" */
/* The same in so many cells: "69.1M" where all of it has no room. */
const char	*pace_part_count_in(uint64_t n, int width, char buf[40]);

/* Words and a role for how it is now: "ok", "nothing comes!"; and the least of them. */
const char	*pace_part_mood(const struct pace_scene *c, enum pace_role *role, const char **brief);
/* "RUNNING", and how long. */
const char	*pace_part_state(const struct pace_scene *c);
void	pace_part_time(const struct pace_scene *c, char *buf, size_t size);
/* "cam-a > hostb" and the run. */
void	pace_part_who(const struct pace_scene *c, char *buf, size_t size);
void	pace_part_run(const struct pace_scene *c, char *buf, size_t size);

/* The table of figures, a row each and one of titles: as many as there is room for. */
void	pace_part_table(const struct pace_scene *c, const struct pace_box *b);
/* As many as there are: two more where the sender tells. */
int	pace_part_table_rows(const struct pace_scene *c);

/* Rate or delay over time, with its title in the first row. */
void	pace_part_rate(const struct pace_scene *c, const struct pace_box *b);
void	pace_part_delay(const struct pace_scene *c, const struct pace_box *b);
/* The loss of each column, in a row; legend: behind it, what the worst of them means. */
void	pace_part_strip(const struct pace_scene *c, int row, int col, int cols, bool legend);
/* The same of reordering. */
void	pace_part_order_strip(const struct pace_scene *c, int row, int col, int cols);
/* A text that is longer than width ends in an ellipsis; the cells it took. */
int	pace_part_cut(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    const char *text);
/* Is the host that receives this one?  Else words of it are of another. */
bool	pace_part_is_here(const struct pace_scene *c);
/* Where frames were lost, in a row, or in a box. */
void	pace_part_where(const struct pace_scene *c, int row, int col, int cols);
void	pace_part_ladder(const struct pace_scene *c, const struct pace_box *b);
/* What to look at, at most rows. */
struct pace_hints {
	const struct pace_scene *c;
	const struct pace_box *b;
	bool		unbroken;	/* cut at the edge, not broken there */
	int		row;
};
void	pace_part_hint(struct pace_hints *h, enum pace_role role, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
void	pace_part_hints(const struct pace_scene *c, const struct pace_box *b);
void	pace_part_sessions(const struct pace_scene *c, const struct pace_box *b, bool cursor);
/* skip: so many of the newest are left out. */
void	pace_part_events(const struct pace_scene *c, const struct pace_box *b, int skip);

/* The same of a capture: its flows, and what can be said of it. */
void	pace_flow_titles(const struct pace_scene *c, const struct pace_box *b);
void	pace_flow_row(const struct pace_scene *c, const struct pace_box *b, int row,
	    const struct pace_snap_session *v, bool chosen);
/* Where there is no room for all, those that lose frames come behind the sum. */
void	pace_flow_losers_first(const struct pace_snap *s, size_t *order);
void	pace_capture_where(const struct pace_scene *c, int row, int col, int cols);
void	pace_capture_hints(const struct pace_scene *c, const struct pace_box *b);
const char	*pace_capture_state(const struct pace_scene *c);
void	pace_capture_who(const struct pace_scene *c, char *buf, size_t size);
void	pace_capture_run(const struct pace_scene *c, char *buf, size_t size);

/* The screens of one page each, below the head. */
void	pace_page_overview(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_wide(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_capture(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_rate(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_hist(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_sweep(const struct pace_scene *c, const struct pace_box *b);
/* In the place of those that a campaign has nothing for. */
void	pace_page_campaign(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_host(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_streams(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_events(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_help(const struct pace_scene *c, const struct pace_box *b);

#endif
