/*
 * policy.h - which client may measure how much: the rules, and their enforcement.
 *
 * Purpose    hold a responder's rules, find a client's rule, check a client's plan
 *            against it, and count the traffic that arrives.
 * Match      a rule names keys and networks.  The rule of a client's key comes first;
 *            then, for a client with any proven key, the rule for "*"; then the rule of
 *            the longest network that has the client's address; then the default,
 *            rule 0.
 * Units      bit/s and bytes on the wire, with preamble and inter-frame gap, for
 *            unfragmented frames; ns; records and frames as numbers.
 * Bucket     a limit of R a second passes at most 1.1 R (t + 1 s) in any time t: one
 *            second's worth for short bursts, and a tenth more for clock errors and
 *            copies.  A plan must fit R (t + 1 s).
 * Budget     bytes a day (UTC).  One account has a rule and a subject: the key's name,
 *            the rule's network, or "" for the default.  A second account has the rule
 *            and the client's network (PACE_PREFIX_NETWORK).
 * Memory     fixed, about 100 KiB each for policy and budget; no clock.
 * Threads    none: callers that share them use a lock.
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
	PACE_LIMIT_SESSIONS,	/* at once, for one key; without a key, for one host */
	PACE_LIMIT_STREAMS,	/* of a run, each with a socket of its own */
	PACE_LIMIT_BUDGET,	/* bytes a day on the wire, both ways */
	PACE_LIMIT_NETWORK,	/* bytes a day for each network of clients */
	PACE_LIMIT_WATCH_RATE,	/* bit/s on the wire, of a stream in a light session */
	PACE_LIMIT_WATCH_FRAMES,	/* a second, of such a stream */
	PACE_LIMITS
};

/* Name in policy files, help text, unit and smallest value of a limit. */
struct pace_limit_info {
	const char	*name, *help;
	enum pace_unit	unit;
	int64_t		min;
};
extern const struct pace_limit_info pace_limit_info[PACE_LIMITS];

/* Print a limit in the form of a policy file, bytes exactly; returns buf. */
char	*pace_limit_print(enum pace_limit_kind k, int64_t most, char *buf, size_t size);

/* " a day" or " a day for each network" for a budget; "" for other limits. */
const char	*pace_limit_period(enum pace_limit_kind k);

/* Clients that may share the lease: none; those with the same key; also those without a key in
 * one network of a rule. */
enum pace_group_rule { PACE_GROUP_NO, PACE_GROUP_KEY, PACE_GROUP_PRIVATE, PACE_GROUP_RULES };
extern const char *const pace_group_rules[PACE_GROUP_RULES];	/* in policy files */

/* The limits and permissions of a rule. */
struct pace_limits {
	char	rule[PACE_RULE_NAME];
	bool	allow;		/* the client may measure */
	bool	invited;	/* the file sets allow: valid without a key even if keys are
				 * required */
	bool	reverse;	/* the responder may send more than it receives */
	int64_t	reverse_bps;	/* limit of the frames that it sends, on the wire; 0: the rule's
				 * rate */
	bool	host_facts;	/* the client gets the host's facts */
	bool	busy_poll;	/* the responder may spin while it receives */
	bool	capture;	/* the responder may capture the client's own stream */
	bool	stamp_nic;	/* the responder may reconfigure the NIC to stamp frames */
	bool	reflect;	/* STAMP requests are answered, if the responder reflects at all */
	enum pace_group_rule group;	/* who may share the lease */
	int64_t	most[PACE_LIMITS];	/* PACE_NO_LIMIT: none */
	uint32_t said;		/* set by this rule, not inherited: PACE_LIMIT_* bits, then
				 * PACE_SAID_* */
};
#define PACE_SAID_REVERSE	(1u << PACE_LIMITS)
#define PACE_SAID_FACTS		(2u << PACE_LIMITS)
#define PACE_SAID_BUSY		(4u << PACE_LIMITS)
#define PACE_SAID_CAPTURE	(8u << PACE_LIMITS)
#define PACE_SAID_STAMP		(16u << PACE_LIMITS)
#define PACE_SAID_REFLECT	(32u << PACE_LIMITS)
#define PACE_SAID_GROUP		(64u << PACE_LIMITS)

