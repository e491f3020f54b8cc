/* The only file that includes libpcap's header. */
#include "config.h"

#include "plat/pcap.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plat/clock.h"

#ifdef STATIC_PROGRAM
/* In place of libpcap's own, which would take all of D-Bus along. */
struct pcap_if_list;
int	dbus_findalldevs(struct pcap_if_list *list, char *error);
pcap_t	*dbus_create(const char *device, char *error, int *is_ours);

int
dbus_findalldevs(struct pcap_if_list *list, char *error)
{
	(void)list; (void)error;
	return 0;
}

pcap_t *
dbus_create(const char *device, char *error, int *is_ours)
{
	(void)device; (void)error;
	*is_ours = 0;
	return NULL;
}
#endif

#define LOOK_MS		100
#define SEC		INT64_C(1000000000)
#define STAMP_MAX	(INT64_C(1) << 32)	/* s: any two are less than 2^63 ns apart */

struct pace_pcap {
	pcap_t		*pcap;		/* NULL: a file that has not begun */
	FILE		*file;
	const char	*name;
	bool		live;
	bool		piped;		/* a file that makes one wait */
	bool		waited;		/* it did, since it was last asked */
	bool		enough;
	bool		coarse;		/* live: stamps come in us */
	char		notice[192];
	bool		any;		/* a byte came out of it */
	int		fd;		/* of a pipe */
	const volatile sig_atomic_t *stop;	/* of a pipe; NULL: none */
	int64_t		since_ns;	/* frames stamped before this are dropped */
	enum pace_cap_link link;
	struct bpf_program program;	/* of the filter; bf_insns NULL: none */
	void		(*take)(void *ctx, const struct pace_cap_frame *f, int64_t now_ns);
	void		*ctx;
};

const char *
pace_pcap_lacks(void)
{
	return NULL;
}

static const struct { int dlt; enum pace_cap_link link; } links[] = {
	{ DLT_EN10MB, PACE_CAP_ETHERNET }, { DLT_LINUX_SLL, PACE_CAP_SLL },
#ifdef DLT_LINUX_SLL2
	{ DLT_LINUX_SLL2, PACE_CAP_SLL2 },
#endif
	{ DLT_RAW, PACE_CAP_RAW }, { DLT_IPV4, PACE_CAP_RAW }, { DLT_IPV6, PACE_CAP_RAW },
	{ DLT_NULL, PACE_CAP_NULL }, { DLT_LOOP, PACE_CAP_LOOP },
};

/* --- pipes ---------------------------------------------------------------------------- */

/*
 * libpcap reads through stdio until it has the requested number of frames, and restarts a read
 * that a signal interrupted.  Below it lies a stream of our own, which waits only while frames are
 * wanted, and then reports the end of the file.
 */
static bool
is_stopped(const struct pace_pcap *p)
{
	return p->stop != NULL && *p->stop != 0;
}

static ssize_t
read_pipe(void *cookie, char *buf, size_t size)
{
	struct pace_pcap *p = cookie;
	struct pollfd fd = { .fd = p->fd, .events = POLLIN };
	ssize_t n = -1;

	for (;;) {
		if (is_stopped(p))
			return 0;
		if (poll(&fd, 1, 0) == 0) {
			p->waited = true;
			if (poll(&fd, 1, LOOK_MS) <= 0)
				continue;
		}
		n = read(p->fd, buf, size);
		p->any |= n > 0;
		if (n >= 0 || errno != EINTR)
			return n;
	}
}

static int
close_pipe(void *cookie)
{
	const struct pace_pcap *p = cookie;

	return p->fd == STDIN_FILENO ? 0 : close(p->fd);
}

/* From here on p->file is ours. */
static int
open_pipe(struct pace_pcap *p, struct pace_err *err)
{
	const cookie_io_functions_t io = { .read = read_pipe, .close = close_pipe };
	FILE *file;

	p->piped = true;
	p->fd = fileno(p->file);
	if (p->file != stdin) {			/* whose descriptor is wanted, not its buffer */
		p->fd = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);
		fclose(p->file);
		p->file = NULL;
	}
	file = p->fd < 0 ? NULL : fopencookie(p, "r", io);
	if (file == NULL)
		return pace_failf(err, errno, "open", "%s: %s", p->name, strerror(errno));
	p->file = file;
	return 0;
}

/* --- opening ------------------------------------------------------------------------- */

