#include "core/policy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SEC_NS		1e9
#define TOLERANCE	1.1

const struct pace_limit_info pace_limit_info[PACE_LIMITS] = {
	[PACE_LIMIT_RATE] = { "rate", "rate", PACE_UNIT_BPS, 1000000 },
	[PACE_LIMIT_FRAMES] = { "frame-rate", "frame rate", PACE_UNIT_COUNT, 10 },
	[PACE_LIMIT_SIZE] = { "size", "frame size", PACE_UNIT_BYTES, 64 },
	[PACE_LIMIT_DURATION] = { "duration", "length of a run", PACE_UNIT_SEC, 1000000000 },
	[PACE_LIMIT_RECORDS] = { "records", "records", PACE_UNIT_COUNT, 0 },
	[PACE_LIMIT_SESSIONS] = { "sessions", "sessions", PACE_UNIT_COUNT, 1 },
	[PACE_LIMIT_STREAMS] = { "streams", "streams", PACE_UNIT_COUNT, 1 },
	[PACE_LIMIT_WATCH_RATE] = { "watch-rate", "watch rate", PACE_UNIT_BPS, 1000 },
	[PACE_LIMIT_WATCH_FRAMES] = { "watch-frame-rate", "watch frame rate", PACE_UNIT_COUNT, 1 },
	[PACE_LIMIT_BUDGET] = { "budget", "budget", PACE_UNIT_BYTES, 1000000 },
	[PACE_LIMIT_NETWORK] = { "budget-per-network", "network's budget", PACE_UNIT_BYTES,
	    1000000 },
};

const char *const pace_group_rules[PACE_GROUP_RULES] = { "no", "key", "private" };

char *
pace_limit_print(enum pace_limit_kind k, int64_t most, char *buf, size_t size)
{
	enum pace_unit unit = pace_limit_info[k].unit;

	if (unit == PACE_UNIT_BYTES)
		return pace_print_exact(most, buf, size);
	return pace_print(unit, (double)most, buf, size);
}

/* --- making one ------------------------------------------------------------------- */

static void
lift(struct pace_limits *l)
{
	for (int i = 0; i < PACE_LIMITS; i++)
		l->most[i] = PACE_NO_LIMIT;
	l->most[PACE_LIMIT_WATCH_RATE] = 100000;
	l->most[PACE_LIMIT_WATCH_FRAMES] = 50;
}

void
pace_policy_reset(struct pace_policy *p)
{
	struct pace_limits *l = &p->rule[0];

	memset(p, 0, sizeof(*p));
	p->rules = 1;
	snprintf(l->rule, sizeof(l->rule), "default");
	l->allow = l->reflect = true;
	l->group = PACE_GROUP_KEY;
	lift(l);
	l->most[PACE_LIMIT_RATE] = INT64_C(100000000);
	l->most[PACE_LIMIT_DURATION] = INT64_C(10000000000);
	l->most[PACE_LIMIT_STREAMS] = 1;
	l->most[PACE_LIMIT_BUDGET] = INT64_C(100000000000);
	l->most[PACE_LIMIT_NETWORK] = INT64_C(10000000000);
}

/* A rule without limits, but for the load that light sessions put on the listener. */
static int
open_rule(struct pace_policy *p, const char *name)
{
	int rule = pace_policy_rule(p, name);
	struct pace_limits *l = &p->rule[rule];

	lift(l);
	l->reverse = l->host_facts = l->busy_poll = l->capture = true;
	return rule;
}

/* For those in the operator's own networks. */
static int
private_rule(struct pace_policy *p)
{
	int rule = pace_policy_rule(p, "private");
	struct pace_limits *l = &p->rule[rule];

	lift(l);
	l->reverse = l->host_facts = true;
	l->group = PACE_GROUP_PRIVATE;
	l->most[PACE_LIMIT_RATE] = INT64_C(1000000000);
	l->most[PACE_LIMIT_DURATION] = INT64_C(60000000000);
	l->most[PACE_LIMIT_STREAMS] = 64;
	return rule;
}

