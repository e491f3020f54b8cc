#include "out/checkup_text.h"

#include <string.h>

#include "out/say.h"

#define MARK	8	/* column of the text */

static void
say_patient(const struct pace_say *s, const struct pace_checkup *c, enum pace_patient p)
{
	const struct pace_host *h = p == PACE_CLIENT_HOST ? &c->client : &c->responder;
	char interface[80] = "";

	if (p != PACE_THE_PATH && h->interface[0] != '\0')
		snprintf(interface, sizeof(interface), h->driver[0] != '\0' ?
		    ", interface %s (%s)" : ", interface %s", h->interface, h->driver);
	pace_say_sentence(s, "", "%s%s%s", p == PACE_CLIENT_HOST ? "this host" :
	    p == PACE_THE_PATH ? "the path to " : "the responder's host ",
	    p == PACE_CLIENT_HOST ? "" : c->target, interface);
}

/* Print the findings of a host or path from the worst level to the least; return whether a
 * command can correct one of them. */
static bool
say_findings(const struct pace_say *s, const struct pace_checkup *c, enum pace_patient p,
    int worst, int least)
{
	bool cures = false, headed = false;

	for (int level = worst; level >= least; level--)
		for (int i = 0; i < c->of[p].n; i++) {
			const struct pace_finding *v = &c->of[p].v[i];
			char first[MARK + 1];

			if ((int)v->level != level)
				continue;
			if (!headed)
				say_patient(s, c, p);
			headed = true;
			snprintf(first, sizeof(first), "  %-*s", MARK - 2,
			    v->level == PACE_LEVEL_UNKNOWN ? "?" : pace_level_name(v->level));
			pace_say_wrapped(s, first, v->text);
			if (v->set[0] != '\0')
				pace_say_command(s, "        # ", v->set);
			cures |= v->set[0] != '\0';
		}
	if (headed)
		pace_say(s, "\n");
	return cures;
}

/* Print the problems of both hosts and the path, then good and unknown findings. */
int
pace_checkup_text(FILE *f, const struct pace_checkup *c, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	int bad = pace_checkup_count(c, PACE_LEVEL_BAD);
	int warn = pace_checkup_count(c, PACE_LEVEL_WARN);
	bool cures = false;

	for (int p = 0; p < PACE_PATIENTS; p++)
		cures |= say_findings(&s, c, (enum pace_patient)p, PACE_LEVEL_BAD, PACE_LEVEL_WARN);
	if (bad + warn == 0)
		pace_say(&s, "no setting spoils a measurement\n\n");
	else
		pace_say(&s, "%d finding%s will spoil measurements, %d may%s\n\n", bad,
		    bad == 1 ? "" : "s", warn,
		    cures ? "; --fix prints a script" : "");
	for (int p = 0; p < PACE_PATIENTS; p++)
		(void)say_findings(&s, c, (enum pace_patient)p, PACE_LEVEL_UNKNOWN, PACE_LEVEL_OK);
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
	    "# Made by udpace doctor on %s; none of it was run.\n"
	    "#   set      as root on this host: the settings that measurements need\n"
	    "#   restore  the same settings as they were found\n", c->made);
	if (there)
		pace_say(&s, "#   set-there, restore-there  the same on the responder's host\n");
	pace_say(&s, "# These settings last until the host restarts.\n"
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
