/*
 * teller [SECONDS] - prints the story of teller.h, as a recorded status socket.
 */
#include <stdlib.h>

#include "lib/teller.h"

int
main(int argc, char **argv)
{
	tell_story(stdout, argc > 1 ? atoi(argv[1]) : 85);
	return ferror(stdout) != 0;
}
