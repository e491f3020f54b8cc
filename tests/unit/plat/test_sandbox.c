/* sandbox.h, filter.h: what a process can still do afterwards, each thing tried by a
 * child that went into it. */
#include "plat/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/unit.h"
#include "plat/filter.h"

#define BIT(cap)	(UINT64_C(1) << (cap))
#define NOT_ENTERED	200		/* exit statuses of a child beside errno values */
#define WORKED		0

static struct pace_sandbox_cfg plain = { .sock = -1 };	/* the user stays */

/* As exit status: what went wrong, WORKED when nothing did. */
static int
result(long rc)
{
	return rc == -1 ? errno : WORKED;
}

/* --- tries ---------------------------------------------------------------------- */

static int open_wronly(void) { return result(open("/dev/null", O_WRONLY)); }
static int open_rdwr(void) { return result(open("/dev/null", O_RDWR)); }
static int open_append(void) { return result(open("/dev/null", O_RDONLY | O_APPEND)); }
static int open_trunc(void) { return result(open("/dev/null", O_RDONLY | O_TRUNC)); }
static int open_create(void) { return result(open("/dev/null", O_RDONLY | O_CREAT, 0600)); }
static int open_tmpfile(void) { return result(open("/tmp", O_TMPFILE | O_RDWR, 0600)); }
static int fopen_to_write(void) { return fopen("/dev/null", "w") == NULL ? errno : WORKED; }
#ifdef SYS_open
static int old_open(void) { return result(syscall(SYS_open, "/dev/null", O_WRONLY)); }
#endif
static int open_read(void) { return result(open("/proc/stat", O_RDONLY | O_CLOEXEC)); }
static int remove_file(void) { return result(unlink("/nonexistent/x")); }
static int make_directory(void) { return result(mkdir("/nonexistent/x", 0700)); }
static int change_mode(void) { return result(chmod("/nonexistent", 0777)); }
static int packet(void) { return result(socket(AF_PACKET, SOCK_RAW, 0)); }
static int tcp(void) { return result(socket(AF_INET, SOCK_STREAM, 0)); }
static int raw_ip(void) { return result(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)); }
static int raw_ip6(void) { return result(socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6)); }
static int unix_stream(void) { return result(socket(AF_UNIX, SOCK_STREAM, 0)); }
static int udp(void) { return result(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)); }

static int
netfilter(void)
{
	return result(socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER));
}

static int
route(void)
{
	return result(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
}

static int
udp_option(int level, int name)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), value = 1;

	return fd == -1 ? 98 : result(setsockopt(fd, level, name, &value, sizeof(value)));
}

static int socket_option(void) { return udp_option(SOL_SOCKET, SO_REUSEPORT); }
static int ip_option(void) { return udp_option(IPPROTO_IP, IP_PKTINFO); }
static int iptables_replace(void) { return udp_option(IPPROTO_IP, 64); }
static int frame_marks(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM, 0), value = 1;

	if (fd == -1)
		return 98;
	return result(setsockopt(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, &value, sizeof(value)) == -1 ?
	    -1 : setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &value, sizeof(value)));
}

static int ip6tables_replace(void) { return udp_option(IPPROTO_IPV6, 64); }
static int other_level(void) { return udp_option(255, 1); }

/* The interface does not exist: without a sandbox no interface changes. */
static int
set_interface(void)
{
	struct ifreq r = { .ifr_name = "pace-no-such" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return fd == -1 ? 98 : result(ioctl(fd, SIOCSIFFLAGS, &r));
}

static int
memory_as_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? errno : WORKED;
}

static int
memory_made_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? 98 : result(mprotect(p, 4096, PROT_READ | PROT_EXEC));
}

static int
a_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return result(pid);
}

static int signal_another(void) { return result(kill(getppid(), 0)); }
static int tgkill_another(void) { return result(syscall(SYS_tgkill, getppid(), getppid(), 0)); }
static int dumpable(void) { return result(prctl(PR_SET_DUMPABLE, 1)); }
static int become_root(void) { return result(setresuid(0, 0, 0)); }
static int listen_tcp(void) { return result(listen(0, 1)); }

/* allowed */
static void *nothing(void *arg) { return arg; }

static int
a_thread(void)
{
	pthread_t t;
	int rc = pthread_create(&t, NULL, nothing, NULL);

	return rc == 0 ? pthread_join(t, NULL) : rc;
}

static int
allocate(void)
{
	char *volatile small = malloc(100), *volatile large = malloc(64 << 20);
	int rc = small != NULL && large != NULL ? WORKED : ENOMEM;

	free(large);
	free(small);
	return rc;
}

