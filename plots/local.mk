# The links that configure makes in a build directory.
distclean-local:
	-test ! -h campaigns || rm -f campaigns
