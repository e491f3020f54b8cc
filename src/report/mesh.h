/*
 * mesh.h - results of many pairs of hosts: a folder with FROM/TO.json.
 *
 * Purpose    the numbers of each ordered pair, and which hosts and pairs differ from the others.
 * Memory     a few numbers a pair: each document is read, handed to the caller and released.
 * Numbers    rate: the highest wire rate received without loss, of points that are not degraded,
 *            because a sender that was late says nothing about the path; of a capacity search
 *            the rate found.  Loss: lost of sent frames, or requests without a reply, of all points; not
 *            of a capacity search, whose trials lose frames on purpose.  Delay: the largest 99th
 *            percentile of the points, one-way or round trip.  Goodput: the highest of TCP.
 *            Offset: the wall clock of TO minus that of FROM.  NAN: not measured.
 * Judgement  for each number but the offset, a host's value as a sender is the median of its
 *            row, as a receiver that of its column.  A host differs if its value is worse than
 *            the median of all hosts by more than 5 times 1.4826 times their median absolute
 *            deviation, and by a least ratio.  Logarithms are compared; a loss below one
 *            frame counts as one frame.  A pair differs by the same rule from what the values of its
 *            two hosts explain.  A host's clock differs by the same rule from the median, and by
 *            more than 10 times the usual error.  Fewer than 4 hosts are not judged.
 * Source     Rousseeuw and Croux 1993, for the factor 1.4826 and for medians of few values.
 * Trust      documents and names of files are hostile; names have no control characters but must
 *            be escaped.
 */
#ifndef PACE_REPORT_MESH_H
#define PACE_REPORT_MESH_H

#include "report/report_data.h"

#define PACE_MESH_HOSTS	512

enum pace_mesh_measure {
	PACE_MESH_RATE, PACE_MESH_LOSS, PACE_MESH_DELAY, PACE_MESH_RTT, PACE_MESH_GOODPUT,
	PACE_MESH_OFFSET,
	PACE_MESH_MEASURES
};

enum pace_mesh_state { PACE_MESH_NONE, PACE_MESH_FAILED, PACE_MESH_MEASURED };

struct pace_mesh_pair {
	enum pace_mesh_state state;
	bool		read;			/* it has a page */
	double		v[PACE_MESH_MEASURES];	/* bit/s, ratio, ns */
	double		frames;			/* that the loss is a part of */
	double		error_ns;		/* of the offset; NAN: not known */
	char		why[80];		/* why it failed */
	unsigned int	bad;			/* bits of the numbers with a finding */
};

enum pace_mesh_kind { PACE_MESH_SENDER, PACE_MESH_RECEIVER, PACE_MESH_CLOCK, PACE_MESH_PAIR };

struct pace_mesh_finding {
	enum pace_mesh_kind kind;
	enum pace_mesh_measure measure;	/* PACE_MESH_MEASURES: it failed */
	size_t		from, to;	/* hosts; one of them for a host */
	double		value, usual;	/* of the host or pair; of the others, NAN: none */
	double		score;		/* excess in units of the threshold: above 1 */
};

struct pace_mesh {
	char		*folder;
	size_t		n;
	char		**name;		/* of files, in the order of versions: h2, h10 */
	char		**shown;	/* for people */
	struct pace_mesh_pair *pair;	/* n rows (FROM) of n */
	char		first[24], last[24];	/* begin of the first and of the last run; "": none */
	struct pace_mesh_finding *finding;	/* hosts, then pairs, the worst first */
	size_t		findings;
	bool		judged;		/* enough pairs were measured to compare hosts and pairs */
};

/* Is more of this better? */
static inline bool
pace_mesh_is_rate(enum pace_mesh_measure what)
{
	return what == PACE_MESH_RATE || what == PACE_MESH_GOODPUT;
}

/* Is this a folder with folders of documents, and without a document of its own? */
bool	pace_mesh_is(const char *folder);

/* Find hosts and documents: 0 or -errno; -E2BIG: more than PACE_MESH_HOSTS. */
int	pace_mesh_scan(struct pace_mesh *m, const char *folder);
void	pace_mesh_free(struct pace_mesh *m);

/* Read all documents.  each: called for each run that was read, before it is released; an
 * exit status, not 0: stop.  bad: called for each document that could not be read. */
struct pace_mesh_reader {
	int	(*each)(void *ctx, size_t from, size_t to, const struct pace_report_data *b);
	void	(*bad)(void *ctx, const char *why);
	void	*ctx;
};
int	pace_mesh_read(struct pace_mesh *m, const struct pace_mesh_reader *r);

/* Set the findings: 0 or -ENOMEM. */
int	pace_mesh_judge(struct pace_mesh *m);

/* Return whether any pair has this number. */
bool	pace_mesh_has(const struct pace_mesh *m, enum pace_mesh_measure what);

/* Return the number of pairs in a state. */
size_t	pace_mesh_count(const struct pace_mesh *m, enum pace_mesh_state state);

/* Write a finding as a sentence; a number with its unit; the heading of a number. */
char	*pace_mesh_sentence(const struct pace_mesh *m, const struct pace_mesh_finding *d,
	    char *buf, size_t size);
char	*pace_mesh_say(enum pace_mesh_measure what, double v, char *buf, size_t size);
extern const char *const pace_mesh_title[PACE_MESH_MEASURES];

/* Write all pairs as CSV, one a row: 0 or -errno of the stream. */
int	pace_mesh_csv(FILE *f, const struct pace_mesh *m);

/* Has a worse finding than the i-th this pair as well? */
bool	pace_mesh_is_worse(const struct pace_mesh *m, size_t i);

/* Print what was found about hosts, and the worst pairs. */
void	pace_mesh_print(FILE *f, const struct pace_mesh *m);

#endif
