/* campaign_words.h: the command lines of steps, with what each may have. */
#include "run/campaign_words.h"

#include <stddef.h>
#include <string.h>

#include "lib/unit.h"

static const struct pace_opt opts[] = {
	{ "size", 'p', PACE_OPT_LIST, 0, PACE_UNIT_BYTES, 0, 9000, NULL, "LIST", "", "" },
	{ "verify", 0, PACE_OPT_FLAG, 0, 0, 0, 0, NULL, NULL, "", "" },
	{ "ecn", 0, PACE_OPT_CHOICE, 0, 0, 0, 3, NULL, "not-ect|ect1|ect0|ce", "", "" },
	{ "ttl", 0, PACE_OPT_NUM, 0, PACE_UNIT_COUNT, 1, 255, NULL, "N", "", "" },
};
static const struct pace_cmd stream = { "throughput", "", "HOST", 1, 1, opts, COUNT_OF(opts), NULL,
    0, NULL, NULL };

const struct pace_cmd *const pace_cmds[] = { &stream, NULL };

/* A setting of a step, and its words in the line that measures; NULL: it is rejected. */
static const struct {
	const char *key, *value, *words;
} settings[] = {
	{ "record", "yes", " --record=to/01-a.records" },
	{ "record", "no", "" },
	{ "record", "500", " --record=to/01-a.records:0:500" },
	{ "record", "1000:500", " --record=to/01-a.records:1000:500" },
	{ "record", "1000:", NULL },
	{ "record", ":500", NULL },
	{ "record", "1000:500:1", NULL },
	{ "record", "x", NULL },
	{ "size", "64, 512,\t1472", " --size=64,512,1472" },
	{ "verify", "yes", " --verify" },
	{ "verify", "no", "" },
	{ "verify", "1", NULL },
	{ "output", "x.json", NULL },
};

/* The whole line, with these words in it. */
static void
check_line(const struct pace_words *w, const char *words)
{
	char line[512] = "", wanted[512];

	for (int i = 0; i < w->n; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s",
		    i > 0 ? " " : "", w->v[i]);
	snprintf(wanted, sizeof(wanted), "udpace throughput%s --force --output=to/01-a.json -- hostb",
	    words);
	ck_assert_str_eq(line, wanted);
}

START_TEST(each_setting_becomes_its_words)
{
	static const struct pace_cmd campaign = { .name = "campaign" };
	static struct pace_given given;
	char key[32], value[32];
	struct pace_setting set = { key, value };
	struct pace_step step = { .name = "a", .line = 1, .n = 1, .v = &set };
	const struct pace_campaign c = { .n = 1, .steps = &step };
	const struct pace_words_cfg cfg = { .what = PACE_WORDS_MEASURE, .cmd = &campaign,
	    .given = &given, .file = "x.ini", .host = "hostb", .dir = "to" };
	struct pace_words w;
	int rc;

	strcpy(key, settings[_i].key);
	strcpy(value, settings[_i].value);
	rc = pace_words_make(&w, &cfg, &c, 0);
	ck_assert_int_eq(rc, settings[_i].words != NULL ? 0 : -1);
	if (rc < 0)
		return;
	check_line(&w, settings[_i].words);
	pace_words_free(&w);
}
END_TEST

/* What was given for the whole campaign: each step has it that can. */
START_TEST(options_of_the_campaign_become_words)
{
	static const struct {
		const char *typed, *words;
	} of[] = {
		{ "--ecn=not-ect", " --ecn=not-ect" }, { "--ecn=ect1", " --ecn=ect1" },
		{ "--ecn=ect0", " --ecn=ect0" }, { "--ecn=ce", " --ecn=ce" },
		{ "--ttl=9", " --ttl=9" }, { "--verify", " --verify" }, { "--seed=4", "" },
	};
	static struct {
		struct pace_given given;
		int64_t	ecn, ttl, seed;
		bool	verify;
	} cfg;
#define AT(field)	offsetof(__typeof__(cfg), field)
	static const struct pace_opt own[] = {
		{ "verify", 0, PACE_OPT_FLAG, AT(verify), 0, 0, 0, NULL, NULL, "", "" },
		{ "ecn", 0, PACE_OPT_CHOICE, AT(ecn), 0, 0, 3, NULL, "not-ect|ect1|ect0|ce", "", "" },
		{ "ttl", 0, PACE_OPT_NUM, AT(ttl), PACE_UNIT_COUNT, 1, 255, NULL, "N", "", "" },
		{ "seed", 0, PACE_OPT_NUM, AT(seed), PACE_UNIT_COUNT, 1, 255, NULL, "N", "", "" },
	};
	static const struct pace_cmd campaign = { "campaign", "", "FILE", 0, 1, own, COUNT_OF(own),
	    NULL, sizeof(cfg), NULL, NULL };
	struct pace_step step = { .name = "a", .line = 1, .n = 0 };
	const struct pace_campaign c = { .n = 1, .steps = &step };
	const struct pace_words_cfg how = { .what = PACE_WORDS_MEASURE, .cmd = &campaign,
	    .given = &cfg.given, .file = "x.ini", .host = "hostb", .dir = "to" };
	char name[] = "campaign", typed[32], *argv[] = { name, typed, NULL };
	struct pace_words w;

	strcpy(typed, of[_i].typed);
	ck_assert_int_ge(pace_opt_parse(&campaign, &cfg, 2, argv), 0);
	ck_assert_int_eq(pace_words_make(&w, &how, &c, 0), 0);
	check_line(&w, of[_i].words);
	pace_words_free(&w);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("campaign_words");

	tcase_add_loop_test(tc, each_setting_becomes_its_words, 0, COUNT_OF(settings));
	tcase_add_loop_test(tc, options_of_the_campaign_become_words, 0, 7);
	return unit_run(tc, "campaign_words");
}