static int
open_file(struct pace_pcap *p, bool again, struct pace_err *err)
{
	bool piped = strcmp(p->name, "-") == 0;
	struct stat st;

	/* before it is opened: of a FIFO that would wait */
	if (again && (piped || (stat(p->name, &st) == 0 && !S_ISREG(st.st_mode) &&
	    !S_ISDIR(st.st_mode))))
		return pace_failf(err, ESPIPE, "open", "%s: has to be a file, for it is read more "
		    "than once: write it to one first",
		    piped ? "standard input" : p->name);
	if (piped)
		p->name = "standard input";
	p->file = piped ? stdin : fopen(p->name, "re");
	if (p->file == NULL)
		return pace_failf(err, errno, "open", "%s: %s", p->name, strerror(errno));
	if (fstat(fileno(p->file), &st) != 0)
		return pace_failf(err, errno, "open", "%s: %s", p->name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return pace_failf(err, EISDIR, "open", "%s: is a folder", p->name);
	if (S_ISREG(st.st_mode) && st.st_size == 0)
		return pace_failf(err, EPROTO, "open", "%s: is empty: no capture", p->name);
	return S_ISREG(st.st_mode) ? 0 : open_pipe(p, err);
}

/* libpcap's words for a status; its longer ones where it has some. */
static const char *
words(pcap_t *pcap, int status)
{
	const char *more = pcap_geterr(pcap);

	return more[0] != '\0' ? more : pcap_statustostr(status);
}

static int
fail_live(const struct pace_pcap *p, int status, struct pace_err *err)
{
	switch (status) {
	case PCAP_ERROR_PERM_DENIED: case PCAP_ERROR_PROMISC_PERM_DENIED:
		return pace_failf(err, EPERM, "open", "%s: capturing needs root or CAP_NET_RAW",
		    p->name);
	case PCAP_ERROR_NO_SUCH_DEVICE:
		return pace_failf(err, ENODEV, "open", "%s: there is no such interface", p->name);
	case PCAP_ERROR_IFACE_NOT_UP:
		return pace_failf(err, ENETDOWN, "open", "%s: the interface is down", p->name);
	default:
		return pace_failf(err, EIO, "open", "%s: %s", p->name, words(p->pcap, status));
	}
}

/* The capture is open, but without some of the requested settings. */
static void
take_notice(struct pace_pcap *p, const struct pace_pcap_cfg *cfg, int status)
{
	/* libpcap 1.10 knows, and returns 0 all the same */
	if (status == 0 && cfg->promiscuous && strcmp(cfg->interface, "any") == 0)
		status = PCAP_WARNING_PROMISC_NOTSUP;
	switch (status) {
	case 0:
		break;
	case PCAP_WARNING_PROMISC_NOTSUP:
		snprintf(p->notice, sizeof(p->notice), "%s: promiscuous mode is not "
		    "possible: frames for other hosts are not captured", p->name);
		break;
#ifdef PCAP_WARNING_TSTAMP_TYPE_NOTSUP
	case PCAP_WARNING_TSTAMP_TYPE_NOTSUP:
		snprintf(p->notice, sizeof(p->notice), "%s: the stamps are not of the requested "
		    "kind", p->name);
		break;
#endif
	default:
		snprintf(p->notice, sizeof(p->notice), "%s: %s", p->name, words(p->pcap, status));
		break;
	}
	p->coarse = pcap_get_tstamp_precision(p->pcap) != PCAP_TSTAMP_PRECISION_NANO;
}

static int
open_live(struct pace_pcap *p, const struct pace_pcap_cfg *cfg, struct pace_err *err)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	int status;

	p->pcap = pcap_create(cfg->interface, why);
	if (p->pcap == NULL)
		return pace_failf(err, EIO, "open", "%s: %s", p->name, why);
	(void)pcap_set_snaplen(p->pcap, cfg->snap_bytes);
	(void)pcap_set_promisc(p->pcap, cfg->promiscuous);
	(void)pcap_set_timeout(p->pcap, LOOK_MS);
	(void)pcap_set_buffer_size(p->pcap, cfg->buffer_bytes);
	(void)pcap_set_immediate_mode(p->pcap, 0);
	(void)pcap_set_tstamp_precision(p->pcap, PCAP_TSTAMP_PRECISION_NANO);
	status = pcap_activate(p->pcap);
	if (status < 0)
		return fail_live(p, status, err);
	take_notice(p, cfg, status);
	/* reading must end when nothing comes: it is poll(2) that waits */
	if (pcap_setnonblock(p->pcap, 1, why) < 0)
		return pace_failf(err, EIO, "open", "%s: %s", p->name, why);
	return 0;
}

