/*
 * Fuzzes quantities and lists of them: every unit parses every text.
 */
#include "core/units.h"
#include "fuzz.h"
#include "mutate_words.h"

#define LIST_MAX	24

static void
check_value(enum pace_unit unit, int64_t v)
{
	char buf[32];

	MUST(v >= 0);
	MUST(unit != PACE_UNIT_RATIO || v <= 1000000000);
	for (size_t size = 1; size <= sizeof(buf); size += 7) {
		memset(buf, 'x', sizeof(buf));
		MUST(pace_print(unit, (double)v, buf, size) == buf);
		MUST(strlen(buf) < size);
	}
}

static void
try_unit(enum pace_unit unit, const char *text)
{
	int64_t v[LIST_MAX], one = -1, again = -1;
	int rc = pace_parse(unit, text, &one), n;
	bool plain = strpbrk(text, ",:") == NULL;

	MUST(rc == 0 || one == -1);		/* untouched */
	if (rc == 0)
		check_value(unit, one);
	for (int max = 1; max <= LIST_MAX; max += LIST_MAX - 1) {
		n = pace_parse_list(unit, text, v, max);
		MUST(n != 0 && n <= max);
		for (int i = 0; i < n; i++)
			check_value(unit, v[i]);
		MUST(!plain || (rc == 0 ? n == 1 && v[0] == one : n == rc));
	}
	MUST(plain || rc != 0);
	MUST(pace_parse(unit, text, &again) == rc && again == one);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	MUST(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	for (int unit = PACE_UNIT_COUNT; unit <= PACE_UNIT_RATIO; unit++)
		try_unit((enum pace_unit)unit, text);
	free(text);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char *const words[] = { "k", "M", "G", "T", "B", "kB", "MB", "GB", "K", "KiB",
		"MiB", "GiB", "ns", "us", "\xc2\xb5s", "\xce\xbcs", "ms", "s", "m", "h", "bit/s",
		"kbit/s", "Tbit/s", "bps", "Mbps", "B/s", "TB/s", "%", ".", ",", ":", "_", "e",
		"e18", "0:40:1us", "0.001", "9223372036854775807", "-", " ", NULL };
	struct chance c = { seed };

	return mutate_words(data, size, max, words, &c);
}
