/*
 * key - makes and lists keys.  A key is never replaced, because its copies on other
 * hosts would become useless.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmds.h"
#include "run/keyfile.h"

#define TEXT_MAX	(PACE_KEY_LINE_MAX + 96)	/* length of a key's line with its
							 * comment */

struct key_cfg {
	struct pace_given given;
	const char	*output;
};

#define AT(field)	offsetof(struct key_cfg, field)

static const struct pace_opt opts[] = {
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "FILE",
	    "file for the new key, appended to other keys; default NAME.key, - is stdout",
	    "Output" },
};

static int
complain(const char *path, int code)
{
	pace_complain("%s: %s", path, strerror(code));
	return PACE_EXIT_NO_RESULT;
}

/* --- new ------------------------------------------------------------------------ */

/* The key's line, after a comment with its date and fingerprint. */
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

/* Append the text with one write, so that no reader sees half of it, and on a new line. */
static int
write_text(int fd, const char *text)
{
	char all[TEXT_MAX + 1], last = '\n';
	ssize_t n, done;

	if (lseek(fd, -1, SEEK_END) >= 0 && read(fd, &last, 1) != 1)
		last = '\n';
	n = snprintf(all, sizeof(all), "%s%s", last != '\n' ? "\n" : "", text);
	done = write(fd, all, (size_t)n);
	sodium_memzero(all, sizeof(all));
	if (done == -1)
		return -errno;
	return done < n ? -ENOSPC : fsync(fd) == -1 && errno != EINVAL ? -errno : 0;
}

/* Open a file that already has keys, to append: its descriptor, or -1. */
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
			pace_complain("%s: the file is full: %d keys", path, PACE_KEYS_MAX);
		else
			pace_complain("%s: the file already has a key '%s'", path, name);
		pace_hint("use another %s; keys are never replaced",
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
new_key(const char *name, const char *output)
{
	char path[PACE_KEY_NAME_SIZE + 8], text[TEXT_MAX], hex[PACE_KEY_HEX_SIZE];
	bool standard = output != NULL && strcmp(output, "-") == 0;
	struct pace_key k;
	int status = PACE_EXIT_OK;

	if (!pace_key_name_ok(name)) {
		pace_complain("'%.60s' is not a name for a key", name);
		pace_hint("use 1 to %d letters, digits, '.', '_', '@' or '-', without '-' in front",
		    PACE_KEY_NAME_SIZE - 1);
		return PACE_EXIT_USAGE;
	}
	snprintf(path, sizeof(path), "%s.key", name);
	if (output == NULL)
		output = path;
	pace_key_make(&k, name);
	make_text(&k, text);
	if (standard)
		fputs(text, stdout);
	else
		status = save(output, &k, text);
	if (status == PACE_EXIT_OK && !standard) {
		fprintf(stderr, "key '%s', fingerprint %s, is in %s\n", name,
		    pace_key_hex(&k, hex), output);
		pace_hint("add this line to the file of 'udpace respond --keys'");
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
	int rc = pace_keyfile_read("", path, &ks);

	if (rc < 0)
		return rc == -EIO ? PACE_EXIT_NO_RESULT : PACE_EXIT_USAGE;
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
		pace_complain("the kernel gave no random numbers");
		return PACE_EXIT_NO_RESULT;
	}
	if (strcmp(argv[0], "new") == 0)
		return new_key(argv[1], cfg->output);
	if (strcmp(argv[0], "list") == 0 && cfg->output == NULL)
		return list_keys(argv[1]);
	if (strcmp(argv[0], "list") == 0)
		pace_complain("--output: 'list' prints to standard output; omit it");
	else
		pace_complain("%s: '%.60s' is neither 'new' nor 'list'", cmd->name, argv[0]);
	pace_hint("see 'udpace %s --help'", cmd->name);
	return PACE_EXIT_USAGE;
}

static const char *const examples[] = {
	"# a key for one user, in alice.key",
	"udpace key new alice",
	"# the responder's file: one line per authorised user",
	"udpace key new bob -o udpace.keys",
	"# names and fingerprints, to compare client and responder",
	"udpace key list udpace.keys",
	NULL
};

const struct pace_cmd pace_cmd_key = {
	"key", "make a key for a responder that wants one", "new NAME | list FILE", 2, 2,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct key_cfg), run, NULL,
};
