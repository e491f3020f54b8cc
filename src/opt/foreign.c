#include "opt/foreign.h"

#include <string.h>

/*
 * The first matching row counts.  A row matches if it has the word, if it is for the command
 * (cmds; NULL: for all commands), and if ours names an option of the command or none is a text.
 */
static const struct {
	const char	*words, *cmds;
	const char	*ours;		/* in order of preference */
	const char	*note;		/* hint on ours */
	const char	*none;
} options[] = {
	/* words with another meaning for one command */
	{ "-c", "latency clock", "count", NULL, NULL },
	{ "-s", "latency", "size", NULL, NULL },
	{ "-W", "latency", "timeout", NULL, NULL },
	{ "-s --server", "respond", NULL, NULL, "leave it out: respond is the server" },
	{ "-D --daemon", "respond", NULL, NULL,
	    "respond stays in the foreground; a service manager can start it" },

	{ "-s --server", NULL, NULL, NULL, "the server is a command: udpace respond" },
	{ "-c --client --host -H", "throughput capacity latency clock monitor", NULL, NULL,
	    "write the host without an option" },
	{ "-c --client --host", NULL, NULL, NULL,
	    "the client is a command: udpace throughput HOST" },
	{ "-1 --one-off", NULL, "once", NULL, NULL },
	{ "-p --dport --server-port", NULL, "port", NULL, NULL },
	{ "--cport", NULL, "source-port", NULL, NULL },
	{ "-B --bind", NULL, "bind source", NULL, NULL },
	{ "--bind-dev", NULL, "interface", NULL, NULL },
	{ "-L --flowlabel", NULL, "flow-label", NULL, NULL },

	{ "--bidir --bidirectional --dualtest -d", "throughput monitor", "two-way", NULL, NULL },
	{ "--bidir --bidirectional --dualtest -d", "capacity", NULL, NULL,
	    "one direction at a time; --reverse is the other one" },
	{ "--parallel --nstreams", "throughput monitor send", "streams", NULL, NULL },
	{ "-P --parallel --streams --nstreams", "capacity latency", NULL, NULL,
	    "a run has one stream" },
	{ "-u --udp", NULL, NULL, NULL, "frames are always UDP; -u is the port here" },
	{ "-C --congestion -N --no-delay --nodelay -M --set-mss --mss", NULL, NULL, NULL,
	    "it is an option of TCP; frames are UDP datagrams" },

	{ "-b --bandwidth --bitrate --target-bitrate", NULL, "rate high", NULL, NULL },
	{ "--fq-rate", NULL, "rate", "every frame already has its own scheduled time", NULL },
	{ "--pps --mps --fps", NULL, "spacing interval", "the time from one frame to the next",
	    NULL },
	{ "-l --len --length -m --msg-size --packetsize --packet-size --padding", NULL, "size",
	    NULL, NULL },
	{ "--time --runtime --test-time", NULL, "duration", NULL, NULL },
	{ "--time --duration -t", "latency clock", "count",
	    "the duration is this number times the interval", NULL },
	{ "-n --num -k --blockcount --packets", NULL, "count", NULL, NULL },
	{ "--bytes", NULL, "count", "a number of frames, not of bytes", NULL },
	{ "-i --interval --wait", NULL, "interval", NULL, NULL },
	{ "-i --interval", "throughput capacity", NULL, NULL,
	    "a result comes at the end; 'udpace monitor HOST' shows a path live" },
	{ "-O --omit", "capacity", NULL, NULL, "every frame counts, from the first" },
	{ "-w --window --bufsize", NULL, "rcvbuf", "and --sndbuf, for the send buffer", NULL },
	{ "-S --tos", NULL, "dscp", "the TOS byte divided by 4", NULL },
	{ "-A --affinity", NULL, "cpu", "one core, of this host", NULL },
	{ "-F --file", "throughput capacity monitor", NULL, NULL,
	    "the payload is udpace's own" },
	{ "--df --dont-fragment", NULL, NULL, NULL,
	    "leave it out: frames are not fragmented by default" },

	{ "-J", NULL, "json", NULL, NULL },
	{ "--json-stream", NULL, "jsonl", NULL, NULL },
	{ "-y --reportstyle", NULL, "csv", NULL, NULL },
	{ "-V -e --enhanced --debug", NULL, "verbose", NULL, NULL },
	{ "-T --title", NULL, "label", NULL, NULL },
	{ "--logfile --log-file", NULL, "output", NULL, "messages go to standard error: 2>FILE" },
	{ "-f --format", "throughput capacity latency clock", NULL, NULL,
	    "every value has its unit; --json has plain numbers" },
	{ "--username", NULL, "key", NULL, NULL },
	{ "--burst", NULL, "train", NULL, NULL },
	{ "--buffer-size", NULL, "rcvbuf", "and --sndbuf, for the send buffer", NULL },
	{ "--full-log", NULL, "record", NULL, NULL },
	{ "--full-rtt", NULL, NULL, NULL, "leave it out: the round trip is always whole" },
	{ "--sender-affinity", NULL, "cpu", NULL, NULL },
	{ "--get-server-output", NULL, NULL, NULL,
	    "leave it out: the responder's part is in every result" },
	{ "--trip-times", NULL, NULL, NULL, "leave it out: one-way delay is in every result" },
	{ "--histograms --hist", NULL, NULL, NULL,
	    "leave it out: the JSON document has histograms; udpace export prints them" },
};

