/*
 * printed.h - the text that the code under test prints.
 */
#ifndef PACE_TEST_PRINTED_H
#define PACE_TEST_PRINTED_H

#include <stdio.h>
#include <stdlib.h>

static char *text;
static size_t text_size;

/* A stream for the next text. */
static inline FILE *
begin(void)
{
	free(text);
	text = NULL;
	return open_memstream(&text, &text_size);
}

#endif
