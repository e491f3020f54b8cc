/*
 * names.h - where a static program looks up hosts and users.
 *
 * Purpose    nsswitch.conf(5) names plug-ins of the host's C library. A static program
 *            has another C library inside, which must not load them: it may crash.
 *            The sources it contains suffice: /etc/hosts and DNS, /etc/passwd.
 * Threads    pace_names_begin() before the first look-up, by one thread.
 */
#ifndef PACE_PLAT_NAMES_H
#define PACE_PLAT_NAMES_H

/* Keep a static program to its own sources.  Nothing to do with shared libraries. */
void	pace_names_begin(void);

#ifdef STATIC_PROGRAM
#define PACE_STATIC_HOSTS	"; this static udpace asks /etc/hosts and DNS only: give an address"
#define PACE_STATIC_USERS	"; this static udpace reads /etc/passwd only: give a number"
#else
#define PACE_STATIC_HOSTS	""
#define PACE_STATIC_USERS	""
#endif

#endif
