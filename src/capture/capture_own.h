/*
 * capture_own.h - what one call of udpace capture holds; for capture.c, capture_one.c and
 * capture_two.c.
 */
#ifndef PACE_CAPTURE_CAPTURE_OWN_H
#define PACE_CAPTURE_CAPTURE_OWN_H

#include <stdatomic.h>

#include "cap/flow.h"
#include "capture/capture_fill.h"
#include "doc/capture_doc.h"
#include "out/capture_text.h"
#include "plat/pcap.h"
#include "run/peer.h"
#include "run/sink.h"
#include "ui/capture_monitor.h"

struct capture_cfg {
	struct pace_given given;
	const char	*interface, *user, *sequence;
	int64_t		snap, buffer, duration, count, format;
	bool		between, promiscuous, private, quiet;
	bool		monitor, plain;
	const char	*lines;		/* of the monitor, NULL: no file */
	int64_t		interval_ns;
	struct pace_sink_cfg sink;
};

struct capture {
	const struct capture_cfg *cfg;
	struct pace_pcap *pcap;
	struct pace_cap_table *table;
	struct pace_cap_rule rule;
	enum pace_cap_link link;
	struct pace_capture c;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_seen *seen;
	struct pace_capture_rows rows;
	char		filter[512];
	int64_t		began_ns, shown_ns;
	int64_t		until_ns;	/* wall clock: what comes later is not wanted; 0: all is */
	bool		full;		/* count or duration is reached */
	bool		failed, unusable;
	struct pace_capture_monitor *monitor;	/* NULL: none */
	atomic_bool	left;		/* the one at its screen did */
	bool		unrecorded;	/* lines of it are missing in their file */
	bool		cut;		/* before what was asked for was reached */
	struct pace_err	err;		/* why it failed; code 0: it did not */
	int		finished;	/* what pace_cap_table_finish said */
};

extern const struct pace_sink_kind pace_capture_kind;	/* how streams are written */

/* A source that cannot be read, and what helps. */
void	pace_capture_tell(const struct pace_err *err);

/* What payloads are taken for.  False: the rule makes no sense, which was told. */
bool	pace_capture_format(struct capture *t, struct pace_cap_cfg *cfg);

/* What the document says of the run itself. */
void	pace_capture_describe(struct capture *t, const char *file, int argc, char *const *argv);

/* Behind the last stream: what is told of them together. */
void	pace_capture_end(struct capture *t);

/* An interface, or a file; two files.  Status. */
int	pace_capture_one(struct capture *t, const char *file, int argc, char **argv);
int	pace_capture_two(struct capture *t, char **file, int argc, char **argv);

#endif
