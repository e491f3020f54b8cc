/*
 * policy.h - who may measure how much: rules, and what holds a run to them.
 *
 * Purpose    the rules of a responder, which of them is a client's, what of a plan
 *            is too much, and the counting of what comes.
 * Match      a rule names keys and networks.  A client's rule is that of its key;
 *            else, where it proved one, that of any key ("*"); else that of the
 *            longest network its address is in; else the default, rule 0.
 * Units      bit/s and bytes on the wire, preamble and gap included, as of frames
 *            that nobody cuts; ns; records and frames as numbers.
 * Bucket     a limit of R a second lets pass, in any time t, at most 1.1 R (t + 1 s):
 *            a second at once, so that short bursts pass, and a tenth more, for clocks
 *            and copies.  A plan is held to R (t + 1 s).
 * Budget     bytes a day (UTC), by rule and subject: the key's name, or the network
 *            of the rule, or "" for the default's; and by rule and network of the client
 *            (PACE_PREFIX_NETWORK).
 * Memory     fixed, about 100 KiB each for policy and budget; no clock.
 * Threads    none: whoever shares them locks.
 */
#ifndef PACE_CORE_POLICY_H
#define PACE_CORE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/io.h"
#include "core/units.h"

#define PACE_RULE_NAME		32	/* with its end */
#define PACE_SUBJECT_SIZE	52	/* a network, or the name of a key */
#define PACE_RULES_MAX		128
#define PACE_NETS_MAX		1024
#define PACE_NAMES_MAX		512	/* of keys */
#define PACE_ACCOUNTS		1024
#define PACE_NO_LIMIT		INT64_MAX

enum pace_limit_kind {
	PACE_LIMIT_RATE,	/* bit/s on the wire */
	PACE_LIMIT_FRAMES,	/* a second */
	PACE_LIMIT_SIZE,	/* bytes of a frame, user data */
	PACE_LIMIT_DURATION,	/* ns of a run */
	PACE_LIMIT_RECORDS,	/* of a run */
	PACE_LIMIT_SESSIONS,	/* of one key, or of one host where there is none, at once */
	PACE_LIMIT_BUDGET,	/* bytes a day on the wire, both ways */
	PACE_LIMIT_NETWORK,	/* the same of each network that its clients are in */
	PACE_LIMITS
};

/* What files call it, what it is counted in and the least that makes sense. */
struct pace_limit_info {
	const char	*name, *help;
	enum pace_unit	unit;
	int64_t		min;
};
extern const struct pace_limit_info pace_limit_info[PACE_LIMITS];

/* A limit as it may have been written, bytes exactly; returns buf. */
char	*pace_limit_print(enum pace_limit_kind k, int64_t most, char *buf, size_t size);

/* " a day", " a day for each network"; "" of what is no budget. */
const char	*pace_limit_period(enum pace_limit_kind k);

/* What holds for a client: a rule, without whom it is for. */
struct pace_limits {
	char	rule[PACE_RULE_NAME];
	bool	allow;		/* may it measure at all? */
	bool	invited;	/* allow was written down: also without a key where keys are required */
	bool	reverse;	/* may it make the responder send more than it receives? */
	bool	host_facts;	/* is it told of the host? */
	bool	busy_poll;	/* may it make the responder spin while it receives? */
	bool	capture;	/* may it have its own stream captured there? */
	bool	stamp_nic;	/* may it have the network device reconfigured, to stamp frames? */
	int64_t	most[PACE_LIMITS];	/* PACE_NO_LIMIT: none */
	uint32_t said;		/* bit PACE_LIMIT_*, then the five above: not the default's */
};
#define PACE_SAID_REVERSE	(1u << PACE_LIMITS)
#define PACE_SAID_FACTS		(2u << PACE_LIMITS)
#define PACE_SAID_BUSY		(4u << PACE_LIMITS)
#define PACE_SAID_CAPTURE	(8u << PACE_LIMITS)
#define PACE_SAID_STAMP		(16u << PACE_LIMITS)

