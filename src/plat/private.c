#include "config.h"

#include "plat/private.h"

#include <stddef.h>
#include <string.h>

#define DIGITS	12	/* of an address */

/* Two letters for the kind of device, an x, the address: ethernet, wireless, serial,
 * mobile, InfiniBand.  A truncated name is removed too if half of the address is left. */
void
pace_private_names(char *text)
{
	static const char *const kinds[] = { "enx", "wlx", "wwx", "slx", "ibx" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (char *p = text; (p = strstr(p, kinds[i])) != NULL; p++) {
			size_t n = strspn(p + 3, "0123456789abcdefABCDEF");

			if (n > DIGITS)
				n = DIGITS;
			if (n < DIGITS / 2)
				continue;
			p[3] = '*';
			memmove(p + 4, p + 3 + n, strlen(p + 3 + n) + 1);
		}
}
