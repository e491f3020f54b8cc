/*
 * group.h - the documents of a group of senders (throughput --group) as one experiment.
 *
 * Purpose    find the points that began together, and say in a sentence what arrived.
 * Together   the name of the group and the agreed begin, on the responder's probe clock, are the
 *            same.  Each point of a sweep is a group of its own.
 * Once       a document that is given twice counts once.
 * Rates      sums over the senders, each over its own time: what arrives while all of them send.
 * Memory     pace_groups_free; refers to the report's data, which must live longer.
 * Trust      names may come from anyone and are not escaped here.
 * Errors     -ENOMEM.
 */
#ifndef PACE_REPORT_GROUP_H
#define PACE_REPORT_GROUP_H

#include "report/report_data.h"

struct pace_group_member {
	const struct pace_run	*run;
	const struct pace_stream_point *point;
	const char		*name;	/* the host, or the file if hosts have the same name */
	size_t		order;	/* in which the documents were given */
};

struct pace_group {
	const char	*name;
	int64_t		begin_ns;	/* responder's probe clock */
	uint32_t	stated;		/* members that the documents state */
	size_t		n;		/* members found: at least 2 */
	struct pace_group_member *member;
	size_t		answered;	/* of n: with the receiver's counts; sums are over these */
	double		sent_bps, received_bps;		/* on the wire */
	uint64_t	sent, lost;	/* frames */
	struct pace_share before;	/* lost before the receiving host; the rest in it */
	size_t		worst;		/* member that lost most, answered > 0 */
	bool		differ;		/* not all members lost the same ratio */
};

struct pace_groups {
	size_t		n;
	struct pace_group *v;		/* in the order of names and begins */
	struct pace_group_member *member;	/* own */
};

int	pace_groups_find(struct pace_groups *g, const struct pace_report_data *b);
/* Release the list; may be called again. */
void	pace_groups_free(struct pace_groups *g);

/* Write the sentence into buf and return it; 512 bytes are enough for most names. */
char	*pace_group_say(const struct pace_group *g, char *buf, size_t size);

/* Are there frame records, or intervals, of two members? */
bool	pace_group_has_records(const struct pace_group *g);
bool	pace_group_has_intervals(const struct pace_group *g);

#endif
