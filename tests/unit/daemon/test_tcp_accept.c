/* tcp_accept.h, over loopback: a connection gets in with its proof, once, and from its client's address. */
#include "daemon/tcp_accept.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/unit.h"
#include "plat/clock.h"
#include "proto/tcp_hello.h"

#define SESSION	UINT64_C(77)
#define RUN	3

static struct pace_tcp_accept door;
static struct sockaddr_in to = { .sin_family = AF_INET };
static const struct pace_tcp_params params = { .streams = 2, .up = true, .duration_ns = 1000000000,
    .write_bytes = 1000, .interval_ns = 100000000 };
static uint8_t key[PACE_TCP_SECRET] = { 1, 2, 3 };
static struct pace_tcp_run *run;

static void
begin(const char *client)
{
	struct pace_addr local = { .family = 4, .ip = { 127, 0, 0, 1 } }, peer = { .family = 4 };
	socklen_t len = sizeof(to);

	inet_pton(AF_INET, client, peer.ip);
	ck_assert_int_eq(pace_tcp_accept_open(&door, &local, 0), 0);
	ck_assert_int_eq(getsockname(door.fd, (struct sockaddr *)&to, &len), 0);
	ck_assert_int_eq(pace_tcp_accept_begin(&door), 0);
	ck_assert_int_eq(door.host.begin(door.host.ctx, &params, &peer, SESSION, RUN, key, &run), 0);
}

static void
end(void)
{
	door.host.end(door.host.ctx, run);
	pace_tcp_accept_close(&door);
}

static int
knock(const struct pace_tcp_hello *h, const uint8_t with[PACE_TCP_SECRET], size_t bytes)
{
	uint8_t hello[PACE_TCP_HELLO];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
	pace_tcp_hello_put(hello, h, with);
	ck_assert_int_eq(send(fd, hello, bytes, MSG_NOSIGNAL), (ssize_t)bytes);
	return fd;
}

/* What the door says within 5 s: 1 it is in, 0 it was closed, -1 nothing. */
static int
answer(int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };
	uint8_t byte;

	if (poll(&p, 1, 5000) != 1)
		return -1;
	return recv(fd, &byte, 1, 0) == 1 && byte == 1;
}

static int
knocks(struct pace_tcp_hello h, const uint8_t with[PACE_TCP_SECRET])
{
	int fd = knock(&h, with, PACE_TCP_HELLO), rc = answer(fd);

	if (rc != 1)
		close(fd);
	return rc;
}

/* The answer comes before the run has counted the connection. */
static struct pace_tcp_counts
counts_with(uint32_t connections)
{
	int64_t until = pace_clock_raw() + 5000000000;
	struct pace_tcp_counts c;

	do {
		door.host.engine->look(run, &c);
	} while (c.connections < connections && pace_clock_raw() < until);
	return c;
}

START_TEST(each_proof_is_good_for_one_connection)
{
	const struct pace_tcp_hello h = { SESSION, RUN, 1, false };
	uint8_t other[PACE_TCP_SECRET] = { 1, 2, 4 };
	struct pace_tcp_counts c;

	begin("127.0.0.1");
	ck_assert_int_eq(knocks(h, other), 0);
	ck_assert_int_eq(knocks((struct pace_tcp_hello){ SESSION + 1, RUN, 1, false }, key), 0);
	ck_assert_int_eq(knocks((struct pace_tcp_hello){ SESSION, RUN + 1, 1, false }, key), 0);
	ck_assert_int_eq(knocks(h, key), 1);
	ck_assert_int_eq(knocks(h, key), 0);		/* it is there already */
	c = counts_with(1);
	ck_assert(c.connections == 1 && !c.begun && !c.over);
	ck_assert_int_eq(knocks((struct pace_tcp_hello){ SESSION, RUN, 0, false }, key), 1);
	c = counts_with(2);
	ck_assert(c.connections == 2 && c.begun);
	end();
}
END_TEST

/* They would be outside of the run's tables. */
START_TEST(there_are_no_other_streams)
{
	begin("127.0.0.1");
	ck_assert_int_eq(knocks((struct pace_tcp_hello){ SESSION, RUN, 2, false }, key), 0);
	ck_assert_int_eq(knocks((struct pace_tcp_hello){ SESSION, RUN, 255, false }, key), 0);
	ck_assert_int_eq(knocks((struct pace_tcp_hello){ SESSION, RUN, 0, true }, key), 0);
	end();
}
END_TEST

START_TEST(it_comes_from_the_address_of_its_client)
{
	begin("127.0.0.2");
	ck_assert_int_eq(knocks((struct pace_tcp_hello){ SESSION, RUN, 0, false }, key), 0);
	end();
}
END_TEST

START_TEST(who_owes_the_rest_of_it_is_closed)
{
	const struct pace_tcp_hello h = { SESSION, RUN, 0, false };
	int slow[PACE_TCP_UNPROVEN_EACH];
	int64_t began = pace_clock_raw();

	begin("127.0.0.1");
	for (int i = 0; i < PACE_TCP_UNPROVEN_EACH; i++)
		slow[i] = knock(&h, key, PACE_TCP_HELLO - 1);
	ck_assert_int_eq(answer(slow[0]), 0);
	ck_assert_int_ge(pace_clock_raw() - began, PACE_TCP_PROOF_NS);
	for (int i = 1; i < PACE_TCP_UNPROVEN_EACH; i++)
		ck_assert_int_eq(answer(slow[i]), 0);
	ck_assert_int_eq(knocks(h, key), 1);	/* they left their places */
	end();
}
END_TEST

START_TEST(a_run_without_its_connections_ends)
{
	struct pace_tcp_counts c;
	const struct pace_tcp_side *side;

	begin("127.0.0.1");
	ck_assert_int_eq(knocks((struct pace_tcp_hello){ SESSION, RUN, 0, false }, key), 1);
	side = door.host.side(door.host.ctx, run);
	door.host.engine->look(run, &c);
	ck_assert(c.over && side->end[0][0].connected && !side->end[0][1].connected);
	ck_assert_int_eq(side->end[0][0].failed, ETIMEDOUT);
	ck_assert(!side->end[0][0].complete && side->end[0][0].rows == 0);
	end();
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("tcp_accept");

	tcase_add_test(tc, each_proof_is_good_for_one_connection);
	tcase_add_test(tc, there_are_no_other_streams);
	tcase_add_test(tc, it_comes_from_the_address_of_its_client);
	tcase_add_test(tc, who_owes_the_rest_of_it_is_closed);
	tcase_add_test(tc, a_run_without_its_connections_ends);
	return unit_run(tc, "tcp_accept");
}
