/*
 * teller [SECONDS | sweep] - prints the story of teller.h, as a recorded status socket, or
 * the journal of a sweep.
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
