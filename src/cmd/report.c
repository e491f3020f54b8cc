#include "config.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmds.h"
#include "cmd/report.h"
#include "opt/operands.h"
#include "plat/datadir.h"
#include "report/folder.h"
#include "report/gnuplot.h"
#include "report/html.h"
#include "report/mesh_html.h"
#include "report/script.h"
#include "run/outfile.h"
#include "run/stop.h"

#define GROUPS_DRAWN	8	/* points of a sweep that have figures of the group */

struct report_cfg {
	struct pace_given given;
	const char	*output, *only;
	int64_t		pairs;
	bool		force;
};

#define AT(field)	offsetof(struct report_cfg, field)

static const struct pace_opt opts[] = {
	{ "figures", 0, PACE_OPT_STR, AT(only), 0, 0, 0, NULL, "NAME",
	    "draw only the figures of this name, for example spacing", "Choice" },
	{ "pairs", 0, PACE_OPT_NUM, AT(pairs), PACE_UNIT_COUNT, 0, 1000, "5", "N",
	    "of a mesh, also draw the figures of the N worst pairs", "Choice" },
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "DIR",
	    "folder of the report; by default RESULT with -report for .json", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "use a folder that contains more than a report", "Output" },
};

struct report {
	struct pace_report_data book;
	struct pace_groups groups;
	struct pace_mesh mesh;
	bool		force;
	char		*folder;
	const char	*up;		/* of a pair: the page of the mesh */
	char		prefix[32];	/* of a pair: of all its files */
	char		*prolog;
	struct pace_plate *plate;
	size_t		n, room;
	bool		partial;	/* a part is missing, which was reported */
	bool		opened;		/* the folder, for pages of pairs */
};

/* --- results ------------------------------------------------------------------------- */

/* Read the results that can be read: at least one, or with `all` every one. */
static int
read_results(struct report *t, const struct pace_report_job *j)
{
	for (int i = 0; i < j->files; i++) {
		struct pace_err err = { .code = 0 };

		if (pace_report_data_add(&t->book, j->file[i], &err) == 0)
			continue;
		pace_complain("%s", pace_err_why(&err));
		t->partial = true;
	}
	if (t->book.n == 0)
		pace_complain("no result to report");
	return t->book.n == 0 || (j->all && t->partial) ? PACE_EXIT_NO_RESULT : 0;
}

/* --- the folder ---------------------------------------------------------------------- */

static int
open_folder(const struct report *t, bool force)
{
	if (mkdir(t->folder, 0777) == 0)
		return 0;
	if (errno != EEXIST) {
		pace_complain("%s: cannot be made: %s", t->folder, strerror(errno));
		return PACE_EXIT_PARTIAL;
	}
	if (pace_folder_is_report(t->folder)) {
		pace_folder_clear(t->folder, false);
		return 0;
	}
	if (force || pace_folder_is_empty(t->folder))
		return 0;
	pace_complain("%s already exists and is not a report", t->folder);
	pace_hint("choose another folder with -o, or use --force to put the report there");
	return PACE_EXIT_USAGE;
}

/* --- figures: script and data -------------------------------------------------------- */

static char *
read_template(const char *name)
{
	char path[PATH_MAX], file[64];
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(file, sizeof(file), "plots/%s", name);
	f = pace_data_path(path, sizeof(path), file) == 0 ? fopen(path, "re") : NULL;
	if (f == NULL || getdelim(&text, &size, '\0', f) <= 0) {
		pace_complain("%s cannot be read, although it is a part of udpace", path);
		pace_hint("UDPACE_DATADIR names the folder of such files");
		free(text);
		text = NULL;
	}
	if (f != NULL)
		fclose(f);
	return text;
}

struct writing {
	const struct pace_script script;
	const struct pace_figure *sheet;
};

static int
write_script(FILE *f, void *ctx)
{
	const struct writing *w = ctx;

	return pace_script_write(f, &w->script, w->sheet);
}

static int
write_data(FILE *f, void *ctx)
{
	return pace_script_data(f, ((const struct writing *)ctx)->sheet);
}

