/*
 * capture_own.h - state of one udpace capture; for capture.c and capture_one.c.
 */
#ifndef PACE_CAPTURE_CAPTURE_OWN_H
#define PACE_CAPTURE_CAPTURE_OWN_H

#include <stdatomic.h>

#include "cap/flow.h"
#include "capture/capture.h"
#include "capture/capture_fill.h"
#include "capture/frame_record.h"
#include "capture/socket_source.h"
#include "doc/capture_doc.h"
#include "out/capture_text.h"
#include "plat/pcap.h"
#include "ui/capture_monitor.h"

struct capture {
	const struct capture_cfg *cfg;
	struct pace_pcap *pcap;
	struct pace_socket_source *socket;	/* instead of pcap; NULL: pcap */
	int		member;		/* a socket that joined the group of --join; -1: none */
	struct pace_cap_table *table;
	struct pace_cap_rule rule;
	enum pace_cap_link link;
	struct pace_capture c;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_seen *seen;
	struct pace_capture_rows rows;
	struct pace_flags flags;	/* letters used in the rows */
	char		filter[512];
	int64_t		began_ns, shown_ns;
	int64_t		until_ns;	/* wall clock: ignore later frames; 0: no limit */
	FILE		*record_file;	/* of record; NULL: none */
	struct pace_frame_record *record;
	bool		live;		/* from an interface or a socket, not from files */
	bool		full;		/* count or duration is reached */
	bool		failed, unusable;
	struct pace_capture_monitor *monitor;	/* NULL: none */
	atomic_bool	left;		/* the user left the screen */
	bool		unrecorded;	/* lines of the monitor are missing in their file */
	bool		cut;		/* ended before count or duration was reached */
	struct pace_err	err;		/* why it failed; code 0: it did not */
	int		finished;	/* result of pace_cap_table_finish */
};

extern const struct pace_sink_kind *const pace_capture_kind;	/* writes streams */

/* Print why a source cannot be read, and what helps. */
void	pace_capture_tell(const struct pace_err *err);

/* Set the format of the payloads.  False: the rule is wrong, which was printed. */
bool	pace_capture_format(struct capture *t, struct pace_cap_cfg *cfg);

/* Open the socket of receive.  -EINVAL: a wrong command line, which was printed. */
int	pace_capture_open_socket(struct capture *t, struct pace_err *err);

/* Open the file of --record, if there is one: an exit status.  End its record. */
int	pace_capture_open_record(struct capture *t);
void	pace_capture_end_record(struct capture *t);

void	pace_capture_describe_group(struct pace_capture *c, const struct pace_addr *group,
	    const struct pace_addr *source);

/* Fill the part of the document that describes the run. */
void	pace_capture_describe(struct capture *t, const char *file, int argc, char *const *argv);

/* After the last stream, print the figures of all of them. */
void	pace_capture_end(struct capture *t);

/* Capture from an interface, or from a file; returns the exit status. */
int	pace_capture_one(struct capture *t, const char *file, int argc, char **argv);

#endif
