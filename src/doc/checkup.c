#include "doc/checkup.h"

static const char *const patients[PACE_PATIENTS] = { "client", "responder", "path" };

int
pace_checkup_count(const struct pace_checkup *c, enum pace_level l)
{
	int n = 0;

	for (int p = 0; p < PACE_PATIENTS; p++)
		for (int i = 0; i < c->of[p].n; i++)
			n += c->of[p].v[i].level == l;
	return n;
}

struct finding_doc {
	enum pace_patient where;
	const char	*level;
	struct pace_finding f;
};

const struct pace_fields pace_finding_fields = { .name = "finding",
    .text = "One finding of doctor.", .row = PACE_FIELDS(
	{ "where", PACE_NAME(struct finding_doc, where, patients),
	    .text = "\"client\", \"responder\" or \"path\"." },
	{ "code", PACE_TEXT(struct finding_doc, f.code), .type = "'type': 'string', 'minLength': 1",
	    .text = "Id for programs, see udpace-doctor(1)." },
	{ "level", PACE_WORDS(struct finding_doc, level), .type = "'enum': ['ok', 'unknown', "
	    "'warn', 'bad']", .text = "\"ok\", \"unknown\", \"warn\" or \"bad\"." },
	{ "text", PACE_TEXT(struct finding_doc, f.text), .text = "Text for people." },
	{ "set", PACE_TEXT(struct finding_doc, f.set), .when = PACE_F_OR_ABSENT },
	{ "restore", PACE_TEXT(struct finding_doc, f.restore), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(struct finding_doc, f.set[0]),
	    .text = "The command that changes the setting, and the command that restores it; "
	    "absent if there is none." },
) };

json_t *
pace_finding_to_json(enum pace_patient where, const struct pace_finding *f)
{
	const struct finding_doc t = { where, pace_level_name(f->level), *f };

	return pace_fields_to_json(&pace_finding_fields, &t);
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
		snprintf(code, sizeof(code), "%.9s_%.21s", patients[where], v[i].code);
		pace_note(n, code, "%s: %s", patients[where], v[i].text);
	}
}
