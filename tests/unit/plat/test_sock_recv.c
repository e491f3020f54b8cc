/*
 * sock_recv.c: what is read from the control messages of a datagram.
 */
#include "plat/sock_own.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/unit.h"

static _Alignas(8) char control[256];
static struct msghdr m;
static struct pace_in in;
static int64_t nic_ns;

static void
setup(void)
{
	memset(control, 0, sizeof(control));
	m = (struct msghdr){ .msg_control = control, .msg_controllen = 0 };
	memset(&in, 0xff, sizeof(in));
}

/* Put a control message behind the others. */
static void
put(int level, int type, const void *data, size_t size)
{
	struct cmsghdr *c = (struct cmsghdr *)(void *)(control + m.msg_controllen);

	ck_assert_uint_le(m.msg_controllen + CMSG_SPACE(size), sizeof(control));
	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), data, size);
	m.msg_controllen += CMSG_SPACE(size);
}

START_TEST(nothing_is_known_without_messages)
{
	pace_sock_read_control(&m, &in, &nic_ns);
	ck_assert(!in.has_mark && !in.has_drops);
	ck_assert_uint_eq(in.segment, 0);
	ck_assert_int_eq(in.stamp, PACE_STAMP_NONE);
}
END_TEST

/* IPv4 has a byte, IPv6 an int, between other messages. */
START_TEST(the_mark_of_either_family_is_read)
{
	const uint32_t drops = 77;
	const int segment = 1000, tclass = _i;
	const uint8_t tos = (uint8_t)_i;

	put(SOL_SOCKET, SO_RXQ_OVFL, &drops, sizeof(drops));
	put(IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	put(SOL_UDP, UDP_GRO, &segment, sizeof(segment));
	pace_sock_read_control(&m, &in, &nic_ns);
	ck_assert(in.has_mark && in.has_drops);
	ck_assert_uint_eq(in.mark, tos);
	ck_assert_uint_eq(in.drops, 77);
	ck_assert_uint_eq(in.segment, 1000);

	setup();
	put(IPPROTO_IPV6, IPV6_TCLASS, &tclass, sizeof(tclass));
	put(SOL_SOCKET, SO_RXQ_OVFL, &drops, sizeof(drops));
	pace_sock_read_control(&m, &in, &nic_ns);
	ck_assert(in.has_mark && in.has_drops);
	ck_assert_uint_eq(in.mark, (uint8_t)tclass);
}
END_TEST

START_TEST(other_messages_of_the_family_are_no_mark)
{
	const int ttl = 64;

	put(IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl));
	put(IPPROTO_IPV6, IPV6_HOPLIMIT, &ttl, sizeof(ttl));
	pace_sock_read_control(&m, &in, &nic_ns);
	ck_assert(!in.has_mark);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("sock_recv");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, nothing_is_known_without_messages);
	tcase_add_loop_test(tc, the_mark_of_either_family_is_read, 0, 256);
	tcase_add_test(tc, other_messages_of_the_family_are_no_mark);
	return unit_run(tc, "sock_recv");
}
