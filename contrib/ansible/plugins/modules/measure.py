#!/usr/bin/python
"""Run one measurement of udpace and keep its document."""

DOCUMENTATION = r"""
---
module: measure
short_description: Measure from this host to a responder with udpace
description:
  - Runs a command of udpace and keeps its result document on this host until it is fetched.
  - A document of an earlier run of the same command is kept, and nothing is measured again.
  - A document is kept if the exit status is 0, 1 or 4 and the run was not interrupted. Any other is removed.
options:
  command:
    description: The program and, before it, what must start it.
    type: list
    elements: str
    default: [udpace]
  test:
    description: The command of udpace.
    type: str
    choices: [throughput, latency, capacity, clock]
    default: throughput
  peer:
    description: Address or name of the responder.
    type: str
    required: true
  options:
    description: Options of the command. The module itself gives C(-o) and C(-q).
    type: list
    elements: str
    default: []
  spool:
    description:
      - Folder on the measuring host for documents that were not fetched yet. It is made with mode 0700.
      - One that exists must be of the user who measures, and nobody else may write to it.
    type: path
    default: /var/tmp/udpace-mesh
  ticket:
    description: Name of this measurement. Another name measures again.
    type: str
    default: ""
  timeout:
    description: Seconds for the measurement, and for waiting until an earlier one of the same command ends.
    type: int
    default: 3600
attributes:
  check_mode:
    support: full
    description: Nothing is measured.
author: The udpace authors (@udpace)
"""

EXAMPLES = r"""
- name: Send 100 Mbit/s for 5 s
  udpace.mesh.measure:
    peer: 192.0.2.7
    options: [--rate, 100M, --duration, 5s]
  register: run

- name: Fetch the document
  ansible.builtin.fetch:
    src: "{{ run.path }}"
    dest: result.json
    flat: true

- name: Remove it on the measuring host
  ansible.builtin.file:
    path: "{{ run.path | dirname }}"
    state: absent
"""

RETURN = r"""
measured:
  description: There is a document.
  returned: always
  type: bool
path:
  description: The document on the measuring host, in a folder of its own.
  returned: always
  type: str
rc:
  description:
    - Exit status of udpace, also of an earlier run whose document was kept.
    - 1 is a figure that is not usable. 4 is an incomplete result, of which some points failed, for example.
  returned: always
  type: int
stderr:
  description: Warnings of udpace, also of an earlier run whose document was kept.
  returned: always
  type: str
"""

import fcntl
import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import time

from ansible.module_utils.basic import AnsibleModule

MEASURED = (0, 1, 4)
DOCUMENT = "udpace.json"
# The shell leaves the exit status beside the document even if this module was killed.
RUN = 'd=$1; shift; trap : TERM; "$@" 2>"$d/stderr"; echo $? >"$d/rc"'


def is_whole(path):
    """Tell if a document has points and was not interrupted."""
    try:
        with open(path, "rb") as f:
            doc = json.loads(f.read())
    except (OSError, ValueError):
        return False
    return isinstance(doc, dict) and bool(doc.get("points")) and not doc.get("interrupted", True)


def outcome(folder):
    """Return exit status (None if the run did not end), standard error, and if a document is to be kept."""
    rc, err = None, ""
    try:
        with open(os.path.join(folder, "stderr"), encoding="utf-8", errors="replace") as f:
            err = f.read()
        with open(os.path.join(folder, "rc"), encoding="ascii") as f:
            rc = int(f.read())
    except (OSError, ValueError):
        pass
    return rc, err, rc in MEASURED and is_whole(os.path.join(folder, DOCUMENT))


def check_spool(path):
    """Make the spool; one that others can write to could have documents of others."""
    os.makedirs(path, mode=0o700, exist_ok=True)
    st = os.lstat(path)
    if not stat.S_ISDIR(st.st_mode) or st.st_uid != os.geteuid() or st.st_mode & 0o022:
        raise PermissionError(0, "the spool must be a folder (no link) of this user that others "
                              "cannot write to; remove it or set another")


def lock(folder, deadline):
    """Make and lock a folder: a run whose playbook was killed holds the lock until it ends.

    Whoever has fetched a document removes its folder.  A lock of a removed folder is none.
    """
    while True:
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass
        fd = None
        try:
            fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(fd), os.stat(folder)):
                return fd
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise TimeoutError(0, "an earlier run of the same command did not end in time") from None
            time.sleep(0.1)
        except FileNotFoundError:
            pass
        if fd is not None:
            os.close(fd)


def empty(folder):
    """Remove the files of an earlier run."""
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))


def execute(argv, folder, timeout, held):
    """Run argv in a process group of its own.  The lock is held until its last process ends."""
    with subprocess.Popen(["/bin/sh", "-c", RUN, "sh", folder] + argv, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True, pass_fds=(held,)) as p:
        try:
            p.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGTERM)
            try:
                p.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
    return p.returncode


def measure(p, folder, result):
    """Measure if there is no document yet: set the result."""
    deadline = time.monotonic() + p["timeout"]
    check_spool(p["spool"])
    held = lock(folder, deadline)
    rc, err, kept = outcome(folder)
    if not kept:
        empty(folder)
        result["changed"] = True
        ended = execute(p["command"] + [p["test"]] + p["options"] + ["-q", "-o", result["path"],
                        "--", p["peer"]], folder, max(1, deadline - time.monotonic()), held)
        rc, err, kept = outcome(folder)
        rc = ended if rc is None else rc
    if not kept:
        shutil.rmtree(folder)
    os.close(held)
    result.update(rc=rc, stderr=err, measured=kept)


def main():
    module = AnsibleModule(
        argument_spec=dict(
            command=dict(type="list", elements="str", default=["udpace"]),
            test=dict(type="str", choices=["throughput", "latency", "capacity", "clock"],
                      default="throughput"),
            peer=dict(type="str", required=True),
            options=dict(type="list", elements="str", default=[]),
            spool=dict(type="path", default="/var/tmp/udpace-mesh"),
            ticket=dict(type="str", default=""),
            timeout=dict(type="int", default=3600),
        ),
        supports_check_mode=True,
    )
    p = module.params
    name = json.dumps([p["command"], p["test"], p["peer"], p["options"], p["ticket"]])
    folder = os.path.join(p["spool"], hashlib.sha256(name.encode()).hexdigest()[:32])
    result = dict(changed=False, path=os.path.join(folder, DOCUMENT), rc=0, stderr="", measured=False)
    if module.check_mode:
        kept = outcome(folder)[2]
        module.exit_json(**dict(result, changed=not kept))
    try:
        measure(p, folder, result)
    except OSError as e:
        module.fail_json(msg=f"{p['spool']}: {e.strerror}", **result)
    if not result["measured"]:
        words = result["stderr"].strip().splitlines()
        module.fail_json(msg=words[0] if words else f"no document, exit status {result['rc']}",
                         **result)
    module.exit_json(failed=False, **result)  # without it a status of 1 or 4 is a failure to Ansible


if __name__ == "__main__":
    main()