struct fixed_net {
	struct pace_addr a;
	int		bits;
	const char	*text;
};

/* RFC 1918, 3927, 4193, 4291. */
static const struct fixed_net private_nets[] = {
	{ { .family = 4, .ip = { 10 } }, 8, "10.0.0.0/8" },
	{ { .family = 4, .ip = { 172, 16 } }, 12, "172.16.0.0/12" },
	{ { .family = 4, .ip = { 192, 168 } }, 16, "192.168.0.0/16" },
	{ { .family = 4, .ip = { 169, 254 } }, 16, "169.254.0.0/16" },
	{ { .family = 6, .ip = { 0xfc } }, 7, "fc00::/7" },
	{ { .family = 6, .ip = { 0xfe, 0x80 } }, 10, "fe80::/10" },
}, loopback_nets[] = {
	{ { .family = 4, .ip = { 127 } }, 8, "127.0.0.0/8" },
	{ { .family = 6, .ip = { [15] = 1 } }, 128, "::1/128" },
};

static void
add_nets(struct pace_policy *p, int rule, const struct fixed_net *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)pace_policy_net(p, rule, &v[i].a, v[i].bits, v[i].text);
}

void
pace_policy_built_in(struct pace_policy *p)
{
	int loopback;

	pace_policy_reset(p);
	p->has_default = true;
	(void)pace_policy_name(p, open_rule(p, "any-key"), "*");
	add_nets(p, private_rule(p), private_nets, sizeof(private_nets) / sizeof(private_nets[0]));
	loopback = open_rule(p, "loopback");
	p->rule[loopback].group = PACE_GROUP_PRIVATE;
	add_nets(p, loopback, loopback_nets, sizeof(loopback_nets) / sizeof(loopback_nets[0]));
}

int
pace_policy_rule(struct pace_policy *p, const char *name)
{
	struct pace_limits *l = &p->rule[p->rules];

	for (int i = 0; i < p->rules; i++)
		if (strcmp(p->rule[i].rule, name) == 0)
			return -EEXIST;
	if (p->rules == PACE_RULES_MAX)
		return -ENOSPC;
	*l = p->rule[0];
	l->allow = true;
	l->invited = false;
	l->said = 0;
	snprintf(l->rule, sizeof(l->rule), "%s", name);
	return p->rules++;
}

static bool
same_bits(const uint8_t *a, const uint8_t *b, int bits)
{
	int whole = bits / 8, rest = bits % 8;

	return memcmp(a, b, (size_t)whole) == 0 &&
	    (rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0);
}

/* Are all bits behind the prefix 0? */
static bool
clear_behind(const uint8_t *ip, int bits, int all)
{
	for (int i = bits; i < all; i++)
		if ((ip[i / 8] >> (7 - i % 8) & 1) != 0)
			return false;
	return true;
}

int
pace_policy_net(struct pace_policy *p, int rule, const struct pace_addr *a, int bits,
    const char *text)
{
	int all = a->family == 4 ? 32 : 128;

	if (bits < 0 || bits > all || !clear_behind(a->ip, bits, all))
		return -EINVAL;
	for (int i = 0; i < p->nets; i++)
		if (p->net[i].family == a->family && p->net[i].bits == bits &&
		    same_bits(p->net[i].ip, a->ip, bits))
			return -EEXIST;
	if (p->nets == PACE_NETS_MAX)
		return -ENOSPC;
	p->net[p->nets].family = a->family;
	p->net[p->nets].bits = (uint8_t)bits;
	p->net[p->nets].rule = (uint16_t)rule;
	memcpy(p->net[p->nets].ip, a->ip, sizeof(a->ip));
	snprintf(p->net[p->nets].text, sizeof(p->net[0].text), "%s", text);
	p->nets++;
	return 0;
}