int
pace_pcap_open(struct pace_pcap **to, const struct pace_pcap_cfg *cfg, struct pace_err *err)
{
	struct pace_pcap *p = calloc(1, sizeof(*p));
	int rc;

	*to = NULL;
	if (p == NULL)
		return pace_fail(err, ENOMEM, "open");
	p->live = cfg->interface != NULL;
	p->name = p->live ? cfg->interface : cfg->file;
	p->stop = cfg->stop;
	rc = p->live ? open_live(p, cfg, err) : open_file(p, cfg->again, err);
	if (rc < 0)
		pace_pcap_close(p);
	else
		*to = p;
	return rc;
}

const char *
pace_pcap_notice(const struct pace_pcap *p)
{
	return p->notice;
}

/* --- the beginning --------------------------------------------------------------------- */

/* Guess from the first bytes what a file is that libpcap rejects. */
static const char *
guess_file(const struct pace_pcap *p)
{
	static const struct { const char *magic; size_t n; const char *is; } known[] = {
		{ "\x1f\x8b", 2, "it is compressed: gunzip it first" },
		{ "\x28\xb5\x2f\xfd", 4, "it is compressed: unzstd it first" },
		{ "\xfd" "7zXZ", 5, "it is compressed: unxz it first" },
		{ "UDPACER1", 8, "it holds frame records of udpace: see udpace export" },
		{ "{", 1, "it looks like JSON: see udpace report" },
	};
	char magic[8] = "";
	size_t n;

	if (p->piped && !p->any)
		return "nothing came out of it";
	if (p->piped || fseek(p->file, 0, SEEK_SET) != 0)
		return "";
	n = fread(magic, 1, sizeof(magic), p->file);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (n >= known[i].n && memcmp(magic, known[i].magic, known[i].n) == 0)
			return known[i].is;
	return n < 4 ? "it is shorter than any capture" : "";
}

static int
begin_file(struct pace_pcap *p, struct pace_err *err)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	const char *is;

	p->pcap = pcap_fopen_offline_with_tstamp_precision(p->file,
	    PCAP_TSTAMP_PRECISION_NANO, why);
	if (p->pcap == NULL) {
		is = guess_file(p);
		return pace_failf(err, EPROTO, "read", "%s: no capture: %s", p->name,
		    is[0] != '\0' ? is : why);
	}
	p->file = NULL;			/* now libpcap's */
	return 0;
}

static int
find_link(struct pace_pcap *p, struct pace_err *err)
{
	int dlt = pcap_datalink(p->pcap);
	const char *name = pcap_datalink_val_to_name(dlt);

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (links[i].dlt == dlt) {
			p->link = links[i].link;
			return 0;
		}
	return pace_failf(err, EPROTONOSUPPORT, "read", "%s: frames of link type %s (%d) are not "
	    "understood", p->name, name != NULL ? name : "unknown", dlt);
}

static int
use_filter(struct pace_pcap *p, struct bpf_program *program, struct pace_err *err)
{
	if (pcap_setfilter(p->pcap, program) < 0)
		return pace_failf(err, EIO, "set filter", "%s", pcap_geterr(p->pcap));
	return 0;
}

int
pace_pcap_hold(struct pace_pcap *p, bool hold, struct pace_err *err)
{
	struct bpf_insn insn = BPF_STMT(BPF_RET | BPF_K, 0);
	struct bpf_insn all = BPF_STMT(BPF_RET | BPF_K, 262144);
	struct bpf_program nothing = { 1, &insn }, anything = { 1, &all };

	return use_filter(p, hold ? &nothing : p->program.bf_insns != NULL ? &p->program :
	    &anything, err);
}

int
pace_pcap_begin(struct pace_pcap *p, const char *filter, struct pace_err *err)
{
	int rc = p->live ? 0 : begin_file(p, err);

	if (rc == 0)
		rc = find_link(p, err);
	if (rc != 0 || filter[0] == '\0')
		return rc;
	if (pcap_compile(p->pcap, &p->program, filter, 1, PCAP_NETMASK_UNKNOWN) < 0)
		return pace_failf(err, EINVAL, "filter", "%s", pcap_geterr(p->pcap));
	rc = use_filter(p, &p->program, err);
	/* libpcap blocks all frames while it changes the kernel's filter, but keeps those in the
	 * ring: the frames between are missing, but were not lost */
	if (rc == 0 && p->live)
		p->since_ns = pace_clock_wall();
	return rc;
}

