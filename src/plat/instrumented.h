/*
 * instrumented.h - is this build one with sanitizers or gcov?
 *
 * Purpose    these make system calls of their own, and inspect the process like a
 *            debugger: PACE_INSTRUMENTED is then defined, and parts of the sandbox are off.
 */
#ifndef PACE_PLAT_INSTRUMENTED_H
#define PACE_PLAT_INSTRUMENTED_H

#if defined(INSTRUMENTED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
# define PACE_INSTRUMENTED	1
#elif defined(__has_feature)
# if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#  define PACE_INSTRUMENTED	1
# endif
#endif

#endif
