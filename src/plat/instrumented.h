/*
 * instrumented.h - is this build one with sanitizers or gcov?
 *
 * Purpose    those make system calls of their own, and look into the process as a
 *            debugger does: PACE_INSTRUMENTED is defined, and some of the sandbox is not.
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
