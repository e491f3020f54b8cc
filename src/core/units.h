/*
 * units.h - quantities as people write them, exactly.
 *
 * Purpose    one strict parser and one printer for every option and every
 *            table: `10us`, `0.7us`, `2ms`, `1472`, `64K`, `9.5G`, `0.1%`.
 * Rule       digits with at most one point between them, then a unit, then
 *            nothing; no sign, no exponent but in a count (`1e6`, up to
 *            e18, no unit behind it), no white space, no hexadecimal, one
 *            unit only (not `1h30m`).  Nothing is rounded: what is no whole
 *            number of the base unit is refused.
 * Errors     -EINVAL not a quantity of that kind, -ERANGE does not fit in
 *            63 bits (a ratio: above 1) or is finer than the base unit.
 * Locale     none: the decimal point is '.'.
 */
#ifndef PACE_CORE_UNITS_H
#define PACE_CORE_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum pace_unit {
	PACE_UNIT_COUNT,	/* 100, 10k, 1M, 1e6, 100_000 */
	PACE_UNIT_BYTES,	/* bare, B, kB MB GB (1000), K M G KiB MiB GiB (1024) */
	PACE_UNIT_USEC,		/* ns us µs ms s m h; bare is µs.  Base ns */
	PACE_UNIT_SEC,		/* the same; bare is s.  Base ns */
	PACE_UNIT_BPS,		/* k M G T (1000), also with bit/s or bps; bare is bit/s; B/s after the prefix: 8 of them */
	PACE_UNIT_RATIO		/* 0.1% or 0.001; base parts per 10^9 (0..10^9) */
};

/* *value in base units; untouched on failure. */
int	pace_parse(enum pace_unit unit, const char *text, int64_t *value);

/*
 * A list: items separated by commas, each a quantity or LOW:HIGH:STEP
 * (HIGH included when a step falls on it; a bare LOW or HIGH takes the unit
 * written at STEP: 0:40:1us).  At most max values go to v; how many, or
 * -EINVAL, -ERANGE, -E2BIG when there are more, and then v holds nothing of
 * use.  Zero or a step of zero is the caller's and the parser's business
 * respectively: STEP 0 is -EINVAL, and so is LOW above HIGH.
 */
int	pace_parse_list(enum pace_unit unit, const char *text, int64_t *v, int max);

/*
 * For people: 3 significant digits and a unit, "10.0 µs", "1.18 Gbit/s",
 * "208 KiB", "50 000"; below 1 without trailing zeros ("0.5 ns").  The unit
 * is the largest of which there is one after rounding, so never "1000 ns".
 * What value is and how it looks:
 *   COUNT      a number; rounded to a whole one, all its digits, grouped by
 *              a thin space's plain cousin, the blank
 *   BYTES      bytes; exact in B below 10 KiB when no round KiB, else KiB,
 *              MiB, GiB, and whole ones of these without a point
 *   USEC, SEC  ns; ns, µs, ms, s
 *   BPS        bit/s; decimal prefixes up to T
 *   RATIO      the fraction (not pace_parse's 10^9th parts); per cent
 * A value that is no finite number is "-", not measured.  Cut off to size,
 * always terminated when size > 0 (32 is enough for all but absurd values);
 * returns buf.
 */
char	*pace_print(enum pace_unit unit, double value, char *buf, size_t size);
char	*pace_print_count(uint64_t n, char buf[40]);

/*
 * Bytes that somebody wrote down, exactly, as he may have written them: in the largest
 * of GB, GiB, MB, MiB, kB and KiB of which they are a whole number; in B below 64 KiB
 * and where they are none, "123 456 789 B".
 */
char	*pace_print_exact(int64_t bytes, char *buf, size_t size);

/* Bytes that were counted and are held against such: "954 MB", as BYTES, but decimal. */
char	*pace_print_decimal(double bytes, char *buf, size_t size);

#endif