struct pace_policy {
	int	rules, nets, names;
	bool	has_default;	/* the file sets the default rule */
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

/* The default alone: 100 Mbit/s, 10 s, 100 GB a day, 10 GB of them for each network, one stream;
 * no host facts, no reverse traffic, groups only with a key; STAMP requests are answered. */
void	pace_policy_reset(struct pace_policy *p);

/* The built-in policy, equal to policy/default.ini: the default above; 1 Gbit/s for 60 s,
 * 64 streams and reverse, with host facts, for private, link-local and unique local addresses; no
 * limits for any key or on loopback, because such a client is on this host already.  No rule
 * allows stamp_nic. */
void	pace_policy_built_in(struct pace_policy *p);

/* Add a rule with the default's values; returns its number, or -EEXIST, -ENOSPC. */
int	pace_policy_rule(struct pace_policy *p, const char *name);

/* Add a network or a key to a rule.  -EEXIST: another rule has it; -ENOSPC; -EINVAL: the
 * address has bits set behind the prefix. */
int	pace_policy_net(struct pace_policy *p, int rule, const struct pace_addr *a, int bits,
	    const char *text);
int	pace_policy_name(struct pace_policy *p, int rule, const char *name);

/* Finish: unset values are inherited from the default. */
void	pace_policy_settle(struct pace_policy *p);

/* --- asking it --- */

/* The number of a client's rule; key "": it proved none.  subject: its budget's account. */
int	pace_policy_match(const struct pace_policy *p, const struct pace_addr *a,
	    const char *key, char subject[PACE_SUBJECT_SIZE]);

/* The rule of a key; -1: none, the client's address decides. */
int	pace_policy_key_rule(const struct pace_policy *p, const char *key);

/* The names of the keys that clients may have. */
#define PACE_KNOWN_MAX		1024
struct pace_known_keys {
	int	n;
	char	name[PACE_KNOWN_MAX][PACE_RULE_NAME];
};

/* Is there a key of that name?  "*": any key. */
bool	pace_known_key(const struct pace_known_keys *k, const char *name);

/* The plan of a client's run. */
struct pace_plan {
	uint32_t	size_bytes, wire_bytes;	/* of a frame */
	double		frames;		/* in total; 0: not known */
	int64_t		duration_ns;	/* of the stream; 0: as fast as the sender can */
	double		burst_frames;	/* most frames within burst_ns */
	int64_t		burst_ns;
	int64_t		run_ns;		/* length of the run; 0: not known */
	uint64_t	records, streams;
	bool		reverse;	/* the responder sends more than it receives */
	bool		down;		/* the responder sends the frames of a stream */
	bool		busy_poll, stamp_nic;
	double		other_bytes;	/* that its other direction will use as well */
	double		used_bytes;	/* of the day's budget so far */
	double		used_network;	/* of the client's network's budget so far */
};

/* Does the plan exceed the limits?  If so, text says how and names the rule. */
bool	pace_limits_refuse(const struct pace_limits *l, const struct pace_plan *p, char *text,
	    size_t size);

/* The rate that a run is held to: PACE_NO_LIMIT, or bit/s. */
int64_t	pace_limits_rate(const struct pace_limits *l, bool down);

/* --- counting what comes --- */

struct pace_bucket {
	double	left, depth, per_ns;	/* private */
	int64_t	at_ns;
};

/* Fill a bucket.  per_second PACE_NO_LIMIT: it never becomes empty. */
void	pace_bucket_fill(struct pace_bucket *b, int64_t per_second, int64_t now_ns);

/* Take n; false: the bucket held less than n. */
bool	pace_bucket_take(struct pace_bucket *b, int64_t now_ns, double n);

/* Take n only if the bucket holds it: what is refused does not delay what follows. */
bool	pace_bucket_afford(struct pace_bucket *b, int64_t now_ns, double n);

struct pace_budget {
	int	n;
	struct {
		char		rule[PACE_RULE_NAME], subject[PACE_SUBJECT_SIZE];
		int64_t		day;	/* since 1970 */
		double		bytes;
	} account[PACE_ACCOUNTS];
};

/* Add bytes to a day's account and return the account's sum; infinite if there is no
 * room for another account. */
double	pace_budget_use(struct pace_budget *b, const char *rule, const char *subject,
	    int64_t day, double bytes);

#endif
