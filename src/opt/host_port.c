#include "config.h"

#include "opt/host_port.h"

#include <string.h>

#include "opt/opt.h"
#include "opt/opt_value.h"

bool
pace_host_port(const char *text, const char *form, char *host, size_t size, int64_t *port)
{
	bool brackets = text[0] == '[';
	size_t n = strcspn(text + brackets, brackets ? "]" : ":");
	const char *rest = text + brackets + n;

	*port = 0;
	if (!brackets && rest[0] == ':' && strchr(rest + 1, ':') != NULL) {	/* IPv6 */
		n = strlen(text);
		rest = text + n;
	}
	if (brackets && rest[0] == ']')
		rest++;
	else if (brackets)
		n = size;
	if (n == 0 || n >= size) {
		pace_complain("'%s' is not %s", text, form);
		return false;
	}
	memcpy(host, text + brackets, n);
	host[n] = '\0';
	if (rest[0] == '\0' || (rest[0] == ':' &&
	    pace_parse(PACE_UNIT_COUNT, rest + 1, port) == 0 && *port >= 1 && *port <= 65535))
		return true;
	pace_complain("'%s': '%s' is not a port: 1 to 65535", text, rest + (rest[0] == ':'));
	return false;
}
