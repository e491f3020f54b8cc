/* admitted.h: command lines as somebody typed them, and what becomes of them. */
#include "run/admitted.h"

#include "lib/unit.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SEC	INT64_C(1000000000)

/* As throughput has them, of the same names; TRIPS as latency, SEARCH as capacity. */
struct cfg {
	struct pace_given given;
	struct pace_list size, spacing, rate;
	struct pace_list streams;
	int64_t	count, duration, bursts, gap, repeat, interval, reply, timeout, from, to, sustain;
	const char *output, *jsonl;
	bool	verify, quiet, force, two_way;
};

#define AT(field)	offsetof(struct cfg, field)
#define NUM(name, letter, field, unit, def) \
	{ name, letter, PACE_OPT_NUM, AT(field), unit, 0, INT64_MAX, def, "N", "", "" }
#define LIST(name, letter, field, unit, def) \
	{ name, letter, PACE_OPT_LIST, AT(field), unit, 0, INT64_MAX, def, "LIST", "", "" }
#define FILES(name, letter, field) \
	{ name, letter, PACE_OPT_STR, AT(field), 0, 0, 0, NULL, "FILE", "", "" }
#define FLAG(name, letter, field) \
	{ name, letter, PACE_OPT_FLAG, AT(field), 0, 0, 0, NULL, NULL, "", "" }

static const struct pace_opt stream[] = {
	LIST("size", 'p', size, PACE_UNIT_BYTES, "1472"),
	LIST("spacing", 'w', spacing, PACE_UNIT_USEC, "1ms"),
	LIST("rate", 'r', rate, PACE_UNIT_BPS, NULL),
	NUM("count", 'l', count, PACE_UNIT_COUNT, NULL),
	NUM("duration", 't', duration, PACE_UNIT_SEC, "10s"),
	NUM("bursts", 'n', bursts, PACE_UNIT_COUNT, "1"),
	NUM("burst-gap", 'g', gap, PACE_UNIT_USEC, "0"),
	NUM("repeat", 0, repeat, PACE_UNIT_COUNT, "1"),
	LIST("streams", 'P', streams, PACE_UNIT_COUNT, "1"), FLAG("two-way", 0, two_way),
	FLAG("verify", 'v', verify), FLAG("quiet", 'q', quiet),
	FILES("output", 'o', output), FILES("jsonl", 0, jsonl), FLAG("force", 0, force),
}, trips[] = {
	LIST("size", 'p', size, PACE_UNIT_BYTES, "64,1472"),
	NUM("reply-size", 0, reply, PACE_UNIT_BYTES, NULL),
	NUM("interval", 'w', interval, PACE_UNIT_USEC, "1ms"),
	NUM("count", 'l', count, PACE_UNIT_COUNT, "1000"),
	NUM("timeout", 0, timeout, PACE_UNIT_SEC, "1s"),
}, search[] = {
	NUM("size", 'p', size, PACE_UNIT_BYTES, "1472"),
	{ "low", 0, PACE_OPT_NUM, AT(from), PACE_UNIT_BPS, 100000, INT64_MAX, "10M", "N", "", "" },
	NUM("high", 0, to, PACE_UNIT_BPS, NULL),
	NUM("duration", 't', duration, PACE_UNIT_SEC, "1s"),
	NUM("sustain", 0, sustain, PACE_UNIT_SEC, "10s"),
};

static const struct pace_cmd cmds[] = {
	{ "throughput", "", "HOST", 1, 1, stream, COUNT_OF(stream), NULL, sizeof(struct cfg), NULL, NULL },
	{ "latency", "", "HOST", 1, 1, trips, COUNT_OF(trips), NULL, sizeof(struct cfg), NULL, NULL },
	{ "capacity", "", "HOST", 1, 1, search, COUNT_OF(search), NULL, sizeof(struct cfg), NULL, NULL },
};
enum { STREAM, TRIPS, SEARCH };

/* 1472 B are 1538 on the wire: 123.04 us apart at 100 Mbit/s. */
static const struct pace_allowed public = { .rate_bps = 100000000, .duration_ns = 10 * SEC };

