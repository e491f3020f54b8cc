# For other systems: an Ansible collection, and a tool of pScheduler.
EXTRA_DIST += \
	%D%/ansible/.ansible-lint \
	%D%/ansible/README.md \
	%D%/ansible/galaxy.yml \
	%D%/ansible/meta/runtime.yml \
	%D%/ansible/playbooks/incast.yml \
	%D%/ansible/playbooks/mesh.yml \
	%D%/ansible/playbooks/tasks/measure.yml \
	%D%/ansible/playbooks/tasks/report.yml \
	%D%/ansible/playbooks/vars/defaults.yml \
	%D%/ansible/plugins/filter/documents.yml \
	%D%/ansible/plugins/filter/rounds.py \
	%D%/ansible/plugins/filter/rounds.yml \
	%D%/ansible/plugins/modules/key.py \
	%D%/ansible/plugins/modules/measure.py \
	%D%/ansible/roles/responder/defaults/main.yml \
	%D%/ansible/roles/responder/handlers/main.yml \
	%D%/ansible/roles/responder/meta/argument_specs.yml \
	%D%/ansible/roles/responder/meta/main.yml \
	%D%/ansible/roles/responder/tasks/main.yml \
	%D%/ansible/roles/responder/templates/mesh.conf.j2
EXTRA_DIST += \
	%D%/pscheduler/psconfig-udpace.json \
	%D%/pscheduler/udpace.conf \
	%D%/pscheduler/udpace/can-run \
	%D%/pscheduler/udpace/duration \
	%D%/pscheduler/udpace/enumerate \
	%D%/pscheduler/udpace/merged-results \
	%D%/pscheduler/udpace/participant-data \
	%D%/pscheduler/udpace/run \
	%D%/pscheduler/udpace/udpace_results.py \
	%D%/pscheduler/udpace/udpace_run.py \
	%D%/pscheduler/udpace/udpace_spec.py \
	%D%/pscheduler/udpace/udpace_tool.py
