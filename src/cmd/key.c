/*
 * key - makes keys and lists them.  A key is never replaced: what others
 * hold would be worth nothing.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmds.h"
#include "run/keyfile.h"
#include "run/peer.h"

#define TEXT_MAX	(PACE_KEY_LINE_MAX + 96)	/* of a key with its comment */

struct key_cfg {
	struct pace_given given;
	const char	*output;
};

#define AT(field)	offsetof(struct key_cfg, field)

static const struct pace_opt opts[] = {
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "FILE",
	    "file for the new key, added where there are others; NAME.key without it, - prints it",
	    "Output" },
};

static int
complain(const char *path, int code)
{
	pace_complain("%s: %s", path, strerror(code));
	return PACE_EXIT_NO_RESULT;
}

/* --- new ------------------------------------------------------------------------ */

/* The key's line, and above it when it was made and which it is. */
static void
make_text(const struct pace_key *k, char text[TEXT_MAX])
{
	char hex[PACE_KEY_HEX_SIZE], line[PACE_KEY_LINE_MAX], date[16];
	time_t now = time(NULL);
	struct tm tm;

	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &tm));
	pace_key_line(k, line);
	snprintf(text, TEXT_MAX, "# made %s, fingerprint %s\n%s", date, pace_key_hex(k, hex), line);
	sodium_memzero(line, sizeof(line));
}

/* Does it end within a line?  Then one must end first. */
static bool
ends_within_line(int fd)
{
	char last;

	return lseek(fd, -1, SEEK_END) >= 0 && read(fd, &last, 1) == 1 && last != '\n';
}

/* In one piece, so that no reader sees half of it. */
static int
write_text(int fd, const char *text)
{
	char all[TEXT_MAX + 1];
	int n = snprintf(all, sizeof(all), "%s%s", ends_within_line(fd) ? "\n" : "", text);
	ssize_t done = write(fd, all, (size_t)n);

	sodium_memzero(all, sizeof(all));
	if (done == -1)
		return -errno;
	return done < n ? -ENOSPC : fsync(fd) == -1 && errno != EINVAL ? -errno : 0;
}

/* Behind the keys that a file has: its descriptor, or -1. */
static int
open_old(const char *path, const char *name, int *status)
{
	struct pace_keys ks;
	int fd;

	*status = PACE_EXIT_USAGE;
	if (pace_keyfile_read("", path, &ks) < 0)
		return -1;
	if (pace_keys_named(&ks, name) != NULL || ks.n == PACE_KEYS_MAX) {
		if (ks.n == PACE_KEYS_MAX)
			pace_complain("%s: it is full: %d keys", path, PACE_KEYS_MAX);
		else
			pace_complain("%s: there is a key '%s' in it already", path, name);
		pace_hint("another %s; keys are never replaced",
		    ks.n == PACE_KEYS_MAX ? "FILE" : "NAME or FILE");
		pace_keys_free(&ks);
		return -1;
	}
	pace_keys_free(&ks);
	fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	if (fd == -1)
		*status = complain(path, errno);
	return fd;
}

static int
save(const char *path, const struct pace_key *k, const char *text)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), status, rc;
	bool fresh = fd != -1;

	if (!fresh && errno != EEXIST)
		return complain(path, errno);
	if (!fresh && (fd = open_old(path, k->name, &status)) == -1)
		return status;
	rc = write_text(fd, text);
	close(fd);
	if (rc < 0 && fresh)
		unlink(path);
	return rc < 0 ? complain(path, -rc) : PACE_EXIT_OK;
}

static int
print(const char *text)
{
	fputs(text, stdout);
	return PACE_EXIT_OK;
}

static int
new_key(const char *name, const char *output)
{
	char path[PACE_KEY_NAME_SIZE + 8], text[TEXT_MAX], hex[PACE_KEY_HEX_SIZE];
	struct pace_key k;
	int status;

	if (!pace_key_name_ok(name)) {
		pace_complain("'%.60s' is no name for a key", name);
		pace_hint("1 to %d letters, digits, '.', '_', '@', '-', no '-' in front",
		    PACE_KEY_NAME_SIZE - 1);
		return PACE_EXIT_USAGE;
	}
	snprintf(path, sizeof(path), "%s.key", name);
	if (output == NULL)
		output = path;
	pace_key_make(&k, name);
	make_text(&k, text);
	status = strcmp(output, "-") == 0 ? print(text) : save(output, &k, text);
	if (status == PACE_EXIT_OK && strcmp(output, "-") != 0) {
		fprintf(stderr, "key '%s', fingerprint %s, is in %s\n", name,
		    pace_key_hex(&k, hex), output);
		pace_hint("the same line belongs into the file of 'udpace respond --keys'");
	}
	sodium_memzero(&k, sizeof(k));
	sodium_memzero(text, sizeof(text));
	return status;
}

/* --- list ----------------------------------------------------------------------- */

static int
list_keys(const char *path)
{
	char hex[PACE_KEY_HEX_SIZE];
	struct pace_keys ks;

	if (pace_keyfile_read("", path, &ks) < 0)
		return PACE_EXIT_USAGE;
	for (int i = 0; i < ks.n; i++)
		printf("%-*s %s\n", PACE_KEY_NAME_SIZE - 1, ks.v[i].name,
		    pace_key_hex(&ks.v[i], hex));
	pace_keys_free(&ks);
	return PACE_EXIT_OK;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct key_cfg *cfg = arg;

	(void)argc; (void)all_argc; (void)all_argv;
	if (sodium_init() < 0) {
		pace_complain("no random numbers");
		return PACE_EXIT_NO_RESULT;
	}
	if (strcmp(argv[0], "new") == 0)
		return new_key(argv[1], cfg->output);
	if (strcmp(argv[0], "list") == 0 && cfg->output == NULL)
		return list_keys(argv[1]);
	if (strcmp(argv[0], "list") == 0)
		pace_complain("--output: 'list' prints");
	else
		pace_complain("%s: '%.60s' is neither 'new' nor 'list'", cmd->name, argv[0]);
	pace_hint("see 'udpace %s --help'", cmd->name);
	return PACE_EXIT_USAGE;
}

static const char *const examples[] = {
	"# a key for one user, in alice.key",
	"udpace key new alice",
	"# the responder's file: one line for each who may measure",
	"udpace key new bob -o udpace.keys",
	"# names and fingerprints, to compare both ends",
	"udpace key list udpace.keys",
	NULL
};

const struct pace_cmd pace_cmd_key = {
	"key", "make a key for a responder that wants one", "new NAME | list FILE", 2, 2,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct key_cfg), run, NULL,
};
