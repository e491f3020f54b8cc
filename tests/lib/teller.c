/*
 * teller [SECONDS | sweep] - prints the invented status lines of teller.h, as a record of a status
 * socket or as the journal of a sweep.
 */
#include <stdlib.h>

#include "lib/teller.h"

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "sweep") == 0)
		tell_sweep(stdout);
	else
		tell_story(stdout, argc > 1 ? atoi(argv[1]) : 85);
	return ferror(stdout) != 0;
}
