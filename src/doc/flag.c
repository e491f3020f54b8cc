#include "doc/flag.h"

#include <stddef.h>
#include <string.h>

/* In the order of rows and legends; the first row of a letter has its words. */
static const struct flag {
	char		letter;
	const char	*code;		/* NULL: no note */
	const char	*words;
} flags[] = {
	{ 'D', NULL, "degraded: the sender did not send as requested, and that changes the result: "
	    "another rate was sent, or the lost frames may be its own fault" },
	{ 's', "spacing_not_kept", "the mean spacing was more than 1 % off" },
	{ 'f', "sender_stalled", "the sender was frozen for more than 1 ms" },
	{ 'l', "frames_late", "more than 1 % left more than a spacing late" },
	{ 'l', "requests_late", "" },
	{ 'x', "frames_refused", "this host refused to send some" },
	{ 'x', "requests_refused", "" },
	{ 'I', NULL, "interrupted: only a part was measured" },
	{ 'P', "rx_missing", "the responder's part is missing, or the stream was cut short" },
	{ 'P', "cut_short", "" },
	{ 'N', "nothing_sent", "nothing was sent, or nothing came back" },
	{ 'N', "nothing_arrived", "" },
	{ 'N', "nothing_answered", "" },
	{ 'G', "responder_gone", "the responder went away or was restarted" },
	{ 'G', "session_lost", "" },
	{ 'O', "lease_lost", "another client may have measured at the same time" },
	{ 'T', "clock_stepped", "the responder's clock was set: do not trust the gaps" },
	{ 'M', "dscp_not_kept", "the path changed DSCP or ECN of frames" },
	{ 'M', "ecn_not_kept", "" },
	{ 'Q', "congestion_experienced", "the path marked frames: congestion experienced" },
	{ 'X', "above_max_loss", "a limit of the command line was missed" },
	{ 'X', "below_min_rate", "" },
	{ 'X', "above_max_p99", "" },
	{ 'C', "contradiction", "figures contradict each other" },
	/* of captured streams */
	{ 'Z', "numbers_restarted", "the sequence numbers restarted" },
	{ 'S', "streams_not_followed",
	    "some of its frames belong to streams that were not followed" },
	{ 'V', "invalid_timestamps", "some of the sender's stamps are impossible" },
	{ 'A', "ambiguous", "some frames look alike and cannot be distinguished" },
	{ 'F', "foreign", "frames were received that were not sent" },
	{ 'K', "capture_clocks_differ", "the clocks of both captures differ" },
	{ 'E', "lost_at_ends", "frames are missing because one capture is shorter" },
};

#define FLAGS	(sizeof(flags) / sizeof(flags[0]))

static bool
is_capital(char letter)
{
	return letter >= 'A' && letter <= 'Z';
}

bool
pace_flag_doubts(const char *code, bool degraded)
{
	for (size_t i = 0; i < FLAGS; i++)
		if (flags[i].code != NULL && strcmp(flags[i].code, code) == 0)
			return degraded || is_capital(flags[i].letter);
	return false;
}

static bool
has_note(const struct pace_notes *n, const char *code)
{
	for (int i = 0; i < n->n; i++)
		if (strcmp(n->v[i].code, code) == 0)
			return true;
	return false;
}

char *
pace_flags_row(const struct pace_notes *n, bool degraded, bool interrupted,
    char buf[PACE_FLAGS_MAX], struct pace_flags *used)
{
	size_t len = 0;

	for (size_t i = 0; i < FLAGS && len + 1 < PACE_FLAGS_MAX; i++) {
		bool set = flags[i].code == NULL ? (i == 0 ? degraded : interrupted) :
		    has_note(n, flags[i].code) && (degraded || is_capital(flags[i].letter));
		size_t first = i;

		while (first > 0 && flags[first - 1].letter == flags[i].letter)
			first--;
		if (!set || (len > 0 && buf[len - 1] == flags[i].letter))
			continue;
		buf[len++] = flags[i].letter;
		if (used != NULL)
			used->used |= UINT64_C(1) << first;
	}
	buf[len] = '\0';
	return buf;
}

const char *
pace_flags_legend(const struct pace_flags *used, size_t i, char *letter)
{
	for (size_t k = 0; k < FLAGS; k++) {
		if ((used->used >> k & 1) == 0 || i-- > 0)
			continue;
		*letter = flags[k].letter;
		return flags[k].words;
	}
	return NULL;
}
