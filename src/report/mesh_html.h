/*
 * mesh_html.h - write the page of a mesh: findings, figures, a table of all pairs with links to
 * their pages.
 *
 * Pages      pairs/FROM-TO.html, by the numbers of the hosts, because names may have any characters.
 * Trust, errors  as in html.h.
 */
#ifndef PACE_REPORT_MESH_HTML_H
#define PACE_REPORT_MESH_HTML_H

#include "report/html.h"

/* The file of a pair's page in the folder of the report. */
char	*pace_mesh_page(size_t from, size_t to, char *buf, size_t size);

int	pace_mesh_html(FILE *f, const struct pace_page *p);

#endif
