# Copied by scripts/make-deb to where Debian's tools look.
EXTRA_DIST += \
	%D%/debian/changelog \
	%D%/debian/control \
	%D%/debian/copyright \
	%D%/debian/docs \
	%D%/debian/lintian-overrides \
	%D%/debian/prerm \
	%D%/debian/pscheduler-tool-udpace.install \
	%D%/debian/pscheduler-tool-udpace.lintian-overrides \
	%D%/debian/pscheduler-tool-udpace.triggers \
	%D%/debian/rules \
	%D%/debian/source/format

# The spec of the RPM: rpmbuild -ta finds it in the tarball.  configure made it.
EXTRA_DIST += %D%/rpm/udpace.spec %D%/rpm/udpace.spec.in \
	%D%/container/Containerfile %D%/container/build

# Units for systemd are made always, and installed where configure was told to.
SYSTEMD_IN = %D%/systemd/udpace.service.in %D%/systemd/udpace-watch.service.in
SYSTEMD_SERVICES = %D%/systemd/udpace.service %D%/systemd/udpace-watch.service
EXTRA_DIST += $(SYSTEMD_IN) %D%/systemd/udpace.socket %D%/systemd/udpace.sysusers

$(SYSTEMD_SERVICES): $(SYSTEMD_IN) Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	    sed 's|@bindir[@]|$(bindir)|g' $(top_srcdir)/$@.in >$@.tmp && mv $@.tmp $@
CLEANFILES += $(SYSTEMD_SERVICES)
noinst_DATA += $(SYSTEMD_SERVICES)

if WITH_SYSTEMD_UNITS
systemdsystemunit_DATA = $(SYSTEMD_SERVICES) %D%/systemd/udpace.socket
endif

if WITH_SYSUSERS
install-data-hook:
	$(MKDIR_P) '$(DESTDIR)$(sysusersdir)'
	$(INSTALL_DATA) $(top_srcdir)/%D%/systemd/udpace.sysusers \
	    '$(DESTDIR)$(sysusersdir)/udpace.conf'

uninstall-hook:
	rm -f '$(DESTDIR)$(sysusersdir)/udpace.conf'
endif

# The scripts of completion are printed by the program itself.  A program for another
# machine cannot be run: there `udpace completion` does it, see its page.
if !CROSS
COMPLETION = %D%/bash/udpace %D%/zsh/_udpace %D%/fish/udpace.fish
bashcompdir = $(datadir)/bash-completion/completions
bashcomp_DATA = %D%/bash/udpace
zshcompdir = $(datadir)/zsh/site-functions
zshcomp_DATA = %D%/zsh/_udpace
fishcompdir = $(datadir)/fish/vendor_completions.d
fishcomp_DATA = %D%/fish/udpace.fish
CLEANFILES += $(COMPLETION)

$(COMPLETION): udpace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && shell=$(@D) && \
	    ./udpace$(EXEEXT) completion $${shell##*/} >$@.tmp && mv $@.tmp $@
endif
