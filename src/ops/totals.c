#include "config.h"

#include "ops/totals.h"

#include <string.h>

static const char *const refusals[PACE_REFUSED_KINDS] = { "busy", "closing", "cookie", "full",
	"key", "memory", "policy", "records", "request", "session", "stamp", "other" };

const char *
pace_refused_name(enum pace_refused r)
{
	return refusals[(unsigned)r < PACE_REFUSED_KINDS ? r : PACE_REFUSED_OTHER];
}

enum pace_refused
pace_refused_of(const char *code)
{
	int i = 0;

	while (i < PACE_REFUSED_OTHER && strcmp(code, refusals[i]) != 0)
		i++;
	return (enum pace_refused)i;
}

#define AT(field)	offsetof(struct pace_responder_counts, field)

/* One row a count: the rest follows. */
const struct pace_port_count pace_port_counts[] = {
	{ "hellos", "First requests of clients (HELLO) that were answered with a cookie", NULL, AT(hellos), 0 },
	{ "opened", "Requests for a session that were granted", NULL, AT(opened), 0 },
	{ "junk", "Datagrams at the port that are no message of udpace", "junk", AT(junk), 1 },
	{ "limited", "Requests at the port left without an answer, too many from their address",
	    "above the limit of their address", AT(limited), 1 },
	{ "cookies", "Requests for a session with a cookie that is not good",
	    "without a good cookie", AT(cookies), 1 },
	{ "keyless", "Requests at the port without a key that is known here, where one is wanted",
	    "without a good key", AT(keyless), 1 },
	{ "resets", "Requests for sessions that are gone", "for sessions that are gone",
	    AT(resets), 1 },
	{ "refused", "Requests for a session that were refused", "refused a session",
	    AT(refused), 0 },
	{ "strays", "Datagrams from addresses of clients that belong to no session",
	    "in the name of clients", AT(strays), 1 },
	{ "leftovers", "Frames of runs that a rule had ended", NULL, AT(leftovers), 0 },
	{ "untold", "Events of sessions without a key left out of the log, being too many",
	    "events of sessions without a key left out of the log", AT(untold), 1 },
};
const size_t pace_port_counts_n = sizeof(pace_port_counts) / sizeof(pace_port_counts[0]);

uint64_t
pace_port_count(const struct pace_responder_counts *c, size_t i)
{
	uint64_t n;

	memcpy(&n, (const char *)c + pace_port_counts[i].at, sizeof(n));
	return n;
}

void
pace_totals_add_boards(struct pace_totals *t, struct pace_watch *boards,
    struct pace_view *last, const uint64_t *counted, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pace_view *v = &last[i];

		(void)pace_watch_read(&boards[i], &last[i]);
		if (v->number <= counted[i])	/* 0: nobody was there */
			continue;
		pace_tally_add(&t->tally, &v->all);
		if (v->leased)
			t->lease_number = v->number;
	}
}
