#include "config.h"

#include "opt/completion.h"

#include <string.h>

#define DSCP_WORDS	"ef cs0 cs1 cs2 cs3 cs4 cs5 cs6 cs7 af11 af12 af13 af21 af22 af23 " \
			    "af31 af32 af33 af41 af42 af43 le"

/* "one|other" */
static struct pace_offered
choice(const char *arg)
{
	struct pace_offered v = { .what = PACE_OFFER_WORDS };

	snprintf(v.words, sizeof(v.words), "%s", arg);
	for (char *p = v.words; (p = strchr(p, '|')) != NULL;)
		*p = ' ';
	return v;
}

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

#define SMALL	"abcdefghijklmnopqrstuvwxyz-"

/* "open|lab|FILE": words to be typed are small, and before it. */
static void
words_or_files(const char *arg, struct pace_offered *v)
{
	struct pace_offered all = choice(arg);
	char *files = strstr(all.words, " FILE");

	if (files == NULL || files[strlen(" FILE")] != '\0')
		return;
	*files = '\0';
	if (all.words[strspn(all.words, SMALL " ")] != '\0')
		return;
	*v = all;
	v->what = PACE_OFFER_FILES;
}

static enum pace_offer
text_value(const struct pace_opt *o)
{
	if (starts(o->arg, "FILE") || starts(o->arg, "PATH"))
		return PACE_OFFER_FILES;
	if (starts(o->arg, "DIR"))
		return PACE_OFFER_FOLDERS;
	if (strcmp(o->name, "interface") == 0)
		return PACE_OFFER_DEVICES;
	return strcmp(o->name, "user") == 0 ? PACE_OFFER_USERS : PACE_OFFER_NOTHING;
}

struct pace_offered
pace_offer_value(const struct pace_opt *o)
{
	struct pace_offered v = { .what = PACE_OFFER_NOTHING };

	switch (o->kind) {
	case PACE_OPT_CHOICE:
		return choice(o->arg);
	case PACE_OPT_DSCP:
	case PACE_OPT_DSCP_LIST:
		v.what = PACE_OFFER_WORDS;
		snprintf(v.words, sizeof(v.words), "%s", DSCP_WORDS);
		break;
	case PACE_OPT_STR:
		v.what = text_value(o);
		words_or_files(o->arg, &v);
		break;
	case PACE_OPT_FLAG:
	case PACE_OPT_NUM:
	case PACE_OPT_LIST:
	case PACE_OPT_LINEAR:
		break;
	}
	return v;
}

/* Of "list FILE | ..." what stands behind the word. */
static enum pace_offer
behind_word(const char *s)
{
	s += strspn(s, " ");
	return starts(s, "FILE") ? PACE_OFFER_FILES : starts(s, "DIR") ? PACE_OFFER_FOLDERS :
	    PACE_OFFER_NOTHING;
}

int
pace_offer_verbs(const struct pace_cmd *cmd, struct pace_verb v[PACE_VERBS_MAX])
{
	int n = 0;

	for (const char *s = cmd->operands; *s != '\0' && n < PACE_VERBS_MAX; n++) {
		size_t len = strspn(s, SMALL);

		if (len == 0 || len >= sizeof(v[0].name))
			return 0;
		snprintf(v[n].name, sizeof(v[n].name), "%.*s", (int)len, s);
		v[n].behind = behind_word(s + len);
		s += strcspn(s, "|");
		s += strspn(s, "| ");
	}
	return n;
}

struct pace_offered
pace_offer_operand(const struct pace_cmd *cmd)
{
	static const struct { const char *in; enum pace_offer what; } v[] = {
		{ "NAME|FILE HOST", PACE_OFFER_CAMPAIGNS }, { "HOST", PACE_OFFER_HOSTS },
		{ "RESULT", PACE_OFFER_FILES }, { "FILE", PACE_OFFER_FILES },
		{ "A B", PACE_OFFER_FILES }, { "SOCKET", PACE_OFFER_FILES },
	};
	struct pace_offered words = { .what = PACE_OFFER_WORDS };
	struct pace_verb verb[PACE_VERBS_MAX];
	const char *s = cmd->operands;
	int n = pace_offer_verbs(cmd, verb);

	for (int i = 0; i < n; i++) {
		strcat(words.words, i > 0 ? " " : "");
		strcat(words.words, verb[i].name);
	}
	if (n > 0)
		return words;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		if (strstr(s, v[i].in) != NULL)
			return (struct pace_offered){ .what = v[i].what };
	return (struct pace_offered){ .what = PACE_OFFER_NOTHING };
}
