/*
 * The list was made by looking: strace of a responder that serves every kind of
 * measurement, and by reading what glibc and musl use on 32 and 64 bits for the
 * functions called.  Arguments are compared in the bits that the kernel looks at:
 * the upper half of a register that holds an int is undefined.
 */
#include "config.h"

#include "plat/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plat/instrumented.h"

#define INT	UINT64_C(0xffffffff)	/* all bits of an int */
#define WRITES	(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND)
#define SPACES	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
		    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define TYPE	0xf			/* of a socket, without its flags */

#ifdef __s390__
# define CLONE_FLAGS	1
#else
# define CLONE_FLAGS	0
#endif

/* Whatever their arguments are. */
static const char *const calls[] = {
	/* every frame: looked at first where the kernel has no bitmap (before 5.11) */
	"recvmmsg", "recvmmsg_time64", "sendmsg", "sendto", "sendmmsg", "recvmsg",
	"clock_nanosleep", "clock_nanosleep_time64", "ppoll", "ppoll_time64", "clock_gettime",
	"clock_gettime64",
	/* memory and threads */
	"brk", "munmap", "mremap", "madvise", "mlock", "munlock", "futex", "futex_time64",
	    "set_robust_list", "rseq",
	"set_tid_address", "exit", "exit_group", "gettid", "getpid", "sched_yield",
	"sched_getaffinity", "sched_getscheduler", "getcpu", "getpriority",
	/* signals */
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigreturn", "sigaltstack",
	"restart_syscall",
	/* time */
	"clock_getres", "clock_getres_time64", "nanosleep", "gettimeofday", "time", "adjtimex",
	"clock_adjtime", "clock_adjtime64",
	/* reading of files, and standard error */
	"read", "readv", "pread64", "lseek", "_llseek", "close", "fstat", "fstat64", "newfstatat",
	"fstatat64", "statx", "stat", "stat64", "lstat", "lstat64", "readlink", "readlinkat",
	"getdents", "getdents64", "access", "faccessat", "faccessat2", "fcntl", "fcntl64",
	"write", "writev",
	/* sockets: those of sessions, and clients of those that listen since before */
	"bind", "connect", "getsockname", "getpeername", "getsockopt", "send", "recv", "recvfrom",
	"shutdown", "accept", "accept4", "poll", "select", "_newselect", "pselect6",
	"pselect6_time64", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2",
	/* facts of this host */
	"uname", "sysinfo", "getrusage", "getrlimit", "ugetrlimit", "prlimit64", "getrandom",
	"getuid", "geteuid", "getgid", "getegid", "getuid32", "geteuid32", "getgid32",
	"getegid32",
};

#define HOT	12			/* the first so many of them */

struct rule {
	const char	*call;
	struct { unsigned int arg; uint64_t mask, value; } a[3];	/* mask 0: no more */
};