static const struct {
	int	cmd;
	struct pace_allowed p;
	const char *typed, *line;	/* line NULL: there is none */
} lines[] = {
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput HOST --spacing 10us",
	    "udpace throughput HOST --spacing 124us" },
	/* the refused run has made its files */
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput HOST --spacing 10us -o F",
	    "udpace throughput HOST --spacing 124us -o F --force" },
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput --spacing 10us --jsonl F HOST",
	    "udpace throughput --spacing 124us --jsonl F HOST --force" },
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput -o F --force HOST --spacing 10us",
	    "udpace throughput -o F --force HOST --spacing 124us" },
	{ STREAM, { 100000000, 0, 0, 5 * SEC, 0 }, "udpace throughput HOST --spacing=10us",
	    "udpace throughput HOST --spacing 124us --duration 5s" },
	{ STREAM, { 100000000, 0, 0, 5 * SEC, 0 }, "./udpace throughput -qw10 HOST -t1m -v",
	    "./udpace throughput --spacing 124us -q HOST --duration 5s -v" },
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput -w 10 -- HOST",
	    "udpace throughput --spacing 124us -- HOST" },
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput --spacing 10 -t 11s HOST",
	    "udpace throughput --spacing 124us --duration 10s HOST" },
	/* a rate is of data; rounded down */
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput HOST -r 1G,50M,90M",
	    "udpace throughput HOST --rate 50M,90M" },
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput HOST -r 1G",
	    "udpace throughput HOST --rate 95.7M" },
	/* of a sweep the points that all sizes may have stay */
	{ STREAM, { 1000000000, 0, 0, 60 * SEC, 0 },
	    "udpace throughput HOST --size 64,512,1472 --spacing 10:40:5us",
	    "udpace throughput HOST --size 64,512,1472 --spacing 15us,20us,25us,30us,35us,40us" },
	{ STREAM, { 1000000000, 0, 0, 60 * SEC, 0 }, "udpace throughput HOST --spacing 0:40:1us",
	    "udpace throughput HOST --spacing 0us,12us:40us:1us" },
	{ STREAM, { 1000000000, 0, 0, 60 * SEC, 0 }, "udpace throughput HOST --spacing 1:40:1us",
	    "udpace throughput HOST --spacing 12us:40us:1us" },
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput HOST -p 1472,64 -w 100us,200us",
	    "udpace throughput HOST -p 1472,64 --spacing 200us" },
	/* what is short may be faster */
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput HOST -w 10us -l 8000", NULL },
	{ STREAM, { 0, 1000, 0, 10 * SEC, 0 }, "udpace throughput HOST -p 64 -w 10us",
	    "udpace throughput HOST -p 64 --spacing 1000us" },
	/* two bursts have one pause between them: 2000 frames in 2.9 s, and a second more */
	{ STREAM, { 0, 512, 0, 0, 0 }, "udpace throughput HOST -w 1ms -l 1000 -n 2 -g 900ms",
	    "udpace throughput HOST --spacing 1960us -l 1000 -n 2 -g 900ms" },
	{ STREAM, { 0, 513, 0, 0, 0 }, "udpace throughput HOST -w 1ms -l 1000 -n 2 -g 900ms", NULL },
	/* by count the length follows from the spacing */
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput HOST -w 10us -l 1M",
	    "udpace throughput HOST --spacing 124us --count 80645" },
	{ STREAM, { 0, 0, 0, 10 * SEC, 0 }, "udpace throughput HOST -w 1ms -l 1000 -n 20 -g 100ms",
	    "udpace throughput HOST -w 1ms -l 1000 --bursts 9 -g 100ms" },
	{ STREAM, { 0, 0, 0, 10 * SEC, 0 }, "udpace throughput HOST -w 1ms -l 20000 -n 2",
	    "udpace throughput HOST -w 1ms --count 10000 --bursts 1" },
	{ STREAM, { 0, 0, 1000, 0, 0 }, "udpace throughput HOST -p 64,1472,900",
	    "udpace throughput HOST --size 64,900" },
	{ STREAM, { 0, 0, 1000, 0, 0 }, "udpace throughput HOST", "udpace throughput HOST --size 1000" },
	/* what is left of the day: 15.38 MB and a tenth are asked for */
	{ STREAM, { 0, 0, 0, 0, 8459000 }, "udpace throughput HOST", "udpace throughput HOST --duration 5s" },
	{ STREAM, { 0, 0, 0, 0, 8459000 }, "udpace throughput HOST --repeat 2",
	    "udpace throughput HOST --repeat 2 --duration 2.5s" },
	{ STREAM, { 0, 0, 0, 0, 1 }, "udpace throughput HOST -l 10", NULL },
	/* limits hold for all streams together: of 4, and of 1 and 3 one after the other */
	{ STREAM, { 10000000, 0, 0, 0, 0 }, "udpace throughput HOST -P 4 -r 20M",
	    "udpace throughput HOST -P 4 --rate 2.39M" },
	{ STREAM, { 10000000, 0, 0, 0, 0 }, "udpace throughput HOST -P 4 -r 2M", NULL },
	{ STREAM, { 0, 4000, 0, 0, 0 }, "udpace throughput HOST -P 2,4 -w 900us",
	    "udpace throughput HOST -P 2,4 --spacing 1000us" },
	{ STREAM, { 0, 0, 0, 0, 8459000 }, "udpace throughput HOST -P 4",
	    "udpace throughput HOST -P 4 --duration 1.25s" },
	{ STREAM, { 0, 0, 0, 0, 8459000 }, "udpace throughput HOST -P 1,3",
	    "udpace throughput HOST -P 1,3 --duration 1.25s" },
	{ STREAM, { 0, 0, 0, 0, 8459000 }, "udpace throughput HOST --two-way",
	    "udpace throughput HOST --two-way --duration 2.5s" },
	{ STREAM, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace throughput 'a host' -w1",
	    "udpace throughput 'a host' --spacing 124us" },
	{ TRIPS, { 0, 0, 0, 500000000, 0 }, "udpace latency HOST", "udpace latency HOST --count 500" },
	{ TRIPS, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace latency HOST -w 20 -l 1M",
	    "udpace latency HOST --interval 124us --count 80645" },
	/* the same, and what comes back: 3.336 MB, and a tenth; half of it and a little more */
	{ TRIPS, { 0, 0, 0, 0, 1836000 }, "udpace latency HOST", "udpace latency HOST --count 500" },
	{ SEARCH, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace capacity HOST", "udpace capacity HOST --high 95.7M" },
	{ SEARCH, { 100000000, 0, 0, 5 * SEC, 0 }, "udpace capacity --low 1G --high 2G HOST",
	    "udpace capacity --low 9.57M --high 95.7M HOST --sustain 5s" },
	{ SEARCH, { 100000000, 0, 0, 10 * SEC, 0 }, "udpace capacity HOST --high 50M", NULL },
	/* no lower than the option's least; and what is allowed is lower than that */
	{ SEARCH, { 500000, 0, 0, 10 * SEC, 0 }, "udpace capacity HOST",
	    "udpace capacity HOST --high 0.478M --low 0.1M" },
	{ SEARCH, { 90000, 0, 0, 10 * SEC, 0 }, "udpace capacity HOST", NULL },
};

