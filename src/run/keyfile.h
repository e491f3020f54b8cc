/*
 * keyfile.h - files of keys: who may read them, what is wrong with them.
 *
 * Purpose    read one for --keys, --key and udpace key.
 * Trust      a file that its group or others may read, or write, is refused with the
 *            command that mends it, as ssh does; so is what is no regular file.
 * Memory     what was read is wiped; pace_keys_free what is returned.
 * Errors     told on stderr, never with anything of a secret; -1.
 */
#ifndef PACE_RUN_KEYFILE_H
#define PACE_RUN_KEYFILE_H

#include "proto/keys.h"

/* opt: what named it, "--keys", or "" for an operand. */
int	pace_keyfile_read(const char *opt, const char *path, struct pace_keys *ks);

/*
 * The first key of "FILE", or that of "FILE:NAME" where there is no file of the whole
 * name: *key is one of *ks.
 */
int	pace_keyfile_pick(const char *opt, const char *arg, struct pace_keys *ks,
	    const struct pace_key **key);

#endif
