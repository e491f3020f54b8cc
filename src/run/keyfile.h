/*
 * keyfile.h - reads key files and checks their permissions and contents.
 *
 * Purpose    read the file of --keys, --key, --stamp-keys, --stamp-key and udpace key.
 * Trust      a file that its group or others may read or write is rejected, as by ssh; the
 *            message has the command that corrects it.  Only regular files are accepted, and pipes
 *            that this process has inherited (opt/regular.h).
 * Memory     buffers are wiped; the caller releases the result with pace_keys_free.
 * Errors     -1 after an error message on stderr, which never contains part of a secret.
 */
#ifndef PACE_RUN_KEYFILE_H
#define PACE_RUN_KEYFILE_H

#include "proto/keys.h"
#include "proto/stamp_keys.h"

/* opt: the option that named the file, "--keys"; "" for an operand. */
/* Read all keys: 0; -EIO: the file cannot be opened; -1: it has an invalid key.  Errors are
 * reported. */
int	pace_keyfile_read(const char *opt, const char *path, struct pace_keys *ks);

int	pace_keyfile_read_stamp(const char *opt, const char *path, struct pace_stamp_keys *ks);

/*
 * Find a key: the first of "FILE", or the one of NAME for "FILE:NAME" (if no file has the
 * whole string as its name).  *key is one of *ks.
 */
int	pace_keyfile_pick(const char *opt, const char *arg, struct pace_keys *ks,
	    const struct pace_key **key);

/* The same with a secret of STAMP's authenticated mode; NAME is that of a rule. */
int	pace_keyfile_pick_stamp(const char *opt, const char *arg, struct pace_stamp_keys *ks,
	    const struct pace_stamp_key **key);

#endif
