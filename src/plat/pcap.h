/*
 * pcap.h - frames from a capture file or an interface, through libpcap.
 *
 * Purpose    the only file that includes libpcap's header is pcap.c; a build without it has
 *            pcap_none.c, which says what is missing.
 * Order      pace_pcap_open needs the rights; the caller drops them before pace_pcap_begin, the
 *            first function that reads captured bytes.
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
	bool		again;		/* the file is read more than once: not a pipe */
	const volatile sig_atomic_t *stop;	/* a pipe ends when this is not 0; may be NULL */
	int		snap_bytes;	/* live */
	int		buffer_bytes;
	bool		promiscuous;
};

struct pace_pcap;

/* Frames lost by a live capture itself. */
struct pace_pcap_drops {
	bool		known;
	uint64_t	kernel;		/* no room in the ring */
	uint64_t	interface;	/* by the device or its driver */
};

/* NULL: this build can capture; otherwise the reason why not. */
const char	*pace_pcap_lacks(void);

/* Open a capture; *p is NULL after a failure. */
int	pace_pcap_open(struct pace_pcap **p, const struct pace_pcap_cfg *cfg,
	    struct pace_err *err);

/* Live: the settings that could not be applied, for the user; "": none. */
const char	*pace_pcap_notice(const struct pace_pcap *p);

/* Read a file's header and set the filter ("": none).  -EINVAL, step "filter": it is not a
 * filter. */
int	pace_pcap_begin(struct pace_pcap *p, const char *filter, struct pace_err *err);

/* Live, after begin: pause the capture, or resume it with its filter; frames in the ring stay
 * there.  -EIO. */
int	pace_pcap_hold(struct pace_pcap *p, bool hold, struct pace_err *err);

enum pace_cap_link	pace_pcap_link(const struct pace_pcap *p);
/* "EN10MB"; the snap length of a file. */
const char	*pace_pcap_link_name(const struct pace_pcap *p);
int	pace_pcap_snap_bytes(const struct pace_pcap *p);

/*
 * Call take for at most max frames; a frame's memory is valid only during the call.  Returns
 * their number.  0, live: none within a tenth of a second, or a signal.  -ENODATA: end of the
 * file; -EPROTO: the file is damaged or truncated, with a message; others: read error.
 */
int	pace_pcap_read(struct pace_pcap *p, int max,
	    void (*take)(void *ctx, const struct pace_cap_frame *f, int64_t now_ns), void *ctx,
	    struct pace_err *err);

/* Called by take: request no more frames; pace_pcap_read returns soon. */
void	pace_pcap_enough(struct pace_pcap *p);

void	pace_pcap_drops(struct pace_pcap *p, struct pace_pcap_drops *d);

/* NULL is accepted. */
void	pace_pcap_close(struct pace_pcap *p);

#endif
