# Policies that come with udpace, man/udpace-policy.5 tells of them.
policydir = $(pkgdatadir)/policy
dist_policy_DATA = \
	%D%/default.ini \
	%D%/lab.ini \
	%D%/open.ini