int
pace_policy_name(struct pace_policy *p, int rule, const char *name)
{
	for (int i = 0; i < p->names; i++)
		if (strcmp(p->name[i].name, name) == 0)
			return -EEXIST;
	if (p->names == PACE_NAMES_MAX)
		return -ENOSPC;
	snprintf(p->name[p->names].name, sizeof(p->name[0].name), "%s", name);
	p->name[p->names++].rule = (uint16_t)rule;
	return 0;
}

void
pace_policy_settle(struct pace_policy *p)
{
	const struct pace_limits *d = &p->rule[0];

	for (int i = 1; i < p->rules; i++) {
		struct pace_limits *l = &p->rule[i];

		for (int k = 0; k < PACE_LIMITS; k++)
			if ((l->said >> k & 1) == 0)
				l->most[k] = d->most[k];
		if ((l->said & PACE_SAID_REVERSE) == 0)
			l->reverse = d->reverse, l->reverse_bps = d->reverse_bps;
		if ((l->said & PACE_SAID_FACTS) == 0)
			l->host_facts = d->host_facts;
		if ((l->said & PACE_SAID_BUSY) == 0)
			l->busy_poll = d->busy_poll;
		if ((l->said & PACE_SAID_CAPTURE) == 0)
			l->capture = d->capture;
		if ((l->said & PACE_SAID_STAMP) == 0)
			l->stamp_nic = d->stamp_nic;
		if ((l->said & PACE_SAID_REFLECT) == 0)
			l->reflect = d->reflect;
		if ((l->said & PACE_SAID_GROUP) == 0)
			l->group = d->group;
	}
}

/* --- asking it --------------------------------------------------------------------- */

int
pace_policy_key_rule(const struct pace_policy *p, const char *key)
{
	int any = -1;

	for (int i = 0; i < p->names; i++) {
		if (strcmp(p->name[i].name, key) == 0)
			return p->name[i].rule;
		if (strcmp(p->name[i].name, "*") == 0)
			any = p->name[i].rule;
	}
	return any;
}

bool
pace_known_key(const struct pace_known_keys *k, const char *name)
{
	if (strcmp(name, "*") == 0)
		return k->n > 0;
	for (int i = 0; i < k->n; i++)
		if (strcmp(k->name[i], name) == 0)
			return true;
	return false;
}

static int
net_of(const struct pace_policy *p, const struct pace_addr *a)
{
	int best = -1;

	for (int i = 0; i < p->nets; i++)
		if (p->net[i].family == a->family &&
		    same_bits(p->net[i].ip, a->ip, p->net[i].bits) &&
		    (best < 0 || p->net[i].bits > p->net[best].bits))
			best = i;
	return best;
}

int
pace_policy_match(const struct pace_policy *p, const struct pace_addr *a, const char *key,
    char subject[PACE_SUBJECT_SIZE])
{
	int at = key[0] != '\0' ? pace_policy_key_rule(p, key) : -1;

	snprintf(subject, PACE_SUBJECT_SIZE, "%s", at >= 0 ? key : "");
	if (at >= 0)
		return at;
	at = net_of(p, a);
	if (at < 0)
		return 0;
	snprintf(subject, PACE_SUBJECT_SIZE, "%s", p->net[at].text);
	return p->net[at].rule;
}

/* Would a bucket refuse n within that time? */
static bool
overflows(double n, int64_t ns, int64_t per_second)
{
	return per_second != PACE_NO_LIMIT &&
	    n > (double)per_second * ((double)ns / SEC_NS + 1) * (1 + 1e-9);
}

/* Check the whole plan, or one burst of it. */
static bool
too_fast(const struct pace_plan *p, double each, int64_t per_second)
{
	return p->duration_ns > 0 && (overflows(p->frames * each, p->duration_ns, per_second) ||
	    overflows(p->burst_frames * each, p->burst_ns, per_second));
}

/* "2.00 Gbit/s for 60.0 s is more than its 1.00 Gbit/s"; of the whole run, or of the
 * burst that is worse. */