static int name_interface(void) { return if_nametoindex("lo") == 0 ? errno : WORKED; }
static int say(void) { return fprintf(stderr, "heard\n") < 0 ? errno : WORKED; }

static int
pin(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == -1)
		return errno;
	return result(sched_setaffinity(0, sizeof(set), &set));
}

static int give_up(void) { abort(); }

/* deadly */
static int
run_program(void)
{
	static char *const argv[] = { NULL };

	return result(execve("/nonexistent", argv, argv));
}

static int trace(void) { return result(ptrace(PTRACE_TRACEME, 0, NULL, NULL)); }
static int do_mount(void) { return result(mount("a", "/nonexistent", "tmpfs", 0, NULL)); }
static int new_spaces(void) { return result(unshare(0)); }
static int set_clock(void) { return result(syscall(SYS_clock_settime, CLOCK_REALTIME, NULL)); }
static int read_another(void) { return result(process_vm_readv(1, NULL, 0, NULL, 0, 0)); }
static int uring(void) { return result(syscall(SYS_io_uring_setup, 0, NULL)); }
static int load_bpf(void) { return result(syscall(SYS_bpf, -1, NULL, 0)); }

static const struct try {
	const char *name;
	int (*f)(void);
	int want;		/* errno, WORKED, or -signal */
} tries[] = {
	{ "open_wronly", open_wronly, EPERM },
	{ "open_rdwr", open_rdwr, EPERM },
	{ "open_append", open_append, EPERM },
	{ "open_trunc", open_trunc, EPERM },
	{ "open_create", open_create, EPERM },
	{ "open_tmpfile", open_tmpfile, EPERM },
	{ "fopen_to_write", fopen_to_write, EPERM },
#ifdef SYS_open
	{ "old_open", old_open, EPERM },
#endif
	{ "open_read", open_read, WORKED },
	{ "remove_file", remove_file, ENOSYS },
	{ "make_directory", make_directory, ENOSYS },
	{ "change_mode", change_mode, ENOSYS },
	{ "packet", packet, ENOSYS },
	{ "tcp", tcp, ENOSYS },
	{ "raw_ip", raw_ip, ENOSYS },
	{ "raw_ip6", raw_ip6, ENOSYS },
	{ "unix_stream", unix_stream, ENOSYS },
	{ "udp", udp, WORKED },
	{ "netfilter", netfilter, ENOSYS },
	{ "route", route, WORKED },
	{ "socket_option", socket_option, WORKED },
	{ "ip_option", ip_option, WORKED },
	{ "frame_marks", frame_marks, WORKED },
	{ "iptables_replace", iptables_replace, ENOSYS },
	{ "ip6tables_replace", ip6tables_replace, ENOSYS },
	{ "other_level", other_level, ENOSYS },
	{ "set_interface", set_interface, ENOSYS },
	{ "memory_as_code", memory_as_code, ENOSYS },
	{ "memory_made_code", memory_made_code, ENOSYS },
	{ "a_child", a_child, ENOSYS },
	{ "signal_another", signal_another, ENOSYS },
	{ "tgkill_another", tgkill_another, ENOSYS },
	{ "dumpable", dumpable, ENOSYS },
	{ "become_root", become_root, ENOSYS },
	{ "listen_tcp", listen_tcp, ENOSYS },
	{ "a_thread", a_thread, WORKED },
	{ "allocate", allocate, WORKED },
	{ "name_interface", name_interface, WORKED },
	{ "say", say, WORKED },
	{ "pin", pin, WORKED },
	{ "give_up", give_up, -SIGABRT },
	{ "run_program", run_program, -SIGSYS },
	{ "trace", trace, -SIGSYS },
	{ "do_mount", do_mount, -SIGSYS },
	{ "new_spaces", new_spaces, -SIGSYS },
	{ "set_clock", set_clock, -SIGSYS },
	{ "read_another", read_another, -SIGSYS },
	{ "uring", uring, -SIGSYS },
	{ "load_bpf", load_bpf, -SIGSYS },
};

/* Go in, then f; how the child ended: its status, or -signal. */
static int
child(const struct pace_sandbox_cfg *cfg, int (*f)(void))
{
	struct pace_sandbox got;
	int status;
	pid_t pid = fork();

	ck_assert_int_ne(pid, -1);
	if (pid == 0)
		_exit(pace_sandbox_enter(&got, cfg, NULL) < 0 ? NOT_ENTERED : f());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

START_TEST(each_call_is_allowed_refused_or_deadly)
{
	const struct try *t = &tries[_i];
	int got;

	if (pace_filter_lacks() != NULL)
		return;
	got = child(&plain, t->f);
	ck_assert_msg(got == t->want, "%s: expected %d, found %d", t->name, t->want, got);
}
END_TEST

/* --- privileges --------------------------------------------------------------------- */

static struct pace_sandbox_cfg given;
static struct pace_sandbox got;

/* The kernel's values for this process agree with the reported ones. */
static bool
status_line(const char *name, unsigned long long *v)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");
	bool found = false;

	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, strlen(name)) == 0) {
			*v = strtoull(line + strlen(name), NULL, 16);
			found = true;
		}
	if (f != NULL)
		fclose(f);
	return found;
}