static const struct rule rules[] = {
	/* new threads, but no new namespaces */
	{ "clone", { { CLONE_FLAGS, CLONE_THREAD | SPACES, CLONE_THREAD } } },
	{ "sched_setaffinity", { { 0, INT, 0 } } },
	{ "setpriority", { { 0, INT, PRIO_PROCESS } } },	/* a thread's own: there is no
								 * right to more */
	/* memory is never code */
#ifdef __s390__
	{ "mmap", { { 0 } } },		/* its arguments are in memory */
#else
	{ "mmap", { { 2, PROT_EXEC, 0 } } },
#endif
	{ "mmap2", { { 2, PROT_EXEC, 0 } } },
	{ "mprotect", { { 2, PROT_EXEC, 0 } } },
	{ "openat", { { 2, WRITES, O_RDONLY } } },
	{ "open", { { 1, WRITES, O_RDONLY } } },
	{ "prctl", { { 0, INT, PR_SET_TIMERSLACK } } },
	{ "prctl", { { 0, INT, PR_GET_TIMERSLACK } } },
	{ "prctl", { { 0, INT, PR_SET_NAME } } },
	/* the unix ones: if_nametoindex of glibc, journald, NOTIFY_SOCKET */
	{ "socket", { { 0, INT, AF_INET }, { 1, TYPE, SOCK_DGRAM } } },
	{ "socket", { { 0, INT, AF_INET6 }, { 1, TYPE, SOCK_DGRAM } } },
	{ "socket", { { 0, INT, AF_UNIX }, { 1, TYPE, SOCK_DGRAM } } },
	{ "socket", { { 0, INT, AF_NETLINK }, { 1, TYPE, SOCK_RAW }, { 2, INT, NETLINK_ROUTE } } },
	/* of IP those below 64: from there on they are the packet filter's */
	{ "setsockopt", { { 1, INT, SOL_SOCKET } } },
	{ "setsockopt", { { 1, INT, IPPROTO_IP }, { 2, INT & ~UINT64_C(63), 0 } } },
	{ "setsockopt", { { 1, INT, IPPROTO_IPV6 }, { 2, INT & ~UINT64_C(63), 0 } } },
	/* the marks of frames; the packet filter has 64 and 65 */
	{ "setsockopt", { { 1, INT, IPPROTO_IPV6 }, { 2, INT, IPV6_RECVTCLASS } } },
	{ "setsockopt", { { 1, INT, IPPROTO_IPV6 }, { 2, INT, IPV6_TCLASS } } },
	{ "setsockopt", { { 1, INT, SOL_UDP } } },
	{ "setsockopt", { { 1, INT, IPPROTO_TCP }, { 2, INT, TCP_NODELAY } } },
	{ "setsockopt", { { 1, INT, IPPROTO_TCP }, { 2, INT, TCP_CORK } } },
	/* accepted connections of udpace tcp */
	{ "setsockopt", { { 1, INT, IPPROTO_TCP }, { 2, INT, TCP_CONGESTION } } },
	{ "setsockopt", { { 1, INT, IPPROTO_TCP }, { 2, INT, TCP_USER_TIMEOUT } } },
	{ "setsockopt", { { 1, INT, IPPROTO_TCP }, { 2, INT, TCP_QUICKACK } } },
	{ "setsockopt", { { 1, INT, IPPROTO_TCP }, { 2, INT, TCP_NOTSENT_LOWAT } } },
	{ "ioctl", { { 1, INT, SIOCOUTQ } } },
	{ "ioctl", { { 1, INT, SIOCETHTOOL } } },
	{ "ioctl", { { 1, INT, SIOCGHWTSTAMP } } },
	{ "ioctl", { { 1, INT, SIOCSHWTSTAMP } } },
	{ "ioctl", { { 1, INT, SIOCGIFINDEX } } },
	{ "ioctl", { { 1, INT, SIOCGIFNAME } } },
	{ "ioctl", { { 1, INT, PTP_SYS_OFFSET_EXTENDED } } },
	{ "ioctl", { { 1, INT, FIONREAD } } },
	{ "ioctl", { { 1, INT, FIONBIO } } },
	{ "ioctl", { { 1, INT, TCGETS } } },
};

/* Opening a file to write fails with EPERM (not permitted), not with ENOSYS. */
static const int writes[] = { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND };

static const char *const killers[] = {
	"execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev",
	"kcmp", "pidfd_getfd", "mount", "umount", "umount2", "move_mount", "open_tree", "fsopen",
	"fsmount", "fspick", "pivot_root", "chroot", "unshare", "setns", "bpf",
	"perf_event_open", "userfaultfd", "io_uring_setup", "init_module", "finit_module",
	"delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
	"add_key", "keyctl", "request_key", "open_by_handle_at", "settimeofday",
	"clock_settime", "clock_settime64", "iopl", "ioperm", "modify_ldt",
};

