#!/usr/bin/python
"""Make a key of udpace."""

DOCUMENTATION = r"""
---
module: key
short_description: Make a key for responders and clients of udpace
description:
  - Makes a key file if it does not exist. An existing file is not changed.
options:
  command:
    description: The program and, before it, what must start it.
    type: list
    elements: str
    default: [udpace]
  path:
    description: The key file.
    type: path
    required: true
  name:
    description: Name of the key.
    type: str
    default: mesh
attributes:
  check_mode:
    support: full
    description: No key is made.
author: The udpace authors (@udpace)
"""

EXAMPLES = r"""
- name: One key for all hosts of the mesh
  udpace.mesh.key:
    path: "{{ playbook_dir }}/mesh.key"
  delegate_to: localhost
  run_once: true
"""

RETURN = r"""
path:
  description: The key file.
  returned: always
  type: str
"""

import os

from ansible.module_utils.basic import AnsibleModule


def main():
    module = AnsibleModule(
        argument_spec=dict(
            command=dict(type="list", elements="str", default=["udpace"]),
            path=dict(type="path", required=True),
            name=dict(type="str", default="mesh"),
        ),
        supports_check_mode=True,
    )
    p = module.params
    there = os.path.exists(p["path"])
    if not there and not module.check_mode:
        rc, dummy, err = module.run_command(
            p["command"] + ["key", "-o", p["path"], "new", p["name"]])
        if rc != 0:
            module.fail_json(msg=err.strip() or f"exit status {rc}", path=p["path"])
    module.exit_json(changed=not there, path=p["path"])


if __name__ == "__main__":
    main()