static void
say_fast(const struct pace_plan *p, double each, enum pace_unit unit, int64_t most, char *text,
    size_t size)
{
	bool burst = p->burst_ns > 0 &&
	    !overflows(p->frames * each, p->duration_ns, most);
	int64_t ns = burst ? p->burst_ns : p->duration_ns;
	double n = (burst ? p->burst_frames : p->frames) * each;
	char rate[32], time[32], limit[32];
	const char *word = unit == PACE_UNIT_COUNT ? " frames/s" : "";

	snprintf(text, size, "%s%s for %s is more than its %s%s",
	    pace_print(unit, n * SEC_NS / (double)ns, rate, sizeof(rate)), word,
	    pace_print(PACE_UNIT_SEC, (double)ns, time, sizeof(time)),
	    pace_print(unit, (double)most, limit, sizeof(limit)), word);
}

/* "frames of 9000 B are larger than its 1472 B" */
static void
say_above(enum pace_limit_kind k, double wanted, int64_t most, char *text, size_t size)
{
	enum pace_unit unit = pace_limit_info[k].unit;
	char a[32], b[32];

	pace_print(unit, wanted, a, sizeof(a));
	pace_limit_print(k, most, b, sizeof(b));
	if (k == PACE_LIMIT_SIZE)
		snprintf(text, size, "frames of %s are larger than its %s", a, b);
	else if (k == PACE_LIMIT_DURATION)
		snprintf(text, size, "a run of %s is longer than its %s", a, b);
	else if (k == PACE_LIMIT_STREAMS)
		snprintf(text, size, "%s streams are more than its %s", a, b);
	else
		snprintf(text, size, "records of %s frames are more than its %s", a, b);
}

const char *
pace_limit_period(enum pace_limit_kind k)
{
	return k == PACE_LIMIT_BUDGET ? " a day" : k == PACE_LIMIT_NETWORK ?
	    " a day for each network" : "";
}

static void
say_budget(enum pace_limit_kind k, int64_t limit, double used, double wanted, char *text,
    size_t size)
{
	char a[32], b[32], c[32];
	double most = (double)limit;
	const char *period = pace_limit_period(k);

	pace_print_decimal(used < most ? most - used : 0, a, sizeof(a));
	pace_limit_print(k, limit, b, sizeof(b));
	if (used >= most || wanted <= 0)
		snprintf(text, size, "its %s%s are used up until 00:00 UTC", b, period);
	else
		snprintf(text, size, "%s are more than is left today of its %s%s: %s",
		    pace_print_decimal(wanted, c, sizeof(c)), b, period, a);
}

static bool
refuse_budget(const struct pace_limits *l, enum pace_limit_kind k, double used,
    const struct pace_plan *p, char *text, size_t size)
{
	double wanted = p->frames * p->wire_bytes + p->other_bytes;

	if (l->most[k] == PACE_NO_LIMIT ||
	    (used < (double)l->most[k] && used + wanted <= (double)l->most[k]))
		return false;
	say_budget(k, l->most[k], used, wanted, text, size);
	return true;
}

static bool
refuse_sizes(const struct pace_limits *l, const struct pace_plan *p, char *text, size_t size)
{
	const struct { enum pace_limit_kind k; double wanted; } v[] = {
		{ PACE_LIMIT_SIZE, p->size_bytes },
		{ PACE_LIMIT_DURATION, (double)p->run_ns },
		{ PACE_LIMIT_RECORDS, (double)p->records },
		{ PACE_LIMIT_STREAMS, (double)p->streams },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		if (l->most[v[i].k] == PACE_NO_LIMIT || v[i].wanted <= (double)l->most[v[i].k])
			continue;
		say_above(v[i].k, v[i].wanted, l->most[v[i].k], text, size);
		return true;
	}
	return false;
}

int64_t
pace_limits_rate(const struct pace_limits *l, bool down)
{
	int64_t rate = l->most[PACE_LIMIT_RATE];

	return down && l->reverse_bps > 0 && l->reverse_bps < rate ? l->reverse_bps : rate;
}