static int
write_file(const struct report *t, const char *name, const char *ending,
    int (*fn)(FILE *f, void *ctx), void *ctx)
{
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s/%s%s", t->folder, name, ending);
	rc = pace_outfile_write(path, fn, ctx);
	if (rc < 0)
		pace_complain("%s: cannot be written: %s", path, strerror(-rc));
	return rc;
}

/* Write one figure of one run, or of a group, or of the mesh if both are NULL. */
static int
add_plate(struct report *t, const struct pace_run *r, const struct pace_group *g,
    const struct pace_fig *fig)
{
	struct pace_plate *more = reallocarray(t->plate, t->n + 1, sizeof(*more)), *c;
	char *body;
	int rc;

	if (more == NULL)
		return -ENOMEM;
	t->plate = more;
	c = &t->plate[t->n];
	memset(c, 0, sizeof(*c));
	c->fig = fig;
	c->run = r;
	c->group = g;
	c->number = (int)t->n + 1;
	snprintf(c->base, sizeof(c->base), "%sfig-%02d-%s", t->prefix, c->number, fig->name);
	body = read_template(fig->body);
	if (body == NULL)
		return -ENOENT;
	pace_figure_begin(&c->sheet);
	t->n++;
	if (r != NULL)
		pace_fig_make(fig, r, &c->sheet);
	else if (g != NULL)
		pace_fig_make_group(fig, g, &c->sheet);
	else
		pace_fig_make_mesh(fig, &t->mesh, &c->sheet);
	rc = pace_figure_end(&c->sheet);
	if (rc == 0) {
		struct writing w = { .script = { .base = c->base, .prolog = t->prolog, .body = body,
		    .width = c->sheet.width > 0 ? c->sheet.width : fig->width,
		    .height = c->sheet.height > 0 ? c->sheet.height : fig->height },
		    .sheet = &c->sheet };

		rc = write_file(t, c->base, ".dat", write_data, &w);
		if (rc == 0)
			rc = write_file(t, c->base, ".gp", write_script, &w);
	}
	free(body);
	return rc;
}

static int
make_plates(struct report *t, const struct pace_fig *const *figs, const char *only)
{
	int rc = 0;

	t->prolog = read_template("prolog.gp");
	if (t->prolog == NULL)
		return -ENOENT;
	for (size_t i = 0; i < t->groups.n && i < GROUPS_DRAWN; i++)
		for (const struct pace_fig *const *f = pace_figs_of_group; *f != NULL && rc == 0;
		    f++)
			if ((only == NULL || strcmp(only, (*f)->name) == 0) &&
			    ((*f)->has_group == NULL || (*f)->has_group(&t->groups.v[i])))
				rc = add_plate(t, NULL, &t->groups.v[i], *f);
	for (size_t i = 0; i < t->book.n; i++)
		for (const struct pace_fig *const *f = figs; *f != NULL && rc == 0; f++)
			if ((only == NULL || strcmp(only, (*f)->name) == 0) &&
			    pace_fig_wanted(*f, t->book.run[i]))
				rc = add_plate(t, t->book.run[i], NULL, *f);
	for (const struct pace_fig *const *f = pace_figs_of_mesh; t->mesh.n > 0 && *f != NULL &&
	    rc == 0; f++)
		if ((only == NULL || strcmp(only, (*f)->name) == 0) &&
		    pace_mesh_has(&t->mesh, (*f)->measure))
			rc = add_plate(t, NULL, NULL, *f);
	if (rc == -ENOMEM)
		pace_complain("out of memory");
	return rc;
}

/* --- figures: pictures --------------------------------------------------------------- */

#define FORMATS	(sizeof(pace_formats) / sizeof(pace_formats[0]))

static bool
is_stopped(void)
{
	return pace_stop != 0;
}

