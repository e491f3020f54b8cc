/*
 * datadir.h - find installed data: in $UDPACE_DATADIR; or in the program's own folder, if it
 * holds them (a build that is not installed); or in the folder of the installation.
 */
#ifndef PACE_PLAT_DATADIR_H
#define PACE_PLAT_DATADIR_H

#include <stddef.h>

/* name: "plots/spacing.gp".  0; -ENOENT: path is where it should have been; -ENAMETOOLONG. */
int	pace_data_path(char *path, size_t size, const char *name);

#endif