bool
pace_limits_refuse(const struct pace_limits *l, const struct pace_plan *p, char *text,
    size_t size)
{
	int64_t rate = pace_limits_rate(l, p->down), frames = l->most[PACE_LIMIT_FRAMES];
	double bits = 8.0 * p->wire_bytes;
	char what[128];

	if (!l->allow)
		snprintf(what, sizeof(what), "it lets no client measure");
	else if (p->reverse && !l->reverse)
		snprintf(what, sizeof(what), "it lets no client make the responder send more than "
		    "it receives");
	else if (p->down && !l->reverse)
		snprintf(what, sizeof(what), "it lets no client make the responder send a stream "
		    "(reverse)");
	else if (p->busy_poll && !l->busy_poll)
		snprintf(what, sizeof(what), "it lets no client make the responder poll "
		    "continuously (busy-poll)");
	else if (p->stamp_nic && !l->stamp_nic)
		snprintf(what, sizeof(what), "it lets no client reconfigure a network device to "
		    "stamp frames (stamp-nic)");
	else if (too_fast(p, bits, rate))
		say_fast(p, bits, PACE_UNIT_BPS, rate, what, sizeof(what));
	else if (too_fast(p, 1, frames))
		say_fast(p, 1, PACE_UNIT_COUNT, frames, what, sizeof(what));
	else if (!refuse_sizes(l, p, what, sizeof(what)) &&
	    !refuse_budget(l, PACE_LIMIT_BUDGET, p->used_bytes, p, what, sizeof(what)) &&
	    !refuse_budget(l, PACE_LIMIT_NETWORK, p->used_network, p, what, sizeof(what)))
		return false;
	snprintf(text, size, "rule '%s': %s", l->rule, what);
	return true;
}

/* --- counting what comes ------------------------------------------------------------ */

void
pace_bucket_fill(struct pace_bucket *b, int64_t per_second, int64_t now_ns)
{
	double most = per_second == PACE_NO_LIMIT ? INFINITY : TOLERANCE * (double)per_second;

	b->left = b->depth = most;
	b->per_ns = most / SEC_NS;
	b->at_ns = now_ns;
}

bool
pace_bucket_take(struct pace_bucket *b, int64_t now_ns, double n)
{
	if (isinf(b->depth))
		return true;
	if (now_ns > b->at_ns) {
		b->left += (double)(now_ns - b->at_ns) * b->per_ns;
		b->at_ns = now_ns;
	}
	if (b->left > b->depth)
		b->left = b->depth;
	b->left -= n;
	return b->left >= 0;
}

bool
pace_bucket_afford(struct pace_bucket *b, int64_t now_ns, double n)
{
	bool yes = pace_bucket_take(b, now_ns, n);

	if (!yes)
		b->left += n;
	return yes;
}

double
pace_budget_use(struct pace_budget *b, const char *rule, const char *subject, int64_t day,
    double bytes)
{
	int at, old = -1;

	for (at = 0; at < b->n; at++) {
		if (strcmp(b->account[at].rule, rule) == 0 &&
		    strcmp(b->account[at].subject, subject) == 0)
			break;
		if (b->account[at].day < day)
			old = at;
	}
	if (at == b->n && old < 0 && b->n == PACE_ACCOUNTS)
		return INFINITY;
	if (at == b->n) {
		at = old >= 0 ? old : b->n++;
		snprintf(b->account[at].rule, sizeof(b->account[0].rule), "%s", rule);
		snprintf(b->account[at].subject, sizeof(b->account[0].subject), "%s", subject);
		b->account[at].day = INT64_MIN;
	}
	/* A clock that is set back starts no new day. */
	if (b->account[at].day < day) {
		b->account[at].day = day;
		b->account[at].bytes = 0;
	}
	b->account[at].bytes += bytes;
	return b->account[at].bytes;
}
