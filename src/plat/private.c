#include "config.h"

#include "plat/private.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define DIGITS	12	/* of an address */

static size_t
hex_digits(const char *p)
{
	size_t n = 0;

	while (n < DIGITS && isxdigit((unsigned char)p[n]))
		n++;
	return n;
}

/* Two letters for the kind of device, an x, the address: ethernet, wireless, serial,
 * mobile, InfiniBand.  Of a name that was cut off half of it is too much. */
void
pace_private_names(char *text)
{
	static const char *const kinds[] = { "enx", "wlx", "wwx", "slx", "ibx" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (char *p = text; (p = strstr(p, kinds[i])) != NULL; p++) {
			size_t n = hex_digits(p + 3);

			if (n < DIGITS / 2)
				continue;
			p[3] = '*';
			memmove(p + 4, p + 3 + n, strlen(p + 3 + n) + 1);
		}
}
