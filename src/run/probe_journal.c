#include "config.h"

#include "run/probe_own.h"

#include <errno.h>

#include "doc/point_doc.h"
#include "opt/opt.h"
#include "run/judge.h"
#include "run/point_control.h"
#include "run/stop.h"

/* Spacings come back from a document to 1 part in 10^12. */
static bool
is_same_ask(const struct pace_params *a, const struct pace_params *b)
{
	uint64_t apart = a->spacing > b->spacing ? a->spacing - b->spacing : b->spacing - a->spacing;

	return a->size_bytes == b->size_bytes && apart <= 4 + a->spacing / 1000000000 &&
	    a->dscp == b->dscp && a->repeat == b->repeat && a->count == b->count &&
	    a->duration_ns == b->duration_ns && a->train == b->train;
}

/* Tell a point of the journal as if it had just been measured. */
static bool
tell_again(struct probe *p, struct pace_point *pt, size_t i)
{
	json_t *j = pace_journal_point(p->journal, i), *json = NULL;
	int rc = j != NULL ? pace_point_from_json(pt, j) : -EPROTO;

	json_decref(j);
	if (rc == 0 && is_same_ask(&pt->ask, &p->cfg->asks[i])) {
		pt->ask.spacing = p->cfg->asks[i].spacing;	/* not the document's rounded one */
		p->unusable |= pace_judge(p->cfg, pt);
		pace_probe_tell(p, pt, &json);
		json_decref(json);
		return true;
	}
	pace_complain("--resume: %s: its point %zu %s", p->journal->path, i,
	    rc < 0 ? "is damaged" : "is not that of its command line");
	return false;
}

bool
pace_probe_journal_tell(struct probe *p)
{
	struct pace_point *pt = pace_point_new();
	bool good = pt != NULL;

	for (size_t i = 0; good && i < p->cfg->n; i++)
		if (p->journal->line[i] >= 0)
			good = tell_again(p, pt, i);
		else if (p->journal->line[i] == PACE_JOURNAL_SKIPPED)
			pace_probe_tell_skip(p, &p->cfg->asks[i]);
	pace_point_free(pt);
	return good;
}

int
pace_probe_journal_take(struct probe *p)
{
	if (p->journal->planned != p->cfg->n) {
		pace_complain("--resume: %s is of %zu points, its command line makes %zu",
		    p->journal->path, p->journal->planned, p->cfg->n);
		return PACE_EXIT_NO_RESULT;
	}
	pace_resume_head(&p->result, p->journal);
	return PACE_EXIT_OK;
}

/* Is a journal wanted, and is there none?  Records are in memory until the end: a run
 * that keeps them cannot go on. */
static bool
wants_journal(const struct probe *p)
{
	return p->journal == NULL && p->cfg->order != NULL && p->cfg->record == NULL &&
	    pace_journal_wanted(p->cfg->sink.output, p->cfg->n);
}

json_t *
pace_probe_plan(const struct probe *p)
{
	return p->cfg->order != NULL ? json_pack("{s:O}", "order", p->cfg->order) : json_object();
}

bool
pace_probe_journal_begin(struct probe *p)
{
	if (!wants_journal(p))
		return true;
	if (!pace_resume_begin(&p->own, &p->sink, &p->result, pace_probe_plan(p), p->cfg->n))
		return false;
	if (p->own.f != NULL)
		p->journal = &p->own;
	return true;
}

void
pace_probe_journal_end(struct probe *p)
{
	bool whole = p->done + p->skipped == p->cfg->n && p->failed == 0 && !p->sink.failed &&
	    pace_stop == 0;

	if (p->cfg->guide == NULL)
		pace_point_control_tell(p->skipped, whole);
	if (p->journal != NULL && p->skipped > 0 && whole)
		pace_resume_skipped(p->journal, p->cfg->argv[1]);
	else if (p->journal != NULL)
		pace_resume_end(p->journal, whole, p->cfg->argv[1]);
}
