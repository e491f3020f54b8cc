/*
 * Fuzzes the file of udpace watch --state.  Checks: each path of an accepted file is found, with counts
 * that fit each other and bins that a histogram can have; the file that is written from it is accepted
 * again, has the same figures, and from then on stays the same.  A rejected file stays unchanged.  No
 * lock is left.
 */
#include "daemon/watch_state.h"
#include "doc/js.h"
#include "mutate_json.h"
#include "mutate_words.h"
#include "on_disk.h"

#define PATHS_MOST	64	/* that are checked */

/* The paths of the file, as it says itself; they are also those of the run that is written. */
static struct pace_watch_target targets[PATHS_MOST];
static char hosts[PATHS_MOST][PACE_WATCH_TEXT];
static size_t paths;
static struct pace_watch_state_file *file;

/* These replace those of the run. */
void
pace_watch_target_text(const struct pace_watch_target *t, char *buf, size_t size)
{
	snprintf(buf, size, "%s", t->host);
}

size_t
pace_watch_run_lock(struct pace_watch_run *r)
{
	(void)r;
	return paths;
}

void
pace_watch_run_unlock(struct pace_watch_run *r)
{
	(void)r;
}

const struct pace_watch_target *
pace_watch_run_target(const struct pace_watch_run *r, size_t i)
{
	(void)r;
	return &targets[i];
}

const struct pace_watch_shown *
pace_watch_run_shown(const struct pace_watch_run *r, size_t i)
{
	(void)r;
	(void)i;
	fuzz_broken("no thread writes", __FILE__, __LINE__);
	return NULL;
}

void
pace_watch_run_figures(const struct pace_watch_run *r, size_t i, struct pace_watched *w)
{
	(void)r;
	MUST(pace_watch_state_find(file, &targets[i], w));
}

/* --- files --- */

static char *
get_file(size_t *size)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *text;

	MUST(f != NULL && fstat(fileno(f), &st) == 0);
	*size = (size_t)st.st_size;
	text = calloc(1, *size + 1);
	MUST(text != NULL && fread(text, 1, *size, f) == *size && fclose(f) == 0);
	return text;
}

static bool
is_file(const void *data, size_t size)
{
	size_t n;
	char *text = get_file(&n);
	bool same = n == size && memcmp(text, data, n) == 0;

	free(text);
	return same;
}

static bool
is_locked(void)
{
	char lock[104];

	snprintf(lock, sizeof(lock), "%s.lock", path);
	return access(lock, F_OK) == 0;
}

static int
open_state(void)
{
	int rc = pace_watch_state_open(&file, path);

	MUST(is_locked());
	return rc;
}

static void
close_state(void)
{
	pace_watch_state_close(file);
	MUST(!is_locked());
}

/* --- paths --- */

static void
read_targets(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = memchr(text, '\n', size);

	for (paths = 0; end != NULL && end + 1 < text + size && paths < PATHS_MOST; paths++) {
		const char *line = end + 1;
		size_t left = (size_t)(text + size - line);
		json_t *o;

		end = memchr(line, '\n', left);
		o = pace_js_parse_line(line, end != NULL ? (size_t)(end - line) : left, NULL);
		/* control characters and the like are replaced when a name is read */
		pace_jr_text(&(struct pace_jr){ .o = o }, "name", targets[paths].name,
		    sizeof(targets[0].name));
		snprintf(hosts[paths], sizeof(hosts[0]), "%s",
		    json_string_value(json_object_get(o, "target")));
		targets[paths].host = hosts[paths];
		json_decref(o);
	}
}

static void
check_bins(const struct pace_coarse_hist_list *l)
{
	MUST(l->n <= PACE_COARSE_HIST_LIST);
	for (uint32_t i = 0; i < l->n; i++) {
		MUST(pace_coarse_hist_is_bin(l->bin[i].low, l->bin[i].high));
		MUST(l->bin[i].count > 0 && (i == 0 || l->bin[i - 1].high <= l->bin[i].low));
	}
}

static void
check_path(size_t i, struct pace_watched *w)
{
	const struct pace_watch_counts *c = &w->counts;

	MUST(pace_watch_state_find(file, &targets[i], w));
	MUST(strcmp(w->name, targets[i].name) == 0);
	MUST(c->in_flight == 0 && c->lost >= 0);
	MUST(c->sent == c->received + (uint64_t)c->lost + c->unreported);
	MUST(c->from_ns >= 0 && c->from_ns <= c->to_ns && c->up_ns >= 0);
	MUST(c->up_ns <= c->to_ns - c->from_ns);
	MUST(pace_watch_state_before(file) >= c->to_ns);
	check_bins(&w->rtt);
	check_bins(&w->up);
	check_bins(&w->down);
	check_bins(&w->departure);
	check_bins(&w->gap);
	check_bins(&w->above);
	/* sums with what comes later */
	pace_watched_add(w, w);
	MUST(w->counts.sent >= w->counts.received);
	MUST(pace_watch_state_find(file, &targets[i], w));
}

/* Write the figures, and read them again: the same. */
static void
check_again(struct pace_watched *w)
{
	struct pace_watched back;
	size_t size;
	char *text;

	MUST(pace_watch_state_end(file) == PACE_EXIT_OK);
	close_state();
	MUST(open_state() == PACE_EXIT_OK);
	for (size_t i = 0; i < paths; i++) {
		memset(&back, 0, sizeof(back));
		check_path(i, &back);
		MUST(memcmp(&back, &w[i], sizeof(back)) == 0);
	}
	text = get_file(&size);
	MUST(pace_watch_state_end(file) == PACE_EXIT_OK);
	MUST(is_file(text, size));
	fuzz_sum("written again", text, size);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pace_watched w[PATHS_MOST];

	put_file(data, size);
	paths = 0;
	if (open_state() == PACE_EXIT_OK) {
		MUST(is_file(data, size));
		read_targets(data, size);
		memset(w, 0, sizeof(w));
		for (size_t i = 0; i < paths; i++)
			check_path(i, &w[i]);
		if (paths < PATHS_MOST)
			check_again(w);
	} else {
		MUST(is_file(data, size));
	}
	close_state();
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char *const words[] = { "schema", "udpace-watch-state/1", "began", "paths", "name",
		"target", "counts", "sent", "received", "unreported", "from_ns", "to_ns", "rtt_ns",
		"below", "bins", "{", "}", "[", "]", ",", "\"", "\n", "\n\n", "null",
		"1125899906842624", "2305843009213693952", "9223372036854775807", NULL };
	struct chance c = { seed };
	size_t at = size > 0 ? line_at(data, size, chance_of(&c, size)).at : 0;

	if (chance_one_in(&c, 4))
		return mutate_words(data, size, max, words, &c);
	return mutate_json(data, size, max, at, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_words(a, asize, b, bsize, out, max, &c);
}
