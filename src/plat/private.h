/*
 * private.h - names that tell more than a stranger is to know.
 *
 * Purpose    names of interfaces made of a MAC address (enx0123456789ab, as systemd
 *            gives them) are cut, wherever they stand.
 */
#ifndef PACE_PLAT_PRIVATE_H
#define PACE_PLAT_PRIVATE_H

/* "enx0123456789ab-rx-0" becomes "enx*-rx-0", in place. */
void	pace_private_names(char *text);

#endif
