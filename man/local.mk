dist_man_MANS += \
	%D%/udpace-campaign.1 \
	%D%/udpace-capacity.1 \
	%D%/udpace-capture.1 \
	%D%/udpace-clock.1 \
	%D%/udpace-compare.1 \
	%D%/udpace-completion.1 \
	%D%/udpace-demo.1 \
	%D%/udpace-doctor.1 \
	%D%/udpace-export.1 \
	%D%/udpace-key.1 \
	%D%/udpace-latency.1 \
	%D%/udpace-migrate.7 \
	%D%/udpace-monitor.1 \
	%D%/udpace-policy.5 \
	%D%/udpace-protocol.7 \
	%D%/udpace-pscheduler.7 \
	%D%/udpace-receive.1 \
	%D%/udpace-report.1 \
	%D%/udpace-respond.1 \
	%D%/udpace-stamp.7 \
	%D%/udpace-result.5 \
	%D%/udpace-status.5 \
	%D%/udpace-watch.1 \
	%D%/udpace-send.1 \
	%D%/udpace-throughput.1 \
	%D%/udpace-tutorial.7 \
	%D%/udpace.1
