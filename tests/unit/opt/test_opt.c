#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opt/opt.h"
#include "opt/opt_typed.h"
#include "opt/suggest.h"

#define COUNT_OF(a)	((int)(sizeof(a) / sizeof((a)[0])))
#define SEC		INT64_C(1000000000)

/* A command with every kind of option. */
struct cfg {
	struct pace_given given;
	struct pace_list size, spacing;
	int64_t		count, duration, rate, loss, dscp;
	struct pace_list codes;
	struct pace_linear_hist_arg linear;
	const char	*output, *label;
	bool		json, quiet;
	char		after;		/* must stay 0 */
};
#define AT(f)	offsetof(struct cfg, f)

static const struct pace_opt rows[] = {
	{ "size", 'p', PACE_OPT_LIST, AT(size), PACE_UNIT_BYTES, 32, 65507, "1472", "LIST",
	    "user data of a frame, header included", "Stream" },
	{ "spacing", 'w', PACE_OPT_LIST, AT(spacing), PACE_UNIT_USEC, 0, 2 * SEC, "1ms", "LIST",
	    "time between the starts of two frames", "Stream" },
	{ "count", 'l', PACE_OPT_NUM, AT(count), PACE_UNIT_COUNT, 1, INT64_MAX, NULL, "N",
	    "frames a point", "Stream" },
	{ "duration", 't', PACE_OPT_NUM, AT(duration), PACE_UNIT_SEC, SEC / 1000, 86400 * SEC,
	    "10s", "TIME", "how long", "Stream" },
	{ "rate", 'r', PACE_OPT_NUM, AT(rate), PACE_UNIT_BPS, 1, 400 * SEC, NULL, "RATE",
	    "user data rate, with a help line that is so long that it cannot but be "
	    "wrapped \xc2\xb5 \xc2\xb5 \xc2\xb5 \xc2\xb5 \xc2\xb5 more than once", "Stream" },
	{ "dscp", 'Q', PACE_OPT_DSCP, AT(dscp), PACE_UNIT_COUNT, 0, 63, "0", "DSCP",
	    "code point", "Network" },
	{ "linear", 0, PACE_OPT_LINEAR, AT(linear), PACE_UNIT_USEC, 0, 0, NULL, "LOW:WIDTH:BINS",
	    "linear histogram beside", "Network" },
	{ "max-loss", 0, PACE_OPT_NUM, AT(loss), PACE_UNIT_RATIO, 0, SEC, NULL, "RATIO",
	    "status 1 above", "Limits" },
	{ "output", 'o', PACE_OPT_STR, AT(output), PACE_UNIT_COUNT, 0, 0, NULL, "FILE",
	    "write the document", "Output" },
	{ "label", 0, PACE_OPT_STR, AT(label), PACE_UNIT_COUNT, 0, 8, NULL, "TEXT",
	    "what others are told", "Output" },
	{ "json", 'j', PACE_OPT_FLAG, AT(json), PACE_UNIT_COUNT, 0, 0, NULL, NULL,
	    "one document", "Output" },
	{ "quiet", 'q', PACE_OPT_FLAG, AT(quiet), PACE_UNIT_COUNT, 0, 0, NULL, NULL,
	    "less", "Output" },
};

static const char *const lines[] = {
	"# first", "udpace probe one", "udpace probe two", "# third", "udpace probe three",
	"# fourth", "udpace probe four", NULL
};

static const struct pace_cmd probe = {
	.name = "probe", .summary = "send some", .operands = "HOST",
	.min_operands = 1, .max_operands = 2, .opts = rows, .nopts = COUNT_OF(rows),
	.examples = lines, .cfg_size = sizeof(struct cfg),
};

static struct cfg cfg;
static char *argv[40];
static int argc, first;
static char out[16384], err[4096];