static const struct { const char *words, *ours; } commands[] = {
	{ "server serve listen daemon reflector", "respond" },
	{ "client iperf iperf2 iperf3 nuttcp netperf udpmon stream sweep", "throughput" },
	{ "multicast mcast udpmon_send spead2_send transmit", "send" },
	{ "bandwidth bw", "capacity" },
	{ "ping rtt owping twping irtt sockperf ping-pong pingpong", "latency" },
	{ "ntp offset", "clock" },
	{ "mtr top live", "monitor" },
	{ "tcpdump pcap sniff", "capture" },
	{ "check diagnose", "doctor" },
	{ "plot draw figures", "report" },
	{ "diff", "compare" },
	{ "csv convert", "export" },
	{ "keygen", "key" },
	{ "man usage", "help" },
};

/* Is this one of the words in a list separated by blanks? */
static bool
has_word(const char *words, const char *word, size_t len)
{
	for (size_t n; *words != '\0'; words += n + strspn(words + n, " ")) {
		n = strcspn(words, " ");
		if (n == len && strncmp(words, word, len) == 0)
			return true;
	}
	return false;
}

/* Return the first of the names that is an option of the command. */
static const struct pace_opt *
first_of(const struct pace_cmd *cmd, const char *names)
{
	const struct pace_opt *o = NULL;
	char name[32];

	for (size_t n; o == NULL && *names != '\0'; names += n + strspn(names + n, " ")) {
		n = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		o = pace_opt_find(cmd, name);
	}
	return o;
}

bool
pace_foreign_option(const struct pace_cmd *cmd, const char *word, size_t len,
    struct pace_foreign *f)
{
	const char *name = cmd != NULL ? cmd->name : "";

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (!has_word(options[i].words, word, len) || (options[i].cmds != NULL &&
		    !has_word(options[i].cmds, name, strlen(name))))
			continue;
		f->ours = cmd != NULL && options[i].ours != NULL ?
		    first_of(cmd, options[i].ours) : NULL;
		f->text = f->ours != NULL ? options[i].note : options[i].none;
		if (f->ours != NULL || f->text != NULL)
			return true;
	}
	return false;
}

const char *
pace_foreign_command(const char *word)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (has_word(commands[i].words, word, strlen(word)))
			return commands[i].ours;
	return NULL;
}
