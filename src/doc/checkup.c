#include "doc/checkup.h"

#include <string.h>

#include "doc/js.h"

const char *
pace_patient_name(enum pace_patient p)
{
	static const char *const names[PACE_PATIENTS] = { "client", "responder", "path" };

	return names[p];
}

int
pace_checkup_count(const struct pace_checkup *c, enum pace_level l)
{
	int n = 0;

	for (int p = 0; p < PACE_PATIENTS; p++)
		for (int i = 0; i < c->of[p].n; i++)
			n += c->of[p].v[i].level == l;
	return n;
}

json_t *
pace_finding_to_json(enum pace_patient where, const struct pace_finding *f)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "where", pace_patient_name(where));
	pace_jw_text(&w, "code", f->code);
	pace_jw_text(&w, "level", pace_level_name(f->level));
	pace_jw_text(&w, "text", f->text);
	if (f->set[0] != '\0') {
		pace_jw_text(&w, "set", f->set);
		pace_jw_text(&w, "restore", f->restore);
	}
	return w.o;
}

void
pace_checkup_notes(struct pace_notes *n, enum pace_patient where, const struct pace_host *h,
    const struct pace_trial *t)
{
	struct pace_finding v[PACE_FINDINGS];
	int found = pace_host_tells(h) ? pace_doctor_host(v, h, t) : 0;

	for (int i = 0; i < found; i++) {
		char code[sizeof(n->v[0].code)];

		if (v[i].level != PACE_LEVEL_WARN && v[i].level != PACE_LEVEL_BAD)
			continue;
		snprintf(code, sizeof(code), "%.9s_%.21s", pace_patient_name(where), v[i].code);
		pace_note(n, code, "%s: %s", pace_patient_name(where), v[i].text);
	}
}
