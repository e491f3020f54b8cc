#include "config.h"

#include "plat/facts.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "plat/offload.h"

/* First line of a file, or of its first line that starts with key the part
 * behind the colon. */
static void
read_line(const char *path, const char *key, char *buf, size_t size)
{
	char line[256];
	FILE *f = fopen(path, "re");

	buf[0] = '\0';
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		const char *value = line;

		if (key != NULL) {
			if (strncmp(line, key, strlen(key)) != 0 ||
			    (value = strchr(line, ':')) == NULL)
				continue;
			value += 1 + strspn(value + 1, " \t");
		}
		line[strcspn(line, "\n")] = '\0';
		snprintf(buf, size, "%.*s", (int)size - 1, value);
		break;
	}
	fclose(f);
}

void
pace_facts_read(struct pace_host *h)
{
	struct utsname u;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	memset(h, 0, sizeof(*h));
	snprintf(h->version, sizeof(h->version), "%s", PACKAGE_VERSION);
	if (uname(&u) == 0) {
		snprintf(h->kernel, sizeof(h->kernel), "%.15s %.40s", u.sysname, u.release);
		snprintf(h->machine, sizeof(h->machine), "%.31s", u.machine);
	}
	h->cores = cores > 0 ? (int)cores : 0;
	read_line("/proc/cpuinfo", "model name", h->cpu, sizeof(h->cpu));
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", NULL,
	    h->clocksource, sizeof(h->clocksource));
	pace_offload_spoilers(h->stamp_spoilers, sizeof(h->stamp_spoilers));
}
