/*
 * units.h - parse and print quantities with units, exactly.
 *
 * Purpose    one strict parser and one printer for every option and every
 *            table: `10us`, `0.7us`, `2ms`, `1472`, `64K`, `9.5G`, `0.1%`.
 * Rule       digits with at most one point between them, then a unit, then
 *            nothing; no sign, no exponent but in a count (`1e6`, up to
 *            e18, no unit behind it), no white space, no hexadecimal, one
 *            unit only (not `1h30m`).  Nothing is rounded: a value that is not
 *            a whole number of the base unit is refused.
 * Errors     -EINVAL not a quantity of that kind, -ERANGE does not fit in
 *            63 bits (a ratio: above 1) or is finer than the base unit.
 * Locale     none: the decimal point is '.'.
 */
#ifndef PACE_CORE_UNITS_H
#define PACE_CORE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define PACE_MS	INT64_C(1000000)
#define PACE_SEC	INT64_C(1000000000)
#define PACE_HOUR	(3600 * PACE_SEC)

enum pace_unit {
	PACE_UNIT_COUNT,	/* 100, 10k, 1M, 1e6, 100_000 */
	PACE_UNIT_BYTES,	/* bare, B, kB MB GB (1000), K M G KiB MiB GiB (1024) */
	PACE_UNIT_USEC,		/* ns us µs ms s m h; bare is µs.  Base ns */
	PACE_UNIT_SEC,		/* the same; bare is s.  Base ns */
	PACE_UNIT_BPS,		/* k M G T (1000), also with bit/s or bps; bare is bit/s; B/s
				 * after the prefix: 8 of them */
	PACE_UNIT_RATIO		/* 0.1% or 0.001; base parts per 10^9 (0..10^9) */
};

/* *value in base units; untouched on failure. */
int	pace_parse(enum pace_unit unit, const char *text, int64_t *value);

/*
 * A list: items separated by commas, each a quantity or LOW:HIGH:STEP
 * (HIGH is included if a step reaches it; a bare LOW or HIGH takes the unit of
 * STEP: 0:40:1us).  Stores at most max values in v and returns their number, or
 * -EINVAL, -ERANGE, -E2BIG for more than max; v is then undefined.  STEP 0 and LOW
 * above HIGH are -EINVAL; a value of 0 is accepted, and the caller checks it.
 */
int	pace_parse_list(enum pace_unit unit, const char *text, int64_t *v, int max);

/*
 * Print for people: 3 significant digits and a unit, "10.0 µs", "1.18 Gbit/s",
 * "208 KiB", "50 000"; below 1 without trailing zeros ("0.5 ns").  The unit is the
 * largest that gives at least 1 after rounding: "1.00 µs", never "1000 ns".  The
 * meaning of value, and its form:
 *   COUNT      a number; rounded to a whole number, all digits, in groups of three
 *              with a blank between them
 *   BYTES      bytes; exact in B below 10 KiB when no round KiB, else KiB,
 *              MiB, GiB, and whole ones of these without a point
 *   USEC, SEC  ns; ns, µs, ms, s
 *   BPS        bit/s; decimal prefixes up to T
 *   RATIO      the fraction (not pace_parse's 10^9th parts); per cent
 * A value that is not finite prints as "-": not measured.  The text is cut to size and
 * always terminated if size > 0; 32 is enough for all plausible values.  Returns buf.
 */
char	*pace_print(enum pace_unit unit, double value, char *buf, size_t size);
char	*pace_print_count(uint64_t n, char buf[40]);

const char	*pace_plural(uint64_t n);	/* "s", after 1 nothing */

/* A count with the name of one: "1 frame", "2 frames", "3 replies". */
char	*pace_print_counted(uint64_t n, const char *one, char buf[64]);

/*
 * Print a number of bytes exactly, as a user may have written it: as a whole number of
 * the largest possible of GB, GiB, MB, MiB, kB and KiB; below 64 KiB, or if no unit
 * fits, in B: "123 456 789 B".
 */
char	*pace_print_exact(int64_t bytes, char *buf, size_t size);

/* Print counted bytes for comparison with such a limit: as BYTES, but decimal, "954 MB". */
char	*pace_print_decimal(double bytes, char *buf, size_t size);

#endif
