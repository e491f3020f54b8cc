dnl PACE_ARG_LIB(NAME, MODULE, PURPOSE, [PROGRAM]): an optional library behind --with-NAME.
dnl yes = required, no = off, check = use if found, anything else = error.
dnl With --enable-static it is found if PROGRAM links: .pc files are there without
dnl the static libraries that they name.
dnl Gives WITH_NAME (automake), HAVE_NAME (config.h), NAME_CFLAGS, NAME_LIBS.
AC_DEFUN([PACE_ARG_LIB], [
  m4_pushdef([PACE_UP], m4_toupper([$1]))
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1], [$3, needs $2 @<:@check@:>@])],
    [], [with_$1=check])
  AS_CASE([$with_$1], [yes|no|check], [],
    [AC_MSG_ERROR([--with-$1 takes yes, no or check, not '$with_$1'])])
  pace_want_$1=$with_$1
  AS_IF([test "x$with_$1" != xno], [
    PKG_CHECK_MODULES(PACE_UP, [$2], [with_$1=yes],
      [AS_IF([test "x$with_$1" = xyes],
        [AC_MSG_ERROR([--with-$1 given but $2 not found: $]PACE_UP[_PKG_ERRORS])])
       with_$1=no])])
  AS_IF([test "x$with_$1" = xyes && test "x$enable_static" = xyes], [
    AC_MSG_CHECKING([whether $2 links statically])
    pace_save_libs=$LIBS
    pace_save_ldflags=$LDFLAGS
    LDFLAGS="$LDFLAGS $STATIC_LDFLAGS"
    LIBS="$[]PACE_UP[]_LIBS $LIBS"
    AC_LINK_IFELSE([m4_default([$4], [AC_LANG_PROGRAM()])], [], [
      AS_IF([test "x$pace_want_$1" = xyes],
        [AC_MSG_ERROR([--with-$1 given but $2 does not link statically])])
      with_$1=no PACE_UP[]_LIBS=])
    LIBS=$pace_save_libs
    LDFLAGS=$pace_save_ldflags
    AC_MSG_RESULT([$with_$1])])
  AM_CONDITIONAL([WITH_]PACE_UP, [test "x$with_$1" = xyes])
  AS_IF([test "x$with_$1" = xyes],
    [AC_DEFINE([HAVE_]PACE_UP, [1], [Define to 1 to build with $2.])])
  m4_popdef([PACE_UP])])

dnl PACE_ARG_ENABLE(NAME, HELP, DEFAULT): a yes-or-no switch, nothing else.
AC_DEFUN([PACE_ARG_ENABLE], [
  AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [$2 @<:@$3@:>@])],
    [], [enable_$1=$3])
  AS_CASE([$enable_$1], [yes|no], [],
    [AC_MSG_ERROR([--enable-$1 takes yes or no, not '$enable_$1'])])])

dnl --enable-static: STATIC_LDFLAGS, and pkg-config names what libraries need themselves.
dnl At an address of its own choice, as other programs, unless hardening is off.
AC_DEFUN([PACE_ENABLE_STATIC], [
  PACE_ARG_ENABLE([static], [a program that needs no shared library], [no])
  STATIC_LDFLAGS=
  AS_IF([test "x$enable_static" = xyes], [
    PKG_CONFIG="$PKG_CONFIG --static"
    STATIC_LDFLAGS=-static-pie
    AS_IF([test "x$enable_hardening" = xno], [STATIC_LDFLAGS=-static])
    PACE_NEED_LINK([-fPIE $STATIC_LDFLAGS], [AC_LANG_PROGRAM()],
      [$CC cannot link with $STATIC_LDFLAGS: is the static C library there?])
    AC_DEFINE([STATIC_PROGRAM], [1], [Define to 1 for a program without shared libraries.])])
  AC_SUBST([STATIC_LDFLAGS])])

