/* The user's rule: a number of some bytes at some place. */
#include <errno.h>
#include <string.h>

#include "cap/formats.h"
#include "core/units.h"

#define OFFSET_MAX	65534		/* no UDP payload has a byte behind it */
#define WORD_MAX	32

int
pace_cap_fits_sequence(const struct pace_cap_datagram *d)
{
	(void)d;
	return 0;			/* never recognised, only by request */
}

bool
pace_cap_mark_sequence(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	uint64_t seq, modulus;

	if (rule == NULL || d->captured < rule->bytes || d->captured - rule->bytes < rule->offset)
		return false;
	seq = rule->little ? pace_cap_le(d->payload + rule->offset, rule->bytes) :
	    pace_cap_be(d->payload + rule->offset, rule->bytes);
	modulus = rule->modulus != 0 ? rule->modulus : pace_cap_modulus(rule->bytes);
	if (modulus != 0 && seq >= modulus)
		return false;		/* not a number by the rule */
	*m = (struct pace_cap_mark){ .has_seq = true, .seq = seq, .modulus = modulus };
	return true;
}

static void
begin(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns)
{
	(void)wall_ns;
	for (size_t i = 0; i < pace_cap_build_header(b); i++)
		frame[i] = 0;
}

static void
put(struct pace_cap_build *b, uint8_t *frame, uint64_t k, int64_t now_ns)
{
	const struct pace_cap_rule *rule = &b->rule;
	uint64_t modulus = rule->modulus != 0 ? rule->modulus : pace_cap_modulus(rule->bytes);
	uint64_t seq = modulus != 0 ? (b->base + k) % modulus : b->base + k;

	(void)now_ns;
	b->next = b->base + k + 1;
	if (rule->little)
		pace_cap_write_le(frame + rule->offset, rule->bytes, seq);
	else
		pace_cap_write_be(frame + rule->offset, rule->bytes, seq);
}

const struct pace_cap_builder pace_cap_builder_sequence = { .begin = begin, .put = put };

/* The next word of *text, up to ':' or the end, which *text then points at. */
static bool
next_word(const char **text, char word[WORD_MAX])
{
	size_t n = strcspn(*text, ":");

	if (n == 0 || n >= WORD_MAX)
		return false;
	memcpy(word, *text, n);
	word[n] = '\0';
	*text += n;
	return true;
}

/* A whole number from low to high behind a ':', which the first has not. */
static int
next_number(const char **text, int64_t low, int64_t high, int64_t *value)
{
	char word[WORD_MAX];
	int rc;

	if (!next_word(text, word))
		return -EINVAL;
	rc = pace_parse(PACE_UNIT_COUNT, word, value);
	if (rc < 0)
		return rc;
	return *value < low || *value > high ? -ERANGE : 0;
}

static bool
colon(const char **text)
{
	if (**text != ':')
		return false;
	++*text;
	return true;
}

static int
next_endian(const char **text, bool *little)
{
	char word[WORD_MAX];

	if (!colon(text) || !next_word(text, word))
		return -EINVAL;
	*little = strcmp(word, "little") == 0 || strcmp(word, "le") == 0;
	return *little || strcmp(word, "big") == 0 || strcmp(word, "be") == 0 ? 0 : -EINVAL;
}

static int
next_modulus(const char **text, unsigned bytes, uint64_t *modulus)
{
	int64_t high = bytes < 8 ? INT64_C(1) << 8 * bytes : INT64_MAX, v = 0;
	int rc = 0;

	if (colon(text))
		rc = next_number(text, 2, high, &v);
	*modulus = (uint64_t)v;
	return rc;
}

int
pace_cap_rule_parse(const char *text, struct pace_cap_rule *rule, struct pace_err *err)
{
	struct pace_cap_rule r;
	const char *at = text;
	int64_t offset = 0, bytes = 0;
	int rc;

	rc = next_number(&at, 0, OFFSET_MAX, &offset);
	if (rc == 0)
		rc = colon(&at) ? next_number(&at, 1, 8, &bytes) : -EINVAL;
	r.offset = (size_t)offset;
	r.bytes = (unsigned)bytes;
	if (rc == 0)
		rc = next_endian(&at, &r.little);
	if (rc == 0)
		rc = next_modulus(&at, r.bytes, &r.modulus);
	if (rc == 0 && *at != '\0')
		rc = -EINVAL;
	if (rc < 0)
		return pace_failf(err, -rc, "sequence rule", "not OFFSET:BYTES:ENDIAN[:MOD], "
		    "as 4:4:big or 0:8:little: 1 to 8 bytes, big or little, MOD from 2 to what "
		    "they hold");
	*rule = r;
	return 0;
}