struct pace_policy {
	int	rules, nets, names;
	bool	has_default;	/* false: the file that this is of says nothing of it */
	struct pace_limits rule[PACE_RULES_MAX];	/* [0]: for all others */
	struct {
		uint8_t		family, bits, ip[16];
		uint16_t	rule;
		char		text[PACE_SUBJECT_SIZE];
	} net[PACE_NETS_MAX];
	struct {
		char		name[PACE_RULE_NAME];	/* "*": any */
		uint16_t	rule;
	} name[PACE_NAMES_MAX];
};

/* --- making one --- */

/* The default alone: 100 Mbit/s, 10 s, 100 GB a day, 10 GB of them for each network;
 * no host facts, no reverse traffic. */
void	pace_policy_reset(struct pace_policy *p);

/* What holds where no file says otherwise, the same as policy/default.ini: the above; 1
 * Gbit/s for 60 s with host facts from private, link-local and unique local addresses; no
 * limits for any key, nor on loopback, where a client is on this host already.  stamp_nic
 * is for nobody. */
void	pace_policy_built_in(struct pace_policy *p);

/* A rule of that name, which has what the default has; its number, or -EEXIST, -ENOSPC. */
int	pace_policy_rule(struct pace_policy *p, const char *name);

/* Whom it is for.  -EEXIST: a rule has that one, -ENOSPC, -EINVAL: bits beyond bits. */
int	pace_policy_net(struct pace_policy *p, int rule, const struct pace_addr *a, int bits,
	    const char *text);
int	pace_policy_name(struct pace_policy *p, int rule, const char *name);

/* At the end: what a rule does not say is what the default says. */
void	pace_policy_settle(struct pace_policy *p);

/* --- asking it --- */

/* The number of a client's rule; key "": it proved none.  subject: of its budget. */
int	pace_policy_match(const struct pace_policy *p, const struct pace_addr *a,
	    const char *key, char subject[PACE_SUBJECT_SIZE]);

/* The rule of a key; -1: none, the client's address decides. */
int	pace_policy_key_rule(const struct pace_policy *p, const char *key);

/* What the keys that clients may have are called. */
#define PACE_KNOWN_MAX		1024
struct pace_known_keys {
	int	n;
	char	name[PACE_KNOWN_MAX][PACE_RULE_NAME];
};

/* Has it one of that name?  "*": one of any. */
bool	pace_known_key(const struct pace_known_keys *k, const char *name);

/* What a client wants to do. */
struct pace_plan {
	uint32_t	size_bytes, wire_bytes;	/* of a frame */
	double		frames;		/* in all; 0: nobody knows */
	int64_t		duration_ns;	/* in which they come; 0: only the sender's speed decides */
	double		burst_frames;	/* those that come in burst_ns at most */
	int64_t		burst_ns;
	int64_t		run_ns;		/* how long it lasts; 0: nobody knows */
	uint64_t	records;
	bool		reverse, busy_poll, stamp_nic;
	double		used_bytes;	/* of the day's budget */
	double		used_network;	/* of that of the client's network */
};

/* Is it too much?  Then text says what, with the rule's name. */
bool	pace_limits_refuse(const struct pace_limits *l, const struct pace_plan *p, char *text,
	    size_t size);

/* --- counting what comes --- */

struct pace_bucket {
	double	left, depth, per_ns;	/* private */
	int64_t	at_ns;
};

/* Full.  per_second PACE_NO_LIMIT: it never gets empty. */
void	pace_bucket_fill(struct pace_bucket *b, int64_t per_second, int64_t now_ns);

/* False: that was more than there was. */
bool	pace_bucket_take(struct pace_bucket *b, int64_t now_ns, double n);

struct pace_budget {
	int	n;
	struct {
		char		rule[PACE_RULE_NAME], subject[PACE_SUBJECT_SIZE];
		int64_t		day;	/* since 1970 */
		double		bytes;
	} account[PACE_ACCOUNTS];
};

/* What was used on that day so far, with these bytes; where there is no room to count
 * any more it is infinite. */
double	pace_budget_use(struct pace_budget *b, const char *rule, const char *subject,
	    int64_t day, double bytes);

#endif
