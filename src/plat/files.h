/*
 * files.h - raise the number of files that a process may open.
 *
 * Purpose    each session has a socket, and together they may exceed the usual 1024.
 * Sandbox    call it first: raising the hard limit requires CAP_SYS_RESOURCE.
 */
#ifndef PACE_PLAT_FILES_H
#define PACE_PLAT_FILES_H

#include <stdint.h>

/* Raise the limit towards `wanted` as far as permitted, never lower it; returns the limit. */
uint64_t	pace_files_allow(uint64_t wanted);

#endif
