#include "out/checkup_text.h"

#include <string.h>

#include "out/say.h"

#define MARK	8	/* columns before the words */

static void
say_patient(const struct pace_say *s, const struct pace_checkup *c, enum pace_patient p)
{
	const struct pace_host *h = p == PACE_CLIENT_HOST ? &c->client : &c->responder;

	if (p == PACE_THE_PATH) {
		pace_say(s, "the path to %s\n", c->target);
		return;
	}
	if (p == PACE_CLIENT_HOST)
		pace_say(s, "this host");
	else
		pace_say(s, "the responder's host %s", c->target);
	if (h->interface[0] != '\0')
		pace_say(s, ", interface %s%s%s%s", h->interface, h->driver[0] != '\0' ? " (" : "",
		    h->driver, h->driver[0] != '\0' ? ")" : "");
	pace_say(s, "\n");
}

static void
say_finding(const struct pace_say *s, const struct pace_finding *f)
{
	char first[MARK + 1];
	const char *mark = f->level == PACE_LEVEL_UNKNOWN ? "?" : pace_level_name(f->level);

	snprintf(first, sizeof(first), "  %-*s", MARK - 2, mark);
	pace_say_wrapped(s, first, f->text);
	if (f->set[0] != '\0')
		pace_say(s, "%*s# %s\n", MARK, "", f->set);
}

static const char *
many(int n)
{
	return n == 1 ? "" : "s";
}

int
pace_checkup_text(FILE *f, const struct pace_checkup *c, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	int bad = pace_checkup_count(c, PACE_LEVEL_BAD), warn = pace_checkup_count(c, PACE_LEVEL_WARN);
	bool cures = false;

	for (int p = 0; p < PACE_PATIENTS; p++) {
		if (!c->of[p].looked)
			continue;
		say_patient(&s, c, (enum pace_patient)p);
		for (int i = 0; i < c->of[p].n; i++) {
			say_finding(&s, &c->of[p].v[i]);
			cures |= c->of[p].v[i].set[0] != '\0';
		}
		pace_say(&s, "\n");
	}
	if (bad + warn == 0)
		pace_say(&s, "nothing here spoils a measurement\n");
	else
		pace_say(&s, "%d thing%s will spoil measurements, %d may%s\n", bad, many(bad), warn,
		    cures ? "; --fix prints the commands as a script" : "");
	return pace_say_end(&s);
}

/* --- the script -------------------------------------------------------------------- */

static void
say_case(const struct pace_say *s, const struct pace_checkup *c, enum pace_patient p,
    const char *word, bool restore)
{
	pace_say(s, "%s)\n", word);
	for (int i = 0; i < c->of[p].n; i++) {
		const struct pace_finding *f = &c->of[p].v[i];

		if (f->set[0] != '\0')
			pace_say(s, "\t%s\n", restore ? f->restore : f->set);
	}
	pace_say(s, "\t;;\n");
}

int
pace_checkup_script(FILE *f, const struct pace_checkup *c)
{
	const struct pace_say s = { f, false };
	bool there = c->of[PACE_RESPONDER_HOST].looked;

	pace_say(&s, "#!/bin/sh\n"
	    "# Made by udpace doctor on %s; nothing of it was run.\n"
	    "#   set      as root on this host: what measurements want\n"
	    "#   restore  the same settings as they were found\n", c->made);
	if (there)
		pace_say(&s, "#   set-there, restore-there  the same on the responder's host\n");
	pace_say(&s, "# Settings made so are gone with the next start of the host.\n"
	    "set -u\n"
	    "case ${1-} in\n");
	say_case(&s, c, PACE_CLIENT_HOST, "set", false);
	say_case(&s, c, PACE_CLIENT_HOST, "restore", true);
	if (there) {
		say_case(&s, c, PACE_RESPONDER_HOST, "set-there", false);
		say_case(&s, c, PACE_RESPONDER_HOST, "restore-there", true);
	}
	pace_say(&s, "*)\n"
	    "\techo \"usage: sh $0 set|restore%s\" >&2\n"
	    "\texit 2\n"
	    "\t;;\n"
	    "esac\n", there ? "|set-there|restore-there" : "");
	return pace_say_end(&s);
}