/* Words with blanks between them; those in '' are one. */
static int
split(char *text, char **argv)
{
	int n = 0;

	while (*text != '\0') {
		char end = ' ';

		if (*text == '\'') {
			end = '\'';
			text++;
		}
		argv[n++] = text;
		while (*text != '\0' && *text != end)
			text++;
		if (*text != '\0')
			*text++ = '\0';
		while (*text == ' ')
			text++;
	}
	argv[n] = NULL;
	return n;
}

static char *
line_of(int cmd, const char *typed, const struct pace_allowed *p, bool ended)
{
	static struct cfg cfg;
	static char text[512];
	char *words[32], *parsed[32];
	struct pace_admitted a = { .cmd = &cmds[cmd], .cfg = &cfg, .argv = words, .overhead = 66,
	    .ended = ended };

	ck_assert_uint_lt(strlen(typed), sizeof(text));
	strcpy(text, typed);
	a.argc = split(text, words);
	memcpy(parsed, words, sizeof(words));
	ck_assert_int_gt(pace_opt_parse(a.cmd, &cfg, a.argc - 1, parsed + 1), 0);
	return pace_admitted_line(&a, p);
}

START_TEST(the_line_has_what_is_allowed_and_the_rest_as_it_was)
{
	char *line = line_of(lines[_i].cmd, lines[_i].typed, &lines[_i].p, false);

	if (lines[_i].line == NULL)
		ck_assert_ptr_null(line);
	else
		ck_assert_str_eq(line, lines[_i].line);
	free(line);
}
END_TEST

START_TEST(as_fast_as_possible_is_too_fast_where_that_was_ended)
{
	char *line = line_of(STREAM, "udpace throughput HOST --spacing 0", &public, true);

	ck_assert_str_eq(line, "udpace throughput HOST --spacing 124us");
	free(line);
	ck_assert_ptr_null(line_of(STREAM, "udpace throughput HOST --spacing 0", &public, false));
}
END_TEST

/* Any command of a search is refused again where the day's volume is used up. */
START_TEST(no_search_fits_what_is_left_of_a_day)
{
	struct cfg cfg;
	char *words[] = { "udpace", "capacity", "HOST", NULL }, *parsed[] = { "capacity", "HOST", NULL };
	struct pace_admitted a = { .cmd = &cmds[SEARCH], .cfg = &cfg, .argc = 3, .argv = words,
	    .overhead = 66, .day = true };

	ck_assert_int_gt(pace_opt_parse(a.cmd, &cfg, 2, parsed), 0);
	ck_assert_ptr_null(pace_admitted_line(&a, &public));
}
END_TEST

START_TEST(words_name_each_limit)
{
	const struct pace_allowed all = { 100000000, 20000, 1472, 10 * SEC, 5000000000 };
	const struct pace_allowed none = { .rate_bps = 0 };
	char text[160];

	ck_assert_uint_gt(pace_admitted_text(&all, text, sizeof(text)), 0);
	ck_assert_str_eq(text, "100 Mbit/s on the wire, 20 000 frames/s, 1472 B a frame, "
	    "10.0 s a run, 5 GB left today");
	ck_assert_uint_eq(pace_admitted_text(&none, text, sizeof(text)), 0);
	ck_assert_str_eq(text, "");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("admitted");

	tcase_add_loop_test(tc, the_line_has_what_is_allowed_and_the_rest_as_it_was, 0,
	    COUNT_OF(lines));
	tcase_add_test(tc, as_fast_as_possible_is_too_fast_where_that_was_ended);
	tcase_add_test(tc, no_search_fits_what_is_left_of_a_day);
	tcase_add_test(tc, words_name_each_limit);
	return unit_run(tc, "admitted");
}