dnl PACE_ARG_DIR(NAME, VARIABLE, WHAT): where files of systemd go: a directory, no, or
dnl yes for the one that systemd's own .pc file names.  Not by itself: it does not lie
dnl below the prefix, so that an installation by an ordinary user would fail.
AC_DEFUN([PACE_ARG_DIR], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=DIR], [$3 @<:@no@:>@])],
    [], [with_$1=no])
  AS_IF([test "x$with_$1" = xyes], [
    PKG_CHECK_VAR([pace_dir_$1], [systemd], [$2], [with_$1=$pace_dir_$1],
      [AC_MSG_ERROR([--with-$1 given but systemd.pc not found: give a directory])])])
  AS_CASE([$with_$1], [no], [], [/*], [],
    [AC_MSG_ERROR([--with-$1 takes yes, no or a directory, not '$with_$1'])])
  AS_IF([test "x$with_$1" != xno], [AC_SUBST([$1], [$with_$1])])])

dnl PACE_TRY_FLAGS(VAR, FLAGS): append to VAR each flag that compiles quietly.
dnl -Werror, because clang only warns about flags that it does not know.
AC_DEFUN([PACE_TRY_FLAGS], [
  AC_LANG_ASSERT([C])
  pace_save_cflags=$CFLAGS
  for pace_flag in $2; do
    AC_MSG_CHECKING([whether $CC takes $pace_flag])
    CFLAGS="$pace_save_cflags -Werror $pace_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
      [AC_MSG_RESULT([yes])
       AS_VAR_APPEND([$1], [" $pace_flag"])],
      [AC_MSG_RESULT([no])])
  done
  CFLAGS=$pace_save_cflags
  AC_SUBST([$1])])

dnl PACE_TRY_LINK(VAR, FLAGS): append to VAR each flag that links quietly.
AC_DEFUN([PACE_TRY_LINK], [
  AC_LANG_ASSERT([C])
  pace_save_cflags=$CFLAGS
  pace_save_ldflags=$LDFLAGS
  for pace_flag in $2; do
    AC_MSG_CHECKING([whether $CC links with $pace_flag])
    CFLAGS="$pace_save_cflags -Werror $HARDEN_CFLAGS"
    LDFLAGS="$pace_save_ldflags $pace_flag"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()],
      [AC_MSG_RESULT([yes])
       AS_VAR_APPEND([$1], [" $pace_flag"])],
      [AC_MSG_RESULT([no])])
  done
  CFLAGS=$pace_save_cflags
  LDFLAGS=$pace_save_ldflags
  AC_SUBST([$1])])

dnl PACE_NEED_LINK(FLAGS, PROGRAM, COMPLAINT): error unless PROGRAM links.
AC_DEFUN([PACE_NEED_LINK], [
  AC_MSG_CHECKING([whether $CC compiles and links with $1])
  pace_save_cflags=$CFLAGS
  CFLAGS="$CFLAGS $1"
  AC_LINK_IFELSE([$2], [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$3])])
  CFLAGS=$pace_save_cflags])

dnl --enable-sanitizers[=LIST]: SAN_FLAGS for compiling and linking.
AC_DEFUN([PACE_ENABLE_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@],
      [run-time checks, stop at the first fault; LIST is
       address,undefined unless given @<:@no@:>@])],
    [], [enable_sanitizers=no])
  AS_CASE([$enable_sanitizers],
    [no], [SAN_FLAGS=],
    [AS_IF([test "x$enable_sanitizers" = xyes],
       [enable_sanitizers=address,undefined])
     SAN_FLAGS="-fsanitize=$enable_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
     PACE_NEED_LINK([$SAN_FLAGS], [AC_LANG_PROGRAM()],
       [$CC cannot build with -fsanitize=$enable_sanitizers])])
  AC_SUBST([SAN_FLAGS])])

dnl --enable-coverage: COV_FLAGS.  Wants CFLAGS without -O, or CFLAGS wins.
AC_DEFUN([PACE_ENABLE_COVERAGE], [
  PACE_ARG_ENABLE([coverage], [count executed lines (gcov)], [no])
  COV_FLAGS=
  AS_IF([test "x$enable_coverage" = xyes],
    [COV_FLAGS="--coverage -O0 -fprofile-update=atomic"
     PACE_NEED_LINK([$COV_FLAGS], [AC_LANG_PROGRAM()],
       [$CC cannot build with $COV_FLAGS])])
  AC_SUBST([COV_FLAGS])])

dnl --enable-fuzzers: FUZZ_FLAGS everywhere, FUZZ_LDFLAGS at the targets.
AC_DEFUN([PACE_ENABLE_FUZZERS], [
  PACE_ARG_ENABLE([fuzzers], [build tests/fuzz with libFuzzer, needs clang], [no])
  FUZZ_FLAGS=
  FUZZ_LDFLAGS=
  AS_IF([test "x$enable_fuzzers" = xyes],
    [PACE_NEED_LINK([-fsanitize=fuzzer],
       [AC_LANG_SOURCE([[#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) { return p != NULL && n == 1 && *p == 2; }]])],
       [--enable-fuzzers needs clang with libFuzzer: ./configure CC=clang])
     FUZZ_FLAGS=-fsanitize=fuzzer-no-link
     FUZZ_LDFLAGS=-fsanitize=fuzzer])
  AM_CONDITIONAL([FUZZERS], [test "x$enable_fuzzers" = xyes])
  AC_SUBST([FUZZ_FLAGS])
  AC_SUBST([FUZZ_LDFLAGS])])

dnl Sanitizers and gcov make system calls of their own, which no list of ours has.
AC_DEFUN([PACE_SAY_INSTRUMENTED], [
  AC_REQUIRE([PACE_ENABLE_SANITIZERS])
  AC_REQUIRE([PACE_ENABLE_COVERAGE])
  AS_IF([test "x$enable_sanitizers" != xno || test "x$enable_coverage" = xyes],
    [AC_DEFINE([INSTRUMENTED], [1],
       [Define to 1 when built with sanitizers or gcov.])])])

dnl --enable-werror: WERROR_FLAGS, in the Makefile only (it would break checks).
AC_DEFUN([PACE_ENABLE_WERROR], [
  PACE_ARG_ENABLE([werror], [treat warnings as errors, for developers], [no])
  WERROR_FLAGS=
  AS_IF([test "x$enable_werror" = xyes], [WERROR_FLAGS=-Werror])
  AC_SUBST([WERROR_FLAGS])])

dnl --enable-hardening: HARDEN_CPPFLAGS, HARDEN_CFLAGS, HARDEN_LDFLAGS.
dnl _FORTIFY_SOURCE needs an optimiser, may be the builder's already, and
dnl hides faults from the sanitizers: then it is left alone.
AC_DEFUN([PACE_ENABLE_HARDENING], [
  AC_REQUIRE([PACE_ENABLE_SANITIZERS])
  PACE_ARG_ENABLE([hardening], [stack protector, relro, PIE, fortify], [yes])
  HARDEN_CPPFLAGS=
  HARDEN_CFLAGS=
  HARDEN_LDFLAGS=
  AS_IF([test "x$enable_hardening" = xyes],
    [PACE_TRY_FLAGS([HARDEN_CFLAGS],
       [-fstack-protector-strong -fstack-clash-protection -fPIE])
     AS_IF([test "x$enable_static" = xno], [PACE_TRY_LINK([HARDEN_LDFLAGS], [-pie])])
     PACE_TRY_LINK([HARDEN_LDFLAGS], [-Wl,-z,relro -Wl,-z,now])
     AS_IF([test "x$enable_sanitizers" = xno],
       [AC_MSG_CHECKING([whether to define _FORTIFY_SOURCE])
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#if !defined __OPTIMIZE__ || defined _FORTIFY_SOURCE
# error leave it alone
#endif
extern int pace_any;]])],
          [pace_fortify=yes], [pace_fortify=no])
        AC_MSG_RESULT([$pace_fortify])
        AS_IF([test "x$pace_fortify" = xyes],
          [HARDEN_CPPFLAGS=-D_FORTIFY_SOURCE=2])])])
  AC_SUBST([HARDEN_CPPFLAGS])
  AC_SUBST([HARDEN_CFLAGS])
  AC_SUBST([HARDEN_LDFLAGS])])
