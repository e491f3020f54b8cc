/*
 * pcap.h - frames from a capture file or an interface, through libpcap.
 *
 * Purpose    the only file that includes libpcap's header is pcap.c; a build without it has
 *            pcap_none.c, which says what is missing.
 * Order      pace_pcap_open needs the rights; who calls gives them away before
 *            pace_pcap_begin, which is the first to look at bytes of others.
 * Times      ns since 1970, of the host that captured.  Files in µs are scaled;
 *            what is further from 1970 than 2^32 s is given as that far.
 * Pipes      what there is is handed over as it comes, and no wait is longer than until
 *            cfg.stop is set or the caller has enough.
 * Live       through the kernel's ring, cfg.buffer_bytes of it, not in immediate
 *            mode; frames are cut to cfg.snap_bytes.  With a filter it begins when that
 *            holds.
 * Errors     -errno; err->text is for a person.
 * Threads    one.
 */
#ifndef PACE_PLAT_PCAP_H
#define PACE_PLAT_PCAP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cap/packet.h"
#include "core/err.h"

struct pace_pcap_cfg {
	const char	*interface;	/* NULL: a file */
	const char	*file;		/* "-": standard input */
	bool		again;		/* it is read more than once: no pipe */
	const volatile sig_atomic_t *stop;	/* of a pipe: not 0 ends it here; NULL: nothing does */
	int		snap_bytes;	/* live */
	int		buffer_bytes;
	bool		promiscuous;
};

struct pace_pcap;

/* What the capture itself lost, live. */
struct pace_pcap_drops {
	bool		known;
	uint64_t	kernel;		/* no room in the ring */
	uint64_t	interface;	/* by the device or its driver */
};

/* NULL: this build can; else why not. */
const char	*pace_pcap_lacks(void);

/* *p NULL after a failure. */
int	pace_pcap_open(struct pace_pcap **p, const struct pace_pcap_cfg *cfg,
	    struct pace_err *err);

/* Live: what was asked for and is not so, for a person; "": nothing. */
const char	*pace_pcap_notice(const struct pace_pcap *p);

/* Reads a file's header, sets the filter ("": none).  -EINVAL, step "filter": no filter. */
int	pace_pcap_begin(struct pace_pcap *p, const char *filter, struct pace_err *err);

/* Live, after it: from now on nothing is taken, or what the filter lets pass again; what
 * waits in the ring stays there.  -EIO. */
int	pace_pcap_hold(struct pace_pcap *p, bool hold, struct pace_err *err);

enum pace_cap_link	pace_pcap_link(const struct pace_pcap *p);
/* "EN10MB"; frames of a file are cut to so many bytes. */
const char	*pace_pcap_link_name(const struct pace_pcap *p);
int	pace_pcap_snap_bytes(const struct pace_pcap *p);

/*
 * Hand over some frames, at most max; the frame's memory is theirs only meanwhile.  How many;
 * 0, live: none within a tenth of a second, or a signal came.  -ENODATA the file has
 * ended; -EPROTO it is damaged or cut off here, in words; others: it cannot be read on.
 */
int	pace_pcap_read(struct pace_pcap *p, int max,
	    void (*take)(void *ctx, const struct pace_cap_frame *f, int64_t now_ns), void *ctx,
	    struct pace_err *err);

/* For take: no more frames are wanted; the call that hands them over returns soon. */
void	pace_pcap_enough(struct pace_pcap *p);

void	pace_pcap_drops(struct pace_pcap *p, struct pace_pcap_drops *d);

/* NULL is accepted. */
void	pace_pcap_close(struct pace_pcap *p);

#endif
