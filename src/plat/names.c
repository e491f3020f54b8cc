#include "config.h"

#include "plat/names.h"

#ifdef HAVE___NSS_CONFIGURE_LOOKUP
#include <nss.h>
#include <stddef.h>
#endif

void
pace_names_begin(void)
{
#if defined STATIC_PROGRAM && defined HAVE___NSS_CONFIGURE_LOOKUP
	static const char *const sources[][2] = {
		{ "hosts", "files dns" }, { "passwd", "files" }, { "group", "files" },
		{ "initgroups", "files" }, { "networks", "files" }, { "protocols", "files" },
		{ "services", "files" },
	};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		__nss_configure_lookup(sources[i][0], sources[i][1]);
#endif
}
