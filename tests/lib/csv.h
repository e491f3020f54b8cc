/*
 * csv.h - lines of CSV taken apart: the header in row 0, one point in row 1.
 */
#ifndef PACE_TEST_CSV_H
#define PACE_TEST_CSV_H

#include <check.h>
#include <string.h>

#include "lib/printed.h"

#define COLUMNS_MAX	256

static char csv_line[2][16384];
static char *cell[2][COLUMNS_MAX];
static int cells[2];

static inline void
split(int row, const char *from)
{
	char *rest = csv_line[row];

	ck_assert_uint_lt(strlen(from), sizeof(csv_line[row]));
	strcpy(csv_line[row], from);
	ck_assert_uint_gt(strlen(rest), 1);
	ck_assert_ptr_eq(strchr(rest, '\n'), rest + strlen(rest) - 1);
	rest[strlen(rest) - 1] = '\0';
	for (cells[row] = 0; rest != NULL; cells[row]++) {
		ck_assert_int_lt(cells[row], COLUMNS_MAX);
		cell[row][cells[row]] = strsep(&rest, ",");
	}
}

static inline const char *
column(const char *name)
{
	for (int i = 0; i < cells[0]; i++)
		if (strcmp(cell[0][i], name) == 0)
			return cell[1][i];
	ck_abort_msg("no column %s", name);
	return NULL;
}

static inline void
no_column_twice(void)
{
	for (int i = 0; i < cells[0]; i++)
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(cell[0][i], cell[0][k]);
}

#endif
