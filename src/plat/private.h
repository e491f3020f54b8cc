/*
 * private.h - remove private parts from names that unknown clients see.
 *
 * Purpose    cut interface names that contain a MAC address (enx0123456789ab, given by
 *            systemd), anywhere in a text.
 */
#ifndef PACE_PLAT_PRIVATE_H
#define PACE_PLAT_PRIVATE_H

/* "enx0123456789ab-rx-0" becomes "enx*-rx-0", in place. */
void	pace_private_names(char *text);

#endif