static void
slurp(FILE *f, char *buf, size_t size)
{
	size_t n;

	rewind(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
}

/* Parse `words`, cut at '|', with stdout and stderr caught. */
static int
parse_cmd(const struct pace_cmd *cmd, const char *words)
{
	static char text[4096];
	FILE *o = tmpfile(), *e = tmpfile();
	int was_out, was_err;
	char *p = text;

	ck_assert(o != NULL && e != NULL);
	snprintf(text, sizeof(text), "probe%s%s", words[0] != '\0' ? "|" : "", words);
	for (argc = 0; p != NULL;)
		argv[argc++] = strsep(&p, "|");
	argv[argc] = NULL;

	fflush(stdout);
	was_out = dup(STDOUT_FILENO);
	was_err = dup(STDERR_FILENO);
	dup2(fileno(o), STDOUT_FILENO);
	dup2(fileno(e), STDERR_FILENO);
	first = pace_opt_parse(cmd, &cfg, argc, argv);
	fflush(stdout);
	dup2(was_out, STDOUT_FILENO);
	dup2(was_err, STDERR_FILENO);
	close(was_out);
	close(was_err);
	slurp(o, out, sizeof(out));
	slurp(e, err, sizeof(err));
	return first;
}

static int
parse(const char *words)
{
	return parse_cmd(&probe, words);
}

static void
good(const char *words)
{
	ck_assert_msg(parse(words) > 0, "'%s' gave %d: %s", words, first, err);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(out, "");
	ck_assert_int_eq(cfg.after, 0);
}

START_TEST(defaults_are_in_and_nothing_else_is)
{
	memset(&cfg, 0x5a, sizeof(cfg));
	good("h");
	ck_assert_uint_eq(cfg.given.bits[0] | cfg.given.bits[1], 0);
	ck_assert_int_eq(cfg.size.n, 1);
	ck_assert_int_eq(cfg.size.v[0], 1472);
	ck_assert_int_eq(cfg.spacing.v[0], 1000000);
	ck_assert_int_eq(cfg.duration, 10 * SEC);
	ck_assert_int_eq(cfg.count, 0);
	ck_assert_int_eq(cfg.linear.bins, 0);
	ck_assert_ptr_null(cfg.output);
	ck_assert(!cfg.json && !cfg.quiet);
}
END_TEST

/* Each way to write one option. */
static const struct { const char *words; } ways[] = {
	{ "--count=7|h" }, { "--count|7|h" }, { "-l7|h" }, { "-l|7|h" }, { "-ql7|h" },
	{ "-ql|7|h" }, { "h|--count=7" }, { "h|-l7" }, { "h|-l|7" }, { "--count=7|--|h" },
	{ "-l7|-q|--|h" }, { "-l3|-l7|h" }, { "--count=3|h|--count=7" },
};

START_TEST(every_way_of_writing_gives_the_same)
{
	good(ways[_i].words);
	ck_assert_int_eq(cfg.count, 7);
	ck_assert_str_eq(argv[first], "h");
	ck_assert_int_eq(first, argc - 1);
	ck_assert(pace_opt_given(&probe, &cfg, "count"));
	ck_assert(!pace_opt_given(&probe, &cfg, "size"));
	ck_assert(!pace_opt_given(&probe, &cfg, "nonsense"));
}
END_TEST

START_TEST(given_bits_are_the_rows_that_were_given)
{
	good("-q|--size=64|h|--json");
	ck_assert_uint_eq(cfg.given.bits[0], UINT64_C(1) << 0 | UINT64_C(1) << 10 | UINT64_C(1) << 11);
	ck_assert(cfg.json && cfg.quiet);
}
END_TEST

START_TEST(a_row_is_found_by_its_whole_name)
{
	for (int i = 0; i < COUNT_OF(rows); i++)
		ck_assert_ptr_eq(pace_opt_find(&probe, rows[i].name), &rows[i]);
	ck_assert_ptr_null(pace_opt_find(&probe, "siz"));
	ck_assert_ptr_null(pace_opt_find(&probe, "sizes"));
}
END_TEST

static const struct { const char *words, *a, *b; } orders[] = {
	{ "a|b", "a", "b" }, { "a|-q|b", "a", "b" }, { "-q|a|-l|7|b|-j", "a", "b" },
	{ "a|--|b", "a", "b" }, { "--|a|b", "a", "b" }, { "-q|--|a|-q", "a", "-q" },
	{ "a|-q|--|--", "a", "--" }, { "--|--count|-", "--count", "-" }, { "-|-q|b", "-", "b" },
};

START_TEST(operands_keep_their_order)
{
	if (_i & 1)
		setenv("POSIXLY_CORRECT", "1", 1);
	good(orders[_i / 2].words);
	ck_assert_int_eq(argc - first, 2);
	ck_assert_str_eq(argv[first], orders[_i / 2].a);
	ck_assert_str_eq(argv[first + 1], orders[_i / 2].b);
}
END_TEST

START_TEST(argv_is_permuted_and_loses_no_word)
{
	static const char *const want[] = { "probe", "-q", "-l", "7", "-j", "--", "a", "b" };

	good("a|-q|-l|7|-j|--|b");
	ck_assert_int_eq(argc, COUNT_OF(want));
	for (int i = 0; i < argc; i++)
		ck_assert_str_eq(argv[i], want[i]);
	ck_assert_ptr_null(argv[argc]);
}
END_TEST

static const struct { const char *words; size_t at; int64_t v; } values[] = {
	{ "--size=32|h", AT(size.v[0]), 32 },
	{ "--size=65507|h", AT(size.v[0]), 65507 },
	{ "--spacing=0|h", AT(spacing.v[0]), 0 },
	{ "--spacing=0.7us|h", AT(spacing.v[0]), 700 },
	{ "--spacing=10|h", AT(spacing.v[0]), 10000 },
	{ "--spacing=2s|h", AT(spacing.v[0]), 2 * SEC },
	{ "--count=1|h", AT(count), 1 },
	{ "--count=9223372036854775807|h", AT(count), INT64_MAX },
	{ "--duration=1ms|h", AT(duration), 1000000 },
	{ "--duration=24h|h", AT(duration), 86400 * SEC },
	{ "--duration=3|h", AT(duration), 3 * SEC },
	{ "--rate=9.5G|h", AT(rate), 9500000000 },
	{ "--rate=1|h", AT(rate), 1 },
	{ "--max-loss=0.1%|h", AT(loss), 1000000 },
	{ "--max-loss=0|h", AT(loss), 0 },
	{ "--max-loss=0.009999999|h", AT(loss), 9999999 },
	{ "--max-loss=0.01%|h", AT(loss), 100000 },
	{ "--max-loss=100%|h", AT(loss), SEC },
	{ "--dscp=0|h", AT(dscp), 0 },
	{ "--dscp=63|h", AT(dscp), 63 },
	{ "-QEF|h", AT(dscp), 46 },
	{ "-Q|le|h", AT(dscp), 1 },
	{ "--dscp=cs0|h", AT(dscp), 0 },
	{ "--dscp=cs7|h", AT(dscp), 56 },
	{ "--dscp=af11|h", AT(dscp), 10 },
	{ "--dscp=AF43|h", AT(dscp), 38 },
	{ "--linear=0:1us:100|h", AT(linear.low), 0 },
	{ "--linear=0:1us:100|h", AT(linear.width), 1000 },
	{ "--linear=0:1us:100|h", AT(linear.bins), 100 },
	{ "--linear=5:100ns:4096|h", AT(linear.low), 5 },		/* unit of WIDTH */
	{ "--linear=5:2:1|h", AT(linear.low), 5000 },
	{ "--linear=5ms:2:1|h", AT(linear.low), 5000000 },
	{ "--linear=0.5:1ns:1|h", AT(linear.bins), -1 },		/* half a ns */
	{ "--linear=1000s:1000s:1|h", AT(linear.width), 1000 * SEC },
};

START_TEST(every_edge_that_is_allowed_is_taken)
{
	int64_t v;

	if (values[_i].v == -1) {
		ck_assert_int_eq(parse(values[_i].words), -1);
		return;
	}
	good(values[_i].words);
	memcpy(&v, (const char *)&cfg + values[_i].at, sizeof(v));
	ck_assert_int_eq(v, values[_i].v);
}
END_TEST

START_TEST(lists_and_ranges_come_in_order)
{
	static const int64_t want[] = { 64, 100, 200, 300, 1472 };

	good("--size=64,100:300:100,1472|h");
	ck_assert_int_eq(cfg.size.n, COUNT_OF(want));
	for (int i = 0; i < cfg.size.n; i++)
		ck_assert_int_eq(cfg.size.v[i], want[i]);
	good("-w0:40:1us|h");
	ck_assert_int_eq(cfg.spacing.n, 41);
	ck_assert_int_eq(cfg.spacing.v[40], 40000);
}
END_TEST

START_TEST(a_list_is_full_at_1024)
{
	good("-w1:1024:1ns|h");
	ck_assert_int_eq(cfg.spacing.n, PACE_LIST_MAX);
	ck_assert_int_eq(cfg.spacing.v[PACE_LIST_MAX - 1], 1024);
	good("-w1:1023:1ns,7|h");
	ck_assert_int_eq(cfg.spacing.n, PACE_LIST_MAX);
	ck_assert_int_eq(parse("-w1:1025:1ns|h"), -1);
	ck_assert_ptr_nonnull(strstr(err, "--spacing: '1:1025:1ns' makes more than 1024 values"));
	ck_assert_int_eq(parse("-w1:1024:1ns,7|h"), -1);
	ck_assert_ptr_nonnull(strstr(err, "more than 1024 values"));
	ck_assert_int_eq(cfg.after, 0);
}
END_TEST

START_TEST(strings_point_into_argv)
{
	good("--output=a=b|--label|12345678|h");
	ck_assert_str_eq(cfg.output, "a=b");
	ck_assert_str_eq(cfg.label, "12345678");
	good("-o|-|h|--label=");
	ck_assert_str_eq(cfg.output, "-");
	ck_assert_str_eq(cfg.label, "");
}
END_TEST

/* The whole of what is said, without "udpace: " and the hint. */
static const struct { const char *words, *said; } mistakes[] = {
	{ "", "probe needs a HOST" },
	{ "-q", "probe needs a HOST" },
	{ "a|b|c", "probe: 'c' is one operand too many" },
	{ "a|b|--|c", "probe: 'c' is one operand too many" },
	{ "--size=70000|h", "--size: '70000' is above 65507 bytes (32 to 65507)" },
	{ "--size=65508|h", "--size: '65508' is above 65507 bytes (32 to 65507)" },
	{ "-p31|h", "--size: '31' is below 32 bytes (32 to 65507)" },
	{ "-p64,31,99|h", "--size: '31' is below 32 bytes (32 to 65507)" },
	{ "-p64,31:99:1|h", "--size: '31:99:1' is below 32 bytes (32 to 65507)" },
	{ "-p64,1e9|h", "--size: '1e9' is not a size (32 to 65507 bytes, such as 1472)" },
	{ "--size=|h", "--size: '' is not a size (32 to 65507 bytes, such as 1472)" },
	{ "--size=64,,65|h", "--size: '' is not a size (32 to 65507 bytes, such as 1472)" },
	{ "--size=64,|h", "--size: '' is not a size (32 to 65507 bytes, such as 1472)" },
	{ "--size=64.5|h", "--size: '64.5' is not a whole number of bytes (32 to 65507 bytes)" },
	{ "--size=99999999999999999999|h",
	    "--size: '99999999999999999999' is above 65507 bytes (32 to 65507)" },
	{ "--size=99999999999999999999.5|h",
	    "--size: '99999999999999999999.5' is above 65507 bytes (32 to 65507)" },
	{ "--spacing=3s|h", "--spacing: '3s' is above 2s (0 to 2s)" },
	{ "--spacing=2000001|h", "--spacing: '2000001' is above 2s (0 to 2s)" },
	{ "--spacing=-1|h", "--spacing: '-1' is not a time (0 to 2s, such as 10us)" },
	{ "--spacing=10 us|h", "--spacing: '10 us' is not a time; write 10us" },
	{ "--spacing=0.7ns|h", "--spacing: '0.7ns' is finer than 1ns (0 to 2s)" },
	{ "--count=0|h", "--count: '0' is below 1 (1 or more)" },
	{ "--count=9223372036854775808|h",
	    "--count: '9223372036854775808' is above 9223372036854775807 (1 or more)" },
	{ "--count=x|h", "--count: 'x' is not a number (1 or more, such as 1000)" },
	{ "--duration=0|h", "--duration: '0' is below 1ms (1ms to 24h)" },
	{ "--duration=25h|h", "--duration: '25h' is above 24h (1ms to 24h)" },
	{ "--rate=0|h", "--rate: '0' is below 1 bit/s (1 to 400G)" },
	{ "--rate=1T|h", "--rate: '1T' is above 400Gbit/s (1 to 400G)" },
	{ "--rate=fast|h", "--rate: 'fast' is not a rate (1 to 400Gbit/s, such as 9.5G)" },
	{ "--max-loss=1.5|h", "--max-loss: '1.5' needs a %; write 1.5%" },
	{ "--max-loss=0.0000000001|h",
	    "--max-loss: '0.0000000001' is finer than 0.0000001% (0 to 100%)" },
	{ "--dscp=64|h",
	    "--dscp: '64' is not a DSCP (0 to 63, ef, le, cs0 to cs7, af11 to af43)" },
	{ "--dscp=af44|h",
	    "--dscp: 'af44' is not a DSCP (0 to 63, ef, le, cs0 to cs7, af11 to af43)" },
	{ "--dscp=cs8|h",
	    "--dscp: 'cs8' is not a DSCP (0 to 63, ef, le, cs0 to cs7, af11 to af43)" },
	{ "--linear=0:1us|h", "--linear: '0:1us' is not LOW:WIDTH:BINS "
	    "(times up to 1000s, 1 to 4096 bins, such as 0:1us:100)" },
	{ "--label=123456789|h", "--label: '123456789' is longer than 8 bytes" },
	{ "--sise=3|h", "probe has no option '--sise'; did you mean '--size'?" },
	{ "--dur|3|h", "probe has no option '--dur'; did you mean '--duration'?" },
	{ "--js|h", "probe has no option '--js'; did you mean '--json'?" },
	{ "--js=1|h", "probe has no option '--js'; did you mean '--json'?" },
	{ "--dur", "probe has no option '--dur'; did you mean '--duration'?" },
	{ "--s=1|h", "probe has no option '--s'" },
	{ "--loss|h", "probe has no option '--loss'; did you mean '--max-loss'?" },
	{ "--hlep|h", "probe has no option '--hlep'; did you mean '--help'?" },
	{ "--colour=never|h", "probe has no option '--colour'" },
	{ "-json|h", "probe has no option '-json'; did you mean '--json'?" },
	{ "-W|h", "probe has no option '-W'" },
	{ "--pize|h", "probe has no option '--pize'" },
	{ "--site|h", "probe has no option '--site'; did you mean '--size'?" },
	{ "--brate|h", "probe has no option '--brate'" },
	{ "--jsno|h", "probe has no option '--jsno'; did you mean '--json'?" },
	{ "--dvratoin|h", "probe has no option '--dvratoin'; did you mean '--duration'?" },
	{ "--joon|h", "probe has no option '--joon'; did you mean '--json'?" },
	{ "--spacing=10:40|h",
	    "--spacing: '10:40' has no step; write LOW:HIGH:STEP, such as 10:40:3us" },
	{ "--size=64:1472|h",
	    "--size: '64:1472' has no step; write LOW:HIGH:STEP, such as 64:1472:176" },
	{ "--spacing=1ms:2s|h",
	    "--spacing: '1ms:2s' has no step; write LOW:HIGH:STEP, such as 1ms:2s:199900us" },
	{ "--spacing=1,40:10:5us|h",
	    "--spacing: '40:10:5us' begins with the higher end; write 10:40:5us" },
	{ "--spacing=40:10|h", "--spacing: '40:10' is not a time (0 to 2s, such as 10us)" },
	{ "--spacing=10:40:0|h", "--spacing: '10:40:0' is not a time (0 to 2s, such as 10us)" },
	{ "--spacing=1:2:3:4|h", "--spacing: '1:2:3:4' is not a time (0 to 2s, such as 10us)" },
	{ "--duration=1:5:1|h", "--duration: '1:5:1' is a list; this option takes one value "
	    "(1ms to 24h)" },
	{ "--duration=1,5|h", "--duration: '1,5' is a list; this option takes one value (1ms to 24h)" },
	{ "--rate=1gbit|h", "--rate: '1gbit' is not a rate; write 1G" },
	{ "--rate=2.5Gbits|h", "--rate: '2.5Gbits' is not a rate; write 2.5G" },
	{ "--rate=900m|h", "--rate: '900m' is not a rate; write 900M" },
	{ "--rate=1K|h", "--rate: '1K' is not a rate; write 1k" },
	{ "--rate=5bits|h", "--rate: '5bits' is not a rate; write 5" },
	{ "--rate=1GB|h", "--rate: '1GB' is not a rate (1 to 400Gbit/s, such as 9.5G)" },
	{ "--rate=1gfrog|h", "--rate: '1gfrog' is not a rate (1 to 400Gbit/s, such as 9.5G)" },
	{ "--size=8k|h", "--size: '8k' is not a size; write 8K or 8kB" },
	{ "--size=64,1500b|h", "--size: '1500b' is not a size; write 1500" },
	{ "--duration=1min|h", "--duration: '1min' is not a time; write 1m" },
	{ "--duration=10 sec|h", "--duration: '10 sec' is not a time; write 10s" },
	{ "--duration=1h30m|h", "--duration: '1h30m' is not a time (1ms to 24h, such as 10s)" },
	{ "--count=1K|h", "--count: '1K' is not a number; write 1k" },
	{ "--count=1.5g|h", "--count: '1.5g' is not a number; write 1.5e9" },
	{ "--max-loss=1|h", "--max-loss: '1' needs a %; write 1% or 100%" },
	{ "--max-loss=0.5|h", "--max-loss: '0.5' needs a %; write 0.5% or 50%" },
	{ "--max-loss=0.01|h", "--max-loss: '0.01' needs a %; write 0.01% or 1%" },
	{ "--max-loss=2|h", "--max-loss: '2' needs a %; write 2%" },
	{ "--max-loss=101|h", "--max-loss: '101' is above 100% (0 to 100%)" },
	{ "--max-loss=5pct|h", "--max-loss: '5pct' is not a share; write 5%" },
	{ "-qz|h", "probe has no option '-z'" },
	{ "-\xc2\xb5|h", "probe has no option '-\xc2\xb5'" },
	{ "-\x1b[2J|h", "probe has no option '-?[2J'" },
	{ "--json=yes|h", "--json takes no value" },
	{ "--help=yes|h", "--help takes no value" },
	{ "h|--size", "--size needs a value: LIST (32 to 65507 bytes)" },
	{ "h|-qp", "--size needs a value: LIST (32 to 65507 bytes)" },
	{ "h|--output", "--output needs a value: FILE" },
	{ "--output=\x1b]0;x|--bad|h", "probe has no option '--bad'" },
	{ "--count=\x1b[31m|h", "--count: '?[31m' is not a number (1 or more, such as 1000)" },
};

START_TEST(a_mistake_is_told_in_one_line_and_a_hint)
{
	char want[512];

	ck_assert_int_eq(parse(mistakes[_i].words), -1);
	snprintf(want, sizeof(want), "udpace: %s\n  see 'udpace probe --help'\n",
	    mistakes[_i].said);
	ck_assert_str_eq(err, want);
	ck_assert_str_eq(out, "");
	ck_assert_int_eq(cfg.after, 0);
}
END_TEST

/* Options of other tools: the message and its hint. */
static const struct { const char *words, *said; } habits[] = {
	{ "-b1G|h", "udpace: probe has no option '-b'; write --rate (-r)\n" },
	{ "-qb|h", "udpace: probe has no option '-b'; write --rate (-r)\n" },
	{ "--bitrate=1G|h", "udpace: probe has no option '--bitrate'; write --rate (-r)\n" },
	{ "--time=1|h", "udpace: probe has no option '--time'; write --duration (-t)\n" },
	{ "-J|h", "udpace: probe has no option '-J'; write --json (-j)\n" },
	{ "-T|x|h", "udpace: probe has no option '-T'; write --label\n" },
	{ "--bytes=5|h", "udpace: probe has no option '--bytes'; write --count (-l)\n"
	    "  a number of frames, not of bytes\n" },
	{ "-s", "udpace: probe has no option '-s'\n  the server is a command: udpace respond\n" },
	{ "-l|8KB|h", "udpace: --count: '8KB' is not a number (1 or more, such as 1000)\n"
	    "  -l of other tools is --size here\n" },
	/* a table of throughput's, which has no other direction and one stream */
	{ "-R|h", "udpace: probe has no option '-R'\n" },
	{ "--parallel|2|h", "udpace: probe has no option '--parallel'\n" },
	{ "-P|4|h", "udpace: probe has no option '-P'\n" },
	{ "-y|h", "udpace: probe has no option '-y'\n" },	/* --csv is none of ours */
};

START_TEST(options_of_other_tools_are_told_by_ours)
{
	char want[512];

	ck_assert_int_eq(parse(habits[_i].words), -1);
	snprintf(want, sizeof(want), "%s  see 'udpace probe --help'\n", habits[_i].said);
	ck_assert_str_eq(err, want);
}
END_TEST

static const char *const bad_lenses[] = {
	"", ":", "::", "0:1us", "0:1us:", "0:1us:1:1", "0:1us:1:", "0:0:1", "0:0us:1", "0:1us:0",
	"0:1us:4097", "0:1us:x", "x:1us:1", "0:x:1", "0:us:1", "-1:1us:1", "0:1us:-1", "0::1",
	"1001s:1us:1", "0:1001s:1", "0:1us:1e4", "0:1us:99999999999999999999",
	"00000000000000000000000000000000:1us:1",
};

START_TEST(a_lens_that_makes_no_sense_is_refused)
{
	char words[80];

	snprintf(words, sizeof(words), "--linear=%s|h", bad_lenses[_i]);
	ck_assert_int_eq(parse(words), -1);
	ck_assert_ptr_nonnull(strstr(err, "is not LOW:WIDTH:BINS"));
}
END_TEST

START_TEST(a_very_long_value_is_cut_but_the_range_is_told)
{
	char words[600] = "--size=", *p = words + strlen(words);

	memset(p, '9', 500);
	snprintf(p + 500, 20, "|h");
	ck_assert_int_eq(parse(words), -1);
	ck_assert_ptr_nonnull(strstr(err, "999...' is "));
	ck_assert_ptr_nonnull(strstr(err, "32 to 65507"));
	ck_assert_uint_lt(strlen(err), 200);
	memcpy(words, "--", 2);
	memset(words + 2, 'a', 500);
	ck_assert_int_eq(parse(words), -1);
	ck_assert_uint_lt(strlen(err), 200);
}
END_TEST

START_TEST(code_points_come_in_lists)
{
	static const struct pace_opt row = { "codes", 'Q', PACE_OPT_DSCP_LIST, AT(codes),
	    PACE_UNIT_COUNT, 0, 63, "0", "LIST", "code points", "Stream" };
	static const struct pace_cmd cmd = { .name = "probe", .opts = &row, .nopts = 1,
	    .cfg_size = sizeof(struct cfg) };
	static const char *const no[] = { "64", "0,64", "ef,", ",ef", "1,,2", "af11;ef",
	    "0,0000000000000000000000000000000000000000000000000000000000000046x" };

	ck_assert_int_eq(parse_cmd(&cmd, ""), 1);
	ck_assert(cfg.codes.n == 1 && cfg.codes.v[0] == 0);
	ck_assert_int_eq(parse_cmd(&cmd, "--codes=0,EF,af11,7"), 2);
	ck_assert(cfg.codes.n == 4 && cfg.codes.v[0] == 0 && cfg.codes.v[1] == 46 &&
	    cfg.codes.v[2] == 10 && cfg.codes.v[3] == 7);
	for (int i = 0; i < COUNT_OF(no); i++) {
		char words[128];

		snprintf(words, sizeof(words), "--codes=%s", no[i]);
		ck_assert_msg(parse_cmd(&cmd, words) == -1, "%s", words);
	}
	parse_cmd(&cmd, "--codes=0,af44,1");
	ck_assert_ptr_nonnull(strstr(err, "--codes: 'af44' is not a DSCP (0 to 63"));
}
END_TEST

START_TEST(an_option_may_stand_for_the_operands)
{
	static const struct pace_opt row = { "resume", 'r', PACE_OPT_STR, AT(output),
	    PACE_UNIT_COUNT, 0, 0, NULL, "FILE", "go on", "Stream" };
	static const struct pace_cmd cmd = { .name = "probe", .operands = "HOST", .opts = &row,
	    .nopts = 1, .min_operands = 1, .max_operands = 1, .instead = "resume",
	    .cfg_size = sizeof(struct cfg) };

	ck_assert_int_eq(parse_cmd(&cmd, "host"), 1);
	ck_assert_int_eq(parse_cmd(&cmd, "--resume=f"), 2);
	ck_assert_int_eq(parse_cmd(&cmd, ""), -1);
	ck_assert_ptr_nonnull(strstr(err, "probe needs a HOST"));
	ck_assert_int_eq(parse_cmd(&cmd, "--resume=f|host"), -1);
	ck_assert_ptr_nonnull(strstr(err, "probe: 'host': --resume replaces HOST"));
}
END_TEST

START_TEST(a_choice_is_one_of_its_words)
{
	static const struct pace_opt row = { "mode", 'm', PACE_OPT_CHOICE, AT(count),
	    PACE_UNIT_COUNT, 0, 0, "one", "one|other|third", "which", "Stream" };
	static const struct pace_cmd cmd = { .name = "probe", .opts = &row, .nopts = 1,
	    .cfg_size = sizeof(struct cfg) };
	static const char *const no[] = { "", "on", "ones", "fourth" };

	ck_assert_int_eq(parse_cmd(&cmd, ""), 1);
	ck_assert_int_eq(cfg.count, 0);
	ck_assert_int_eq(parse_cmd(&cmd, "--mode=other"), 2);
	ck_assert_int_eq(cfg.count, 1);
	ck_assert_int_eq(parse_cmd(&cmd, "-mthird"), 2);
	ck_assert_int_eq(cfg.count, 2);
	for (int i = 0; i < COUNT_OF(no); i++) {
		char words[32];

		snprintf(words, sizeof(words), "--mode=%s", no[i]);
		ck_assert_msg(parse_cmd(&cmd, words) == -1, "%s", words);
	}
	parse_cmd(&cmd, "--mode=on");
	ck_assert_ptr_nonnull(strstr(err, "--mode: 'on' is not one of one|other|third"));
}
END_TEST

START_TEST(one_parse_leaves_nothing_to_the_next)
{
	good("-qj|--size=64|h");
	ck_assert_int_eq(parse("-qzj|h"), -1);		/* stops inside a word */
	good("-l555|h");
	ck_assert(!cfg.quiet && !cfg.json);
	ck_assert_int_eq(cfg.size.v[0], 1472);
	ck_assert_int_eq(cfg.count, 555);
}
END_TEST

START_TEST(a_default_that_its_own_row_refuses_is_told)
{
	static const struct pace_opt bad[] = {
		{ "size", 'p', PACE_OPT_LIST, AT(size), PACE_UNIT_BYTES, 32, 64, "65", "LIST", "x", "X" },
	};
	struct pace_cmd cmd = probe;

	cmd.opts = bad;
	cmd.nopts = 1;
	ck_assert_int_eq(parse_cmd(&cmd, "h"), -1);
	ck_assert_str_eq(err, "udpace: default of --size: '65' is above 64 bytes (32 to 64)\n");
}
END_TEST

/* The last bit is the 128th row. */
START_TEST(a_hundred_and_twenty_eight_rows_are_allowed_and_no_more)
{
	static struct pace_opt many[129];
	static char names[129][16];
	struct pace_cmd cmd = probe;

	for (int i = 0; i < 129; i++) {
		snprintf(names[i], sizeof(names[i]), "row%d", i);
		many[i] = rows[10];
		many[i].name = names[i];
		many[i].letter = i < 7 ? (char)('a' + i) : 0;
	}
	cmd.opts = many;
	cmd.nopts = 128;
	ck_assert_int_eq(parse_cmd(&cmd, "--row63|--row127|h"), 3);
	ck_assert(cfg.given.bits[0] == UINT64_C(1) << 63 && cfg.given.bits[1] == UINT64_C(1) << 63);
	ck_assert(pace_opt_given(&cmd, &cfg, "row127") && !pace_opt_given(&cmd, &cfg, "row64"));
	cmd.nopts = 129;
	ck_assert_int_eq(parse_cmd(&cmd, "h"), -1);
}
END_TEST

static const struct { const char *text, *best; } guesses[] = {
	{ "thruput", NULL }, { "thruoghput", "throughput" }, { "sroughput", NULL }, { "deom", "demo" },
	{ "troughput", "throughput" }, { "THROUGHPUT", "throughput" },
	{ "throughputs", "throughput" }, { "thorughput", "throughput" }, { "resp", "respond" },
	{ "responder", "respond" }, { "dmeo", "demo" }, { "put", "throughput" }, { "d", NULL },
	{ "de", "demo" }, { "hostb", NULL }, { "", NULL }, { "10.0.0.1", NULL }, { "capture", NULL },
	{ "throughputthroughputthroughputthroughputt", NULL },
};

START_TEST(the_nearest_name_is_suggested)
{
	static const char *const names[] = { "respond", "throughput", "demo" };
	size_t len = strlen(guesses[_i].text);
	char *exact = malloc(len > 0 ? len : 1);	/* no terminator to lean on */
	struct pace_nearest n;

	memcpy(exact, guesses[_i].text, len);
	pace_nearest_start(&n, exact, len);
	for (int i = 0; i < COUNT_OF(names); i++)
		pace_nearest_try(&n, names[i]);
	ck_assert_pstr_eq(n.best, guesses[_i].best);
	free(exact);
}
END_TEST

START_TEST(the_first_of_equals_is_suggested_and_no_endless_name)
{
	static const char forty[] = "abcdefghijabcdefghijabcdefghijabcdefghij";
	struct pace_nearest n;

	pace_nearest_start(&n, "rate", 4);
	pace_nearest_try(&n, "rats");
	pace_nearest_try(&n, "rase");
	ck_assert_pstr_eq(n.best, "rats");
	pace_nearest_start(&n, "rat", 3);	/* too short to be known by the rest */
	pace_nearest_try(&n, "rut");
	ck_assert_pstr_eq(n.best, NULL);
	pace_nearest_start(&n, forty, 39);
	pace_nearest_try(&n, "abcdefghijabcdefghijabcdefghijabcdefghijk");
	ck_assert_ptr_null(n.best);
	pace_nearest_try(&n, forty);
	ck_assert_pstr_eq(n.best, forty);
}
END_TEST

/* Edit distance, the slow way: try every first step. */
static size_t
slow(const char *a, size_t na, const char *b, size_t nb)
{
	size_t d, least;

	if (na == 0 || nb == 0)
		return na + nb;
	least = slow(a + 1, na - 1, b + 1, nb - 1) + (*a != *b);
	d = slow(a + 1, na - 1, b, nb) + 1;
	least = d < least ? d : least;
	d = slow(a, na, b + 1, nb - 1) + 1;
	least = d < least ? d : least;
	if (na > 1 && nb > 1 && a[0] == b[1] && a[1] == b[0]) {
		d = slow(a + 2, na - 2, b + 2, nb - 2) + 1;
		least = d < least ? d : least;
	}
	return least;
}

static unsigned
seed(void)
{
	const char *env = getenv("UDPACE_SEED");
	unsigned s = env != NULL ? (unsigned)strtoul(env, NULL, 10) : (unsigned)time(NULL);

	printf("UDPACE_SEED=%u\n", s);
	return s;
}

START_TEST(edits_are_those_of_the_slow_model)
{
	srandom(seed());
	for (int round = 0; round < 3000; round++) {
		char a[12], b[12] = "";
		size_t na = 4 + (size_t)random() % 6, nb = 4 + (size_t)random() % 6;
		size_t longer = na > nb ? na : nb, want;
		struct pace_nearest n;

		for (size_t i = 0; i < na; i++)
			a[i] = (char)('a' + random() % 3);
		for (size_t i = 0; i < nb; i++)
			b[i] = (char)('a' + random() % 3);
		want = slow(a, na, b, nb);
		if (want > (longer >= 8 ? 2 : 1) || (a[0] != b[0] && (a[0] != b[1] || a[1] != b[0])))
			continue;
		pace_nearest_start(&n, a, na);
		pace_nearest_try(&n, b);
		ck_assert_pstr_eq(n.best, b);
		if (na > nb || memcmp(a, b, na) != 0)
			ck_assert_uint_le(n.edits, want);
		if (nb < na)		/* a is not part of b */
			ck_assert_uint_eq(n.edits, want);
	}
}
END_TEST

static const struct { enum pace_unit unit; int64_t v; const char *typed; } typed[] = {
	{ PACE_UNIT_COUNT, 0, "0" }, { PACE_UNIT_COUNT, 1000, "1000" },
	{ PACE_UNIT_COUNT, 1000000, "1M" }, { PACE_UNIT_COUNT, 1000001, "1000001" },
	{ PACE_UNIT_COUNT, 12 * SEC, "12e9" }, { PACE_UNIT_COUNT, 1000 * SEC, "1e12" },
	{ PACE_UNIT_BYTES, 1023, "1023" }, { PACE_UNIT_BYTES, 1024, "1K" },
	{ PACE_UNIT_BYTES, 16 << 20, "16M" }, { PACE_UNIT_BYTES, 65507, "65507" },
	{ PACE_UNIT_USEC, 1, "1ns" }, { PACE_UNIT_USEC, 999, "999ns" },
	{ PACE_UNIT_USEC, 1000, "1us" }, { PACE_UNIT_USEC, 1500, "1500ns" },
	{ PACE_UNIT_SEC, 60 * SEC, "60s" }, { PACE_UNIT_SEC, 120 * SEC, "2m" },
	{ PACE_UNIT_SEC, 3600 * SEC, "60m" }, { PACE_UNIT_SEC, 86400 * SEC, "24h" },
	{ PACE_UNIT_BPS, 1000, "1k" }, { PACE_UNIT_BPS, 9500000000, "9500M" },
	{ PACE_UNIT_BPS, 1000 * SEC, "1T" }, { PACE_UNIT_RATIO, 0, "0" },
	{ PACE_UNIT_RATIO, 1, "0.0000001%" }, { PACE_UNIT_RATIO, 1000000, "0.1%" },
	{ PACE_UNIT_RATIO, SEC, "100%" }, { PACE_UNIT_RATIO, 123456789, "12.3456789%" },
	{ PACE_UNIT_RATIO, 10500000, "1.05%" },
};

START_TEST(limits_are_printed_as_one_would_type_them)
{
	char buf[32];
	int64_t back;

	ck_assert_str_eq(pace_opt_typed(typed[_i].unit, typed[_i].v, buf, sizeof(buf)),
	    typed[_i].typed);
	ck_assert_int_eq(pace_parse(typed[_i].unit, buf, &back), 0);
	ck_assert_int_eq(back, typed[_i].v);
}
END_TEST

START_TEST(what_is_printed_can_be_typed_back)
{
	srandom(seed());
	for (int round = 0; round < 5000; round++) {
		enum pace_unit unit = (enum pace_unit)(random() % 6);
		int64_t v = random(), step = 1, back;
		char buf[32];

		for (int i = (int)(random() % 10); i > 0; i--)
			step *= unit == PACE_UNIT_BYTES ? 8 : 10;
		v = unit == PACE_UNIT_RATIO ? v % (SEC + 1) / step * step : v % 100000 * step;
		pace_opt_typed(unit, v, buf, sizeof(buf));
		ck_assert_msg(pace_parse(unit, buf, &back) == 0 && back == v,
		    "%" PRId64 " was printed as %s", v, buf);
	}
}
END_TEST

static int
count_lines(const char *s)
{
	int n = 0;

	for (; *s != '\0'; s++)
		n += *s == '\n';
	return n;
}

static void
no_line_is_wider_than_79(const char *s)
{
	int wide = 0;

	for (; *s != '\0'; s++) {
		wide = *s == '\n' ? 0 : wide + (((unsigned char)*s & 0xc0) != 0x80);
		ck_assert_msg(wide <= 79, "too wide before: %.40s", s);
	}
}

START_TEST(help_goes_to_stdout_with_every_option)
{
	ck_assert_int_eq(parse("--help"), -2);
	ck_assert_str_eq(err, "");
	for (int i = 0; i < COUNT_OF(rows); i++) {
		char name[40];

		snprintf(name, sizeof(name), " --%s", rows[i].name);
		ck_assert_msg(strstr(out, name) != NULL, "no%s", name);
	}
	ck_assert_ptr_eq(strstr(out, "usage: udpace probe [OPTION...] HOST\n\nsend some\n"), out);
	ck_assert_ptr_nonnull(strstr(out, "\nStream:\n  -p, --size LIST           user data of a "
	    "frame, header included (32 to 65507\n                            bytes; default 1472)\n"));
	ck_assert_ptr_nonnull(strstr(out, "\nOutput:\n  -o, --output FILE         write the document\n"
	    "      --label TEXT          what others are told (at most 8 bytes)\n"
	    "  -j, --json                one document\n"));
	ck_assert_ptr_nonnull(strstr(out, "\n      --linear LOW:WIDTH:BINS\n"
	    "                            linear histogram beside (times up to 1000s, 1 to\n"));
	ck_assert_ptr_nonnull(strstr(out, "cannot but be wrapped \xc2\xb5 \xc2\xb5 \xc2\xb5 "
	    "\xc2\xb5 \xc2\xb5 more than\n                            once (1 to 400Gbit/s)\n"));
	ck_assert_ptr_nonnull(strstr(out, "  -h, --help"));
	ck_assert_ptr_nonnull(strstr(out, "udpace probe four"));
	ck_assert_ptr_null(strstr(out, " \n"));
	no_line_is_wider_than_79(out);
}
END_TEST

START_TEST(short_help_has_three_examples_first)
{
	ck_assert_int_eq(parse("-h|--bad"), -2);
	ck_assert_ptr_eq(strstr(out, "usage: udpace probe [OPTION...] HOST\n\n  # first\n"
	    "  udpace probe one\n  udpace probe two\n  # third\n  udpace probe three\n\n"), out);
	ck_assert_ptr_null(strstr(out, "four"));
	ck_assert_int_le(count_lines(out), 24);
	for (int i = 0; i < COUNT_OF(rows); i++)
		ck_assert_ptr_nonnull(strstr(out, rows[i].name));
	no_line_is_wider_than_79(out);
}
END_TEST

/* From a table of one row to a table of 40. */
START_TEST(short_help_fits_in_24_lines)
{
	static struct pace_opt many[40];
	struct pace_cmd cmd = probe;

	for (int i = 0; i < 40; i++) {
		many[i] = rows[i % 4];
		many[i].name = "a-longish-name";
		many[i].help = "short";
		many[i].letter = i == 0 ? 'a' : 0;
		many[i].group = i < 12 ? "Stream" : i < 24 ? "Network" : i < 32 ? "Output" : "Limits";
	}
	cmd.opts = many;
	cmd.nopts = _i;
	ck_assert_int_eq(parse_cmd(&cmd, "-h"), -2);
	ck_assert_int_le(count_lines(out), 24);
	ck_assert_int_ge(count_lines(out), 9);
	no_line_is_wider_than_79(out);
}
END_TEST

START_TEST(a_mistake_before_help_comes_first)
{
	ck_assert_int_eq(parse("--bad|--help"), -1);
	ck_assert_str_eq(out, "");
}
END_TEST

static Suite *
opt_suite(void)
{
	Suite *s = suite_create("opt");
	TCase *t = tcase_create("opt");

	tcase_add_test(t, defaults_are_in_and_nothing_else_is);
	tcase_add_loop_test(t, every_way_of_writing_gives_the_same, 0, COUNT_OF(ways));
	tcase_add_test(t, given_bits_are_the_rows_that_were_given);
	tcase_add_test(t, a_row_is_found_by_its_whole_name);
	tcase_add_loop_test(t, operands_keep_their_order, 0, 2 * COUNT_OF(orders));
	tcase_add_test(t, argv_is_permuted_and_loses_no_word);
	tcase_add_loop_test(t, every_edge_that_is_allowed_is_taken, 0, COUNT_OF(values));
	tcase_add_test(t, lists_and_ranges_come_in_order);
	tcase_add_test(t, a_list_is_full_at_1024);
	tcase_add_test(t, strings_point_into_argv);
	tcase_add_loop_test(t, a_mistake_is_told_in_one_line_and_a_hint, 0, COUNT_OF(mistakes));
	tcase_add_test(t, code_points_come_in_lists);
	tcase_add_test(t, an_option_may_stand_for_the_operands);
	tcase_add_test(t, a_choice_is_one_of_its_words);
	tcase_add_loop_test(t, options_of_other_tools_are_told_by_ours, 0, COUNT_OF(habits));
	tcase_add_loop_test(t, a_lens_that_makes_no_sense_is_refused, 0, COUNT_OF(bad_lenses));
	tcase_add_test(t, a_very_long_value_is_cut_but_the_range_is_told);
	tcase_add_test(t, one_parse_leaves_nothing_to_the_next);
	tcase_add_test(t, a_default_that_its_own_row_refuses_is_told);
	tcase_add_test(t, a_hundred_and_twenty_eight_rows_are_allowed_and_no_more);
	tcase_add_loop_test(t, the_nearest_name_is_suggested, 0, COUNT_OF(guesses));
	tcase_add_test(t, the_first_of_equals_is_suggested_and_no_endless_name);
	tcase_add_test(t, edits_are_those_of_the_slow_model);
	tcase_add_loop_test(t, limits_are_printed_as_one_would_type_them, 0, COUNT_OF(typed));
	tcase_add_test(t, what_is_printed_can_be_typed_back);
	tcase_add_test(t, help_goes_to_stdout_with_every_option);
	tcase_add_test(t, short_help_has_three_examples_first);
	tcase_add_loop_test(t, short_help_fits_in_24_lines, 1, 41);
	tcase_add_test(t, a_mistake_before_help_comes_first);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	SRunner *r = srunner_create(opt_suite());
	int failed;

	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