static bool
status_is(const char *name, unsigned long long want)
{
	unsigned long long v = 0;

	if (status_line(name, &v) && v == want)
		return true;
	fprintf(stderr, "%s expected %llx, found %llx\n", name, want, v);
	return false;
}

/* In a child, for it cannot be taken back: 0 when all is as wanted. */
static int
try_privileges(uint64_t want_caps)
{
	struct pace_err err = { .code = 0 };
	int status, rc;
	pid_t pid = fork();

	ck_assert_int_ne(pid, -1);
	if (pid == 0) {
		rc = pace_sandbox_enter(&got, &given, &err);
		if (rc < 0) {
			fprintf(stderr, "%s: %s\n", err.step, err.text);
			_exit(-rc);
		}
		_exit(status_is("CapPrm:", want_caps) && status_is("CapEff:", want_caps) &&
		    status_is("CapInh:", 0) && status_is("CapAmb:", 0) &&
		    status_is("NoNewPrivs:", 1) && got.caps == want_caps && got.confined &&
		    (geteuid() != 0 || status_is("CapBnd:", 0)) &&
		    status_is("Seccomp:", got.unfiltered == NULL ? 2 : 0) ? 0 : NOT_ENTERED);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The capabilities among these that a container left to root. */
static uint64_t
had(uint64_t caps)
{
	unsigned long long v = 0;

	(void)status_line("CapPrm:", &v);
	return v & caps;
}

START_TEST(what_is_left_is_listed)
{
	if (geteuid() != 0)
		return;
	given = plain;
	ck_assert_int_eq(try_privileges(0), 0);
	given.port = 14233;
	ck_assert_int_eq(try_privileges(0), 0);
	given.port = 7;
	ck_assert_int_eq(try_privileges(had(BIT(CAP_NET_BIND_SERVICE))), 0);
	given.net_admin = true;
	ck_assert_int_eq(try_privileges(had(BIT(CAP_NET_ADMIN) | BIT(CAP_NET_BIND_SERVICE))), 0);
	given.user = "65534";
	given.port = 0;
	ck_assert_int_eq(try_privileges(had(BIT(CAP_NET_ADMIN))), 0);
}
END_TEST

static int
who_am_i(void)
{
	if (getuid() != 65534 || geteuid() != 65534)
		return 1;
	if (getegid() == 0 || getgid() == 0)
		return 2;
	for (int n = getgroups(0, NULL), i = 0; i < n; i++) {
		gid_t v[64];

		if (n > 64 || getgroups(64, v) != n || v[i] == 0)
			return 3;
	}
	return WORKED;
}

START_TEST(another_user_has_nothing_of_root)
{
	if (geteuid() != 0)
		return;
	(void)setgroups(1, (const gid_t[]){ 0 });
	given = plain;
	given.user = "65534";
	ck_assert_int_eq(try_privileges(0), 0);
	ck_assert_int_eq(child(&given, who_am_i), WORKED);
	given.port = 7;
	ck_assert_int_eq(try_privileges(had(BIT(CAP_NET_BIND_SERVICE))), 0);
	given.off = true;		/* groups as well: the filter has no call to ask for them */
	ck_assert_int_eq(child(&given, who_am_i), WORKED);
}
END_TEST

static int
try_root(void)
{
	return setuid(0) == 0 || seteuid(0) == 0 || setresuid(0, 0, 0) == 0 || setgid(0) == 0 ||
	    setgroups(1, (const gid_t[]){ 0 }) == 0 ? 1 : WORKED;
}

static int
has_no_groups(void)
{
	return getgroups(0, NULL) == 0 ? who_am_i() : 4;
}

/* Where this host has no user udpace: that takes a host of its own, tests/net. */
START_TEST(root_changes_to_nobody_and_does_not_come_back)
{
	if (geteuid() != 0 || getpwnam(PACE_SANDBOX_USER) != NULL)
		return;
	(void)setgroups(2, (const gid_t[]){ 0, 4 });
	given = plain;
	given.user = NULL;
	ck_assert_int_eq(try_privileges(0), 0);
	ck_assert_int_eq(child(&given, who_am_i), WORKED);
	ck_assert_int_eq(child(&given, try_root), WORKED);
	if (pace_filter_lacks() != NULL)
		ck_assert_int_eq(child(&given, has_no_groups), WORKED);
	given.off = true;
	ck_assert_int_eq(child(&given, who_am_i), 1);
}
END_TEST

START_TEST(a_number_needs_no_entry_of_a_user)
{
	struct pace_sandbox_user u;
	struct pace_sandbox_cfg cfg = { .user = "3999999999" };

	ck_assert_int_eq(pace_sandbox_user(&u, &cfg, NULL), 0);
	ck_assert_uint_eq(u.uid, 3999999999);
	ck_assert_uint_eq(u.gid, 3999999999);
	ck_assert_str_eq(u.name, "");
}
END_TEST

START_TEST(only_root_changes_to_another_user)
{
	given = plain;
	given.user = "no-such-user-here";
	ck_assert_int_eq(try_privileges(0), ENOENT);
	given.user = "4294967295";		/* "no change" to the kernel */
	ck_assert_int_eq(try_privileges(0), ENOENT);
	if (geteuid() == 0)
		return;
	given.user = "0";
	ck_assert_int_eq(try_privileges(0), EPERM);
}
END_TEST

static char path[64];

static int
tells_unreadable(void)
{
	return got.unreadable == given.again[1] ? WORKED : 1;
}

START_TEST(a_file_that_cannot_be_read_again_is_an_error)
{
	int fd, status;
	pid_t pid;

	if (geteuid() != 0)
		return;
	snprintf(path, sizeof(path), "/tmp/test_sandbox.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ne(fd, -1);
	close(fd);
	given = plain;
	given.user = "65534";
	given.again[0] = "/proc/stat";
	given.again[1] = path;
	pid = fork();
	ck_assert_int_ne(pid, -1);
	if (pid == 0)
		_exit(pace_sandbox_enter(&got, &given, NULL) == -EACCES ? tells_unreadable() :
		    NOT_ENTERED);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	unlink(path);
	ck_assert_int_eq(status, 0);
}
END_TEST

static void *
wait_long(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Its capabilities would stay. */
START_TEST(a_second_thread_is_refused)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		pthread_t t;

		if (pthread_create(&t, NULL, wait_long, NULL) != 0)
			_exit(99);
		_exit(-pace_sandbox_enter(&got, &plain, NULL));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), pace_filter_lacks() == NULL ? EBUSY : 0);
}
END_TEST

START_TEST(off_leaves_everything)
{
	given = plain;
	given.off = true;
	ck_assert_int_eq(child(&given, open_wronly), WORKED);
	ck_assert_int_eq(child(&given, a_child), WORKED);
	ck_assert_int_eq(child(&given, run_program), ENOENT);
}
END_TEST

/* --- words ---------------------------------------------------------------------------- */

static const struct { struct pace_sandbox s; const char *words; } texts[] = {
	{ { .uid = 998, .confined = true }, "user 998, no capabilities, system calls filtered" },
	{ { .caps = BIT(CAP_NET_ADMIN), .confined = true },
	    "user 0, capabilities CAP_NET_ADMIN, system calls filtered" },
	{ { .caps = BIT(CAP_NET_ADMIN) | BIT(CAP_NET_BIND_SERVICE), .confined = true,
	    .unfiltered = "built without libseccomp" },
	    "user 0, capabilities CAP_NET_ADMIN CAP_NET_BIND_SERVICE, system calls not filtered: "
	    "built without libseccomp" },
	{ { .caps = BIT(CAP_SYS_ADMIN) | BIT(CAP_NET_ADMIN), .unfiltered = "switched off" },
	    "off: user 0, capabilities CAP_NET_ADMIN and others, system calls not filtered: "
	    "switched off" },
};

START_TEST(it_is_told_in_words)
{
	char text[256];

	ck_assert_str_eq(pace_sandbox_text(&texts[_i].s, text, sizeof(text)), texts[_i].words);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("sandbox");

	plain.user = geteuid() == 0 ? "0" : NULL;
	tcase_add_loop_test(tc, each_call_is_allowed_refused_or_deadly, 0, COUNT_OF(tries));
	tcase_add_test(tc, what_is_left_is_listed);
	tcase_add_test(tc, another_user_has_nothing_of_root);
	tcase_add_test(tc, root_changes_to_nobody_and_does_not_come_back);
	tcase_add_test(tc, a_number_needs_no_entry_of_a_user);
	tcase_add_test(tc, only_root_changes_to_another_user);
	tcase_add_test(tc, a_file_that_cannot_be_read_again_is_an_error);
	tcase_add_test(tc, a_second_thread_is_refused);
	tcase_add_test(tc, off_leaves_everything);
	tcase_add_loop_test(tc, it_is_told_in_words, 0, COUNT_OF(texts));
	return unit_run(tc, "sandbox");
}