static int
draw(struct report *t)
{
	struct pace_drawing *d = calloc(t->n * FORMATS + 1, sizeof(*d));

	if (d == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < t->n * FORMATS; i++) {
		d[i].folder = t->folder;
		d[i].base = t->plate[i / FORMATS].base;
		d[i].format = pace_formats[i % FORMATS];
	}
	pace_gnuplot_draw(d, t->n * FORMATS, is_stopped);
	for (size_t i = 0; i < t->n * FORMATS; i++) {
		struct pace_plate *c = &t->plate[i / FORMATS];

		c->has[i % FORMATS] = d[i].good;
		if (d[i].good)
			continue;
		pace_complain("%s.%s: not drawn: %s", c->base, d[i].format, d[i].why);
		snprintf(c->why, sizeof(c->why), "%s", d[i].why);
		t->partial = true;
	}
	free(d);
	return 0;
}

/* --- the whole report ------------------------------------------------------------------- */

static const char no_gnuplot[] = "This host has no gnuplot, so the figures are not drawn: install "
    "the package " PACE_GNUPLOT_PACKAGE " (gnuplot) and make the report again, or "
    "run gnuplot on the .gp files here where there is one.";

static int
write_page(FILE *f, void *ctx)
{
	const struct pace_page *p = ctx;

	return p->mesh != NULL ? pace_mesh_html(f, p) : pace_html_write(f, p);
}

static int
draw_report(struct report *t, const struct pace_report_job *j)
{
	struct pace_page page = { .book = &t->book, .folder = t->folder, .up = t->up,
	    .groups = &t->groups, .mesh = t->mesh.n > 0 ? &t->mesh : NULL };
	char name[64] = "index", text[1024];
	const struct pace_groups *g = &t->groups;
	size_t drawn = 0;

	if (make_plates(t, j->figs, j->only) != 0)
		return PACE_EXIT_PARTIAL;
	if (!pace_gnuplot_is_there()) {
		pace_complain("no gnuplot: the figures are not drawn");
		pace_hint("install the package " PACE_GNUPLOT_PACKAGE);
		for (size_t i = 0; i < t->n; i++)
			snprintf(t->plate[i].why, sizeof(t->plate[i].why), "no gnuplot here");
		page.remark = no_gnuplot;
		t->partial = true;
	} else if (draw(t) != 0) {
		return PACE_EXIT_PARTIAL;
	}
	page.plate = t->plate;
	page.n = t->n;
	if (t->up != NULL)
		snprintf(name, sizeof(name), "%.*s", (int)strlen(t->prefix) - 1, t->prefix);
	if (write_file(t, name, ".html", write_page, &page) != 0)
		return PACE_EXIT_PARTIAL;
	if (t->up != NULL)
		return t->partial ? PACE_EXIT_PARTIAL : 0;
	for (size_t i = 0; i < g->n; i++)
		printf("group %s: %s\n", g->v[i].name, pace_group_say(&g->v[i], text,
		    sizeof(text)));
	for (size_t i = 0; i < t->n; i++)
		drawn += t->plate[i].why[0] == '\0';
	printf("%s/index.html: %zu figure%s\n", t->folder, drawn, drawn == 1 ? "" : "s");
	return t->partial ? PACE_EXIT_PARTIAL : 0;
}

static bool
is_figure_of(const struct pace_fig *const *f, const char *name)
{
	while (*f != NULL && strcmp((*f)->name, name) != 0)
		f++;
	return *f != NULL;
}

static bool
knows_figure(const char *name)
{
	static const struct pace_fig *const *const lists[] = { pace_figs, pace_figs_of_group,
		pace_figs_of_mesh };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (is_figure_of(lists[i], name))
			return true;
	pace_complain("--figures: there is no figure '%.40s'", name);
	fputs("  figures:", stderr);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct pace_fig *const *f = lists[i]; *f != NULL; f++)
			fprintf(stderr, " %s", (*f)->name);
	fputs("\n", stderr);
	return false;
}

static void
free_report(struct report *t)
{
	for (size_t i = 0; i < t->n; i++)
		pace_figure_free(&t->plate[i].sheet);
	free(t->plate);
	free(t->prolog);
	free(t->folder);
	pace_report_data_free(&t->book);
	pace_groups_free(&t->groups);
	pace_mesh_free(&t->mesh);
}

