/*
 * parts.h - the parts that several screens share; private to ui.
 */
#ifndef PACE_UI_PARTS_H
#define PACE_UI_PARTS_H

#include "live/snap.h"
#include "ui/canvas.h"
#include "ui/chart.h"
#include "ui/hotkeys.h"

/* The screen being drawn. */
struct pace_scene {
	struct pace_canvas *g;
	const struct pace_snap *s;
	const struct pace_ui *ui;
	const struct pace_snap_session *v;	/* the session shown; NULL: none */
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

/* Draw a number with fixed decimals, fewer if they do not fit; '-' for NAN. */
void	pace_part_number(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    double v, int decimals);
/* "6 912 004" */
/* Format a count in width cells: "69.1M" if the full number does not fit. */
const char	*pace_part_count_in(uint64_t n, int width, char buf[40]);

/* The present condition as words and a role: "ok", "nothing comes!"; brief: its shortest
 * form. */
const char	*pace_part_mood(const struct pace_scene *c, enum pace_role *role,
    const char **brief);
const char	*pace_part_way(const struct pace_scene *c);	/* "Received", or "Sent" */
/* "RUNNING", and its duration. */
const char	*pace_part_state(const struct pace_scene *c);
void	pace_part_time(const struct pace_scene *c, char *buf, size_t size);
/* "cam-a > hostb"; the run's parameters. */
void	pace_part_who(const struct pace_scene *c, char *buf, size_t size);
void	pace_part_run(const struct pace_scene *c, char *buf, size_t size);

/* Draw the table of figures: a row of titles, and as many figures as fit. */
void	pace_part_table(const struct pace_scene *c, const struct pace_box *b);
/* The rows of the full table: two more if the sender's figures are known. */
int	pace_part_table_rows(const struct pace_scene *c);

/* Draw rate or delay over time, with a title in the first row. */
void	pace_part_rate(const struct pace_scene *c, const struct pace_box *b);
void	pace_part_delay(const struct pace_scene *c, const struct pace_box *b);
/* Draw the loss of each column in a row; legend: followed by the meaning of the worst mark. */
void	pace_part_strip(const struct pace_scene *c, int row, int col, int cols, bool legend);
/* The same for reordering. */
void	pace_part_order_strip(const struct pace_scene *c, int row, int col, int cols);
/* Draw a text; a longer one than width ends in an ellipsis.  Returns the cells used. */
int	pace_part_cut(struct pace_canvas *g, int row, int col, int width, enum pace_role role,
	    const char *text);
/* Is this host the receiver?  If not, the words speak of another host. */
bool	pace_part_is_here(const struct pace_scene *c);
/* Draw the loss locations in a row; in a box. */
void	pace_part_where(const struct pace_scene *c, int row, int col, int cols);

/* Of the monitor's own requests to a STAMP reflector: losses by direction in a row; clock and IP
 * header in two rows. */
/* Does it show a run of TCP? */
bool	pace_part_is_tcp(const struct pace_scene *c);
bool	pace_part_is_stamp(const struct pace_scene *c);
void	pace_part_stamp_where(const struct pace_scene *c, int row, int col, int cols);
void	pace_part_stamp_state(const struct pace_scene *c, const struct pace_box *b);
void	pace_part_ladder(const struct pace_scene *c, const struct pace_box *b);
/* Hints for the user, in at most b->rows rows. */
struct pace_hints {
	const struct pace_scene *c;
	const struct pace_box *b;
	bool		unbroken;	/* cut at the edge instead of continued in the next row */
	int		row;
};
void	pace_part_hint(struct pace_hints *h, enum pace_role role, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
void	pace_part_hints(const struct pace_scene *c, const struct pace_box *b);
void	pace_part_sessions(const struct pace_scene *c, const struct pace_box *b, bool cursor);
/* Draw one line for each event, without the newest `skip` events. */
void	pace_part_events(const struct pace_scene *c, const struct pace_box *b, int skip);
/* Draw the newest events with a title; a long text continues in the next row. */
void	pace_part_news(const struct pace_scene *c, const struct pace_box *b);

/* Draw the flows and figures of a capture. */
void	pace_flow_titles(const struct pace_scene *c, const struct pace_box *b);
void	pace_flow_row(const struct pace_scene *c, const struct pace_box *b, int row,
	    const struct pace_snap_session *v, bool chosen);
/* Sort flows for a list without room for all: flows that lose frames follow the sum. */
void	pace_flow_losers_first(const struct pace_snap *s, size_t *order);
/* Draw the paths of a watcher. */
void	pace_path_titles(const struct pace_scene *c, const struct pace_box *b);
void	pace_path_row(const struct pace_scene *c, const struct pace_box *b, int row,
	    const struct pace_snap_session *v, bool chosen);
void	pace_capture_hints(const struct pace_scene *c, const struct pace_box *b);
const char	*pace_capture_state(const struct pace_scene *c);
void	pace_capture_who(const struct pace_scene *c, char *buf, size_t size);
void	pace_capture_run(const struct pace_scene *c, char *buf, size_t size);

/* Draw a page below the head. */
void	pace_page_capture(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_hist(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_sweep(const struct pace_scene *c, const struct pace_box *b);
/* The page that replaces those without content during a campaign. */
void	pace_page_campaign(const struct pace_scene *c, const struct pace_box *b);
void	pace_page_host(const struct pace_scene *c, const struct pace_box *b);

/* The sums over the newest minute of ticks, from which hints are derived. */
struct pace_recent_ticks {
	struct pace_tally n;
	uint64_t	nic, ip;	/* counts of the host in that time */
	int64_t		gap;		/* frames between NIC and IP, including other protocols */
	int64_t		span_ns;
};

struct pace_recent_ticks	pace_part_recent(const struct pace_snap_session *v);

#endif