const char *
pace_filter_lacks(void)
{
#ifdef PACE_INSTRUMENTED
	return "built with sanitizers or gcov, which need calls of their own";
#else
	return NULL;
#endif
}

/* Allow a call with n conditions.  Calls that this architecture or this libseccomp does not know
 * are skipped. */
static int
add(scmp_filter_ctx ctx, uint32_t action, const char *call, unsigned int n,
    const struct scmp_arg_cmp *cmp)
{
	int nr = seccomp_syscall_resolve_name(call);

	return nr == __NR_SCMP_ERROR ? 0 : seccomp_rule_add_array(ctx, action, nr, n, cmp);
}

static int
refuse_writing(scmp_filter_ctx ctx, const char *call, unsigned int arg)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(writes) / sizeof(writes[0]); i++) {
		struct scmp_arg_cmp cmp = { arg, SCMP_CMP_MASKED_EQ, (uint64_t)writes[i],
		    (uint64_t)writes[i] };

		rc = add(ctx, SCMP_ACT_ERRNO(EPERM), call, 1, &cmp);
	}
	return rc;
}

static int
add_calls(scmp_filter_ctx ctx)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(calls) / sizeof(calls[0]); i++) {
		int nr = seccomp_syscall_resolve_name(calls[i]);

		rc = add(ctx, SCMP_ACT_ALLOW, calls[i], 0, NULL);
		if (rc == 0 && i < HOT && nr != __NR_SCMP_ERROR)
			(void)seccomp_syscall_priority(ctx, nr, 255);
	}
	for (size_t i = 0; rc == 0 && i < sizeof(killers) / sizeof(killers[0]); i++)
		rc = add(ctx, SCMP_ACT_KILL_PROCESS, killers[i], 0, NULL);
	return rc;
}

static int
add_rules(scmp_filter_ctx ctx)
{
	const struct scmp_arg_cmp self = { 0, SCMP_CMP_MASKED_EQ, INT, (uint64_t)getpid() };
	int rc = add(ctx, SCMP_ACT_ALLOW, "tgkill", 1, &self);

	for (size_t i = 0; rc == 0 && i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct rule *r = &rules[i];
		struct scmp_arg_cmp cmp[3];
		unsigned int n = 0;

		for (; n < 3 && r->a[n].mask != 0; n++)
			cmp[n] = (struct scmp_arg_cmp){ r->a[n].arg, SCMP_CMP_MASKED_EQ,
			    r->a[n].mask, r->a[n].value };
		rc = add(ctx, SCMP_ACT_ALLOW, r->call, n, cmp);
	}
	if (rc == 0)
		rc = refuse_writing(ctx, "openat", 2);
	return rc == 0 ? refuse_writing(ctx, "open", 1) : rc;
}

int
pace_filter_enter(bool unlinks, struct pace_err *err)
{
	const char *lacks = pace_filter_lacks();
	scmp_filter_ctx ctx;
	int rc;

	if (lacks != NULL)
		return pace_failf(err, ENOSYS, "seccomp", "%s", lacks);
	ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	if (ctx == NULL)
		return pace_fail(err, ENOMEM, "seccomp");
	/* Before Linux 5.16 a filter slows every load of its threads, for the sake of
	 * programs that run foreign code. */
#if SCMP_VER_MAJOR > 2 || (SCMP_VER_MAJOR == 2 && SCMP_VER_MINOR >= 5)
	(void)seccomp_attr_set(ctx, SCMP_FLTATR_CTL_SSB, 1);
#endif
	rc = add_calls(ctx);
	if (rc == 0)
		rc = add_rules(ctx);
	if (rc == 0 && unlinks)
		rc = add(ctx, SCMP_ACT_ALLOW, "unlink", 0, NULL);
	if (rc == 0 && unlinks)
		rc = add(ctx, SCMP_ACT_ALLOW, "unlinkat", 0, NULL);
	if (rc == 0)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	return rc == 0 ? 0 : pace_fail(err, -rc, "seccomp");
}