int
pace_report_make(const struct pace_report_job *j)
{
	struct report t = { .n = 0 };
	int status;

	pace_stop_catch();
	t.folder = j->output != NULL ? strdup(j->output) : pace_folder_beside(j->file[0]);
	if (t.folder == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	status = read_results(&t, j);
	if (status == 0 && j->look == NULL && pace_groups_find(&t.groups, &t.book) != 0) {
		pace_complain("out of memory");
		status = PACE_EXIT_NO_RESULT;
	}
	if (status == 0 && j->look != NULL)
		status = j->look(&t.book);
	if (status == 0)
		status = open_folder(&t, j->force);
	if (status == 0)
		status = draw_report(&t, j);
	free_report(&t);
	return pace_stop != 0 ? pace_stop_status() : status;
}

/* --- a mesh: a page for each pair, while its document is in memory ---------------------- */

static int
open_pages(const struct report *t)
{
	char path[PATH_MAX];
	int status = open_folder(t, t->force);

	if (status != 0)
		return status;
	snprintf(path, sizeof(path), "%s/pairs", t->folder);
	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno != EEXIST) {
		pace_complain("%s: cannot be made: %s", path, strerror(errno));
		return PACE_EXIT_PARTIAL;
	}
	pace_folder_clear(path, true);
	return 0;
}

/* Thousands of pages, each synchronised with the disk, would take minutes: the index alone is,
 * after them. */
static int
write_page_of_pair(const struct report *t, const char *name, const struct pace_page *page)
{
	char path[PATH_MAX];
	FILE *f;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", t->folder, name);
	f = fopen(path, "we");
	rc = f == NULL ? -errno : pace_html_write(f, page);
	if (f != NULL && fclose(f) != 0 && rc == 0)
		rc = -errno;
	if (rc < 0)
		pace_complain("%s: cannot be written: %s", path, strerror(-rc));
	return rc < 0 ? PACE_EXIT_PARTIAL : 0;
}

/* Keep freed memory: each document takes and returns megabytes, and new pages cost more than
 * reading it. */