enum pace_cap_link
pace_pcap_link(const struct pace_pcap *p)
{
	return p->link;
}

const char *
pace_pcap_link_name(const struct pace_pcap *p)
{
	const char *name = pcap_datalink_val_to_name(pcap_datalink(p->pcap));

	return name != NULL ? name : "";
}

int
pace_pcap_snap_bytes(const struct pace_pcap *p)
{
	return pcap_snapshot(p->pcap);
}

/* --- frames ---------------------------------------------------------------------------- */

/* pcapng has seconds of 64 bits. */
static int64_t
stamp_ns(const struct pace_pcap *p, const struct pcap_pkthdr *h)
{
	int64_t s = h->ts.tv_sec, ns = p->coarse ? h->ts.tv_usec * INT64_C(1000) : h->ts.tv_usec;

	s = s > STAMP_MAX ? STAMP_MAX : s < -STAMP_MAX ? -STAMP_MAX : s;
	return s * SEC + (ns < 0 || ns >= SEC ? 0 : ns);
}

static void
take(u_char *ctx, const struct pcap_pkthdr *h, const u_char *data)
{
	const struct pace_pcap *p = (const void *)ctx;
	const struct pace_cap_frame f = { .data = data, .captured = h->caplen, .length = h->len };
	int64_t now_ns = stamp_ns(p, h);

	if (!p->live || now_ns >= p->since_ns)
		p->take(p->ctx, &f, now_ns);
}

static int
dispatch(struct pace_pcap *p, int max)
{
	return pcap_dispatch(p->pcap, max, take, (void *)p);
}

/* libpcap names files that it has not opened itself "-" or not at all. */
static int
fail_read(struct pace_pcap *p, struct pace_err *err)
{
	return pace_failf(err, p->live ? EIO : EPROTO, "read", "%s: %s", p->name,
	    pcap_geterr(p->pcap));
}

static int
read_live(struct pace_pcap *p, int max, struct pace_err *err)
{
	struct pollfd fd = { .fd = pcap_get_selectable_fd(p->pcap), .events = POLLIN };
	int n = dispatch(p, max);

	if (n == 0 && poll(&fd, 1, LOOK_MS) > 0)
		n = dispatch(p, max);
	return n < 0 ? fail_read(p, err) : n;
}

/* As many as are there. */
static int
read_piped(struct pace_pcap *p, int max, struct pace_err *err)
{
	int n = 0, got;

	p->waited = false;
	do {
		got = dispatch(p, 1);
		n += got > 0;
	} while (got > 0 && n < max && !p->waited && !p->enough);
	if (n > 0 && got >= 0)
		return n;
	if (got < 0 && !is_stopped(p))
		return fail_read(p, err);
	return pace_fail(err, ENODATA, "read");
}

int
pace_pcap_read(struct pace_pcap *p, int max,
    void (*fn)(void *ctx, const struct pace_cap_frame *f, int64_t now_ns), void *ctx,
    struct pace_err *err)
{
	int n;

	p->take = fn;
	p->ctx = ctx;
	if (p->live)
		return read_live(p, max, err);
	if (p->piped)
		return read_piped(p, max, err);
	n = dispatch(p, max);
	if (n < 0)
		return fail_read(p, err);
	return n == 0 ? pace_fail(err, ENODATA, "read") : n;
}

void
pace_pcap_enough(struct pace_pcap *p)
{
	p->enough = true;
}

void
pace_pcap_drops(struct pace_pcap *p, struct pace_pcap_drops *d)
{
	struct pcap_stat s;

	*d = (struct pace_pcap_drops){ .known = false };
	if (!p->live || pcap_stats(p->pcap, &s) < 0)
		return;
	d->known = true;
	d->kernel = s.ps_drop;
	d->interface = s.ps_ifdrop;
}

void
pace_pcap_close(struct pace_pcap *p)
{
	if (p == NULL)
		return;
	pcap_freecode(&p->program);
	if (p->pcap != NULL)
		pcap_close(p->pcap);
	if (p->file != NULL && p->file != stdin)
		fclose(p->file);
	free(p);
}
