/*
 * datadir.h - where installed data lie: $UDPACE_DATADIR, else the folder of the program
 * itself when it holds them (a build that is not installed), else where they were to be
 * installed.
 */
#ifndef PACE_PLAT_DATADIR_H
#define PACE_PLAT_DATADIR_H

#include <stddef.h>

/* name: "plots/spacing.gp".  0, or -ENOENT and path says where it should have been,
 * -ENAMETOOLONG. */
int	pace_data_path(char *path, size_t size, const char *name);

#endif