static void
keep_memory(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
	(void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

static int
add_page(void *ctx, size_t from, size_t to, const struct pace_report_data *b)
{
	struct report *t = ctx;
	char name[64], remark[PATH_MAX];
	struct pace_page page = { .book = b, .folder = t->folder, .up = "../index.html",
	    .remark = remark };
	int status = 0;

	if (pace_stop != 0)
		return pace_stop_status();
	/* not before there is a result */
	if (!t->opened)
		status = open_pages(t);
	t->opened = true;
	if (status != 0)
		return status;
	snprintf(remark, sizeof(remark), "The figures of this pair: udpace report %s",
	    b->run[0]->file);
	return write_page_of_pair(t, pace_mesh_page(from, to, name, sizeof(name)), &page);
}

static void
tell_unread(void *ctx, const char *why)
{
	struct report *t = ctx;

	pace_complain("%s", why);
	t->partial = true;
}

static int
write_csv(FILE *f, void *ctx)
{
	return pace_mesh_csv(f, ctx);
}

/* Make the page of a pair again, with its figures. */
static int
draw_pair(const struct report *mesh, const char *only, size_t from, size_t to)
{
	const struct pace_mesh *m = &mesh->mesh;
	struct report t = { .up = "../index.html" };
	struct pace_err err = { .code = 0 };
	char path[PATH_MAX];
	int status = PACE_EXIT_PARTIAL;

	snprintf(t.prefix, sizeof(t.prefix), "%zu-%zu-", from + 1, to + 1);
	snprintf(path, sizeof(path), "%s/%s/%s.json", m->folder, m->name[from], m->name[to]);
	if (asprintf(&t.folder, "%s/pairs", mesh->folder) < 0)
		t.folder = NULL;
	else if (pace_report_data_add(&t.book, path, &err) != 0)
		pace_complain("%s", pace_err_why(&err));
	else
		status = draw_report(&t, &(struct pace_report_job){ .figs = pace_figs,
		    .only = only });
	free_report(&t);
	return status;
}

/* Draw the worst pairs; the others have their tables. */
static int
draw_pairs(const struct report *t, const struct report_cfg *cfg)
{
	const struct pace_mesh *m = &t->mesh;
	int status = 0;
	int64_t drawn = 0;

	if (!pace_gnuplot_is_there() || (cfg->only != NULL && !is_figure_of(pace_figs, cfg->only)))
		return 0;
	for (size_t i = 0; i < m->findings && drawn < cfg->pairs && pace_stop == 0; i++) {
		const struct pace_mesh_finding *d = &m->finding[i];

		if (d->kind != PACE_MESH_PAIR || pace_mesh_is_worse(m, i) ||
		    m->pair[d->from * m->n + d->to].state != PACE_MESH_MEASURED)
			continue;
		if (draw_pair(t, cfg->only, d->from, d->to) != 0)
			status = PACE_EXIT_PARTIAL;
		drawn++;
	}
	return status;
}

static int
make_mesh(const struct report_cfg *cfg, const char *folder)
{
	struct report t = { .force = cfg->force };
	const struct pace_mesh_reader reader = { add_page, tell_unread, &t };
	int rc = pace_mesh_scan(&t.mesh, folder), status = PACE_EXIT_NO_RESULT;

	pace_stop_catch();
	keep_memory();
	t.folder = cfg->output != NULL ? strdup(cfg->output) : pace_folder_beside(folder);
	if (rc == -E2BIG)
		pace_complain("%s: more than %d hosts", folder, PACE_MESH_HOSTS);
	else if (rc < 0 || t.folder == NULL)
		pace_complain("%s: %s", folder, strerror(rc < 0 ? -rc : ENOMEM));
	else
		status = pace_mesh_read(&t.mesh, &reader);
	if (status == 0 && !t.opened) {
		pace_complain("no result to report");
		status = PACE_EXIT_NO_RESULT;
	}
	if (status == 0 && pace_mesh_judge(&t.mesh) != 0) {
		pace_complain("out of memory");
		status = PACE_EXIT_PARTIAL;
	}
	if (status == 0 && write_file(&t, "matrix.csv", "", write_csv, &t.mesh) != 0)
		status = PACE_EXIT_PARTIAL;
	if (status == 0) {
		pace_mesh_print(stdout, &t.mesh);
		status = draw_report(&t, &(struct pace_report_job){ .figs = pace_figs,
		    .only = cfg->only });
		if (draw_pairs(&t, cfg) != 0)
			status = PACE_EXIT_PARTIAL;
	}
	free_report(&t);
	return pace_stop != 0 ? pace_stop_status() : status;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct report_cfg *cfg = arg;
	struct pace_operands files;
	const char *folder;
	char *output = NULL;
	int status;

	(void)cmd; (void)all_argc; (void)all_argv;
	if (cfg->only != NULL && !knows_figure(cfg->only))
		return PACE_EXIT_USAGE;
	if (argc == 1 && pace_mesh_is(argv[0]))
		return make_mesh(cfg, argv[0]);
	status = pace_operands_expand(&files, argc, argv, &folder);
	if (status != 0)
		return status;
	if (cfg->output == NULL && folder != NULL)
		output = pace_folder_beside(folder);
	status = pace_report_make(&(struct pace_report_job){ .figs = pace_figs,
	    .output = cfg->output != NULL ? cfg->output : output, .only = cfg->only,
	    .force = cfg->force, .files = files.n, .file = files.v });
	free(output);
	pace_operands_free(&files);
	return status;
}

static const char *const examples[] = {
	"# figures and tables of a sweep, in sweep-report/",
	"udpace report sweep.json",
	"# one page for the campaign in the folder scan/",
	"udpace report scan",
	"# senders that began together, as one experiment",
	"udpace report hosta.json hostb.json hostc.json -o incast",
	"# one page for several results",
	"udpace report sweep.json latency.json clock.json -o all",
	NULL
};

const struct pace_cmd pace_cmd_report = {
	"report", "draw results: figures, tables and one page of both", "RESULT...", 1, 1000,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct report_cfg), run, NULL,
};
