/*
 * files.h - how many files a process may have open.
 *
 * Purpose    a socket for each session is more than the usual 1024 at some point.
 * Sandbox    to be called before: raising the hard limit takes CAP_SYS_RESOURCE.
 */
#ifndef PACE_PLAT_FILES_H
#define PACE_PLAT_FILES_H

#include <stdint.h>

/* Raise the limit to so many, as far as may be; it is never lowered.  What it is then. */
uint64_t	pace_files_allow(uint64_t wanted);

#endif
