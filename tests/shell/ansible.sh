#!/bin/sh
# ansible.sh - the parts of the Ansible collection that need no hosts: its tournament and, where there
# is an ansible library, its module with a program that plays udpace, and the options of its unit.
# The playbooks are tested by net/mesh.sh.
set -u

python=$(command -v "${PYTHON3:-python3}") || { echo "ansible: no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${top_srcdir:-.}/contrib/ansible/plugins/filter
export PYTHONDONTWRITEBYTECODE PYTHONPATH
"$python" - <<'PY' || exit 1
from rounds import documents, rounds

for n in list(range(2, 12)) + [100]:
    hosts = ["h%d" % i for i in range(n)]
    found = rounds(hosts)
    pairs = [p for r in found for p in r.items()]
    assert len(pairs) == len(set(pairs)) == n * (n - 1), n
    assert all(a != b for a, b in pairs), n
    for r in found:
        busy = list(r) + list(r.values())
        assert len(busy) == len(set(busy)), (n, r)
    assert len(found) == 2 * (n - 1 + n % 2), (n, len(found))
assert rounds(["a"]) == [] and rounds([]) == []
assert documents([{"a": "b"}, {"b": "a"}], "/m") == ["/m/a/b.json", "/m/b/a.json"]
PY

"$python" -c 'import ansible.module_utils.basic, jinja2' 2>/dev/null ||
    { echo "ansible: no ansible library, the module is not tested"; exit 0; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ansible.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/udpace" <<'SH'
#!/bin/sh
# MODE STATUS SECONDS|hold -q -o FILE -- PEER: leaves a document as MODE says; two at a time are an error.
cut='false'
[ "$2" != cut ] || cut='true'
echo run >>"$0.runs"
mkdir "$0.busy" || echo overlap >>"$0.runs"
trap 'cut=true status=143' TERM
status=$3
case $4 in
hold) while [ -d "$0.busy" ] && [ ! -e "$0.go" ]; do sleep 0.05; done ;;
*) sleep "$4" & wait ;;
esac
echo "warning of $2" >&2
printf '{ "points": [ {"x": 1.0} ],\n  "interrupted": %s }\n' $cut >"$7"
rmdir "$0.busy"
exit "$status"
SH
chmod +x "$tmp/udpace"
"$python" - "${top_srcdir:-.}/contrib/ansible" "$tmp" <<'PY'
import json, os, signal, subprocess, sys, time

source, tmp = sys.argv[1:]
spool, fake = tmp + "/spool", tmp + "/udpace"
whole = b'{ "points": [ {"x": 1.0} ],\n  "interrupted": false }\n'


def start(mode, status, seconds=0, check=False, **more):
    a = {"command": [fake], "peer": "h", "options": [mode, str(status), str(seconds)], "spool": spool,
         "_ansible_check_mode": check, **more}
    p = subprocess.Popen([sys.executable, source + "/plugins/modules/measure.py"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, start_new_session=True)
    p.stdin.write(json.dumps({"ANSIBLE_MODULE_ARGS": a}).encode())
    p.stdin.close()
    return p


def end(p):
    r = json.loads(p.stdout.read())
    p.wait()
    return r


def run(*a, **k):
    return end(start(*a, **k))


def runs():
    try:
        with open(fake + ".runs") as f:
            return f.read().split()
    except FileNotFoundError:
        return []


def await_run(n):
    while len(runs()) < n or not os.path.exists(fake + ".busy"):
        time.sleep(0.01)


def fails(r, rc=0, word=""):
    assert r.get("failed") and not r["measured"] and r["rc"] == rc and word in r["msg"], r
    assert not os.path.exists(r["path"]), r


r = run("whole", 0, check=True)
assert r["changed"] and not r["measured"] and not os.path.exists(spool) and not runs(), r
for mode, status, shown in ("whole", 3, 3), ("cut", 4, 4), ("cut", 0, 0):
    before = len(runs())
    for dummy in range(2):
        fails(run(mode, status), shown, "warning of " + mode)
    assert len(runs()) == before + 2, (mode, status)
assert os.listdir(spool) == [], os.listdir(spool)
for status in 0, 1, 4:
    before = len(runs())
    first, again = run("whole", status), run("whole", status)
    for r in first, again:
        assert r["failed"] is False and r["measured"] and r["rc"] == status and r["stderr"] == "warning of whole\n", r
        with open(r["path"], "rb") as f:
            assert f.read() == whole
    assert first["changed"] and not again["changed"] and len(runs()) == before + 1
    assert run("whole", status, check=True)["changed"] is False
    assert run("whole", status, ticket="x")["changed"] and len(runs()) == before + 2
fails(run("whole", 0, 60, timeout=1), 143)
fails(run("whole", 0, command=[tmp + "/none"]), 127, "none")

# A module that was killed leaves its run, which others wait for.
before = len(runs())
p = start("whole", 1, "hold")
await_run(before + 1)
os.kill(p.pid, signal.SIGKILL)
p.wait()
r = run("whole", 1, "hold", timeout=1)
assert r.get("failed") and "did not end in time" in r["msg"], r
open(fake + ".go", "w").close()
r = run("whole", 1, "hold")
assert r["measured"] and r["rc"] == 1 and not r["changed"] and len(runs()) == before + 1, r

# Each of several waiters measures again after a failure, none beside another.
before = len(runs())
for p in [start("whole", 3, 0.2) for dummy in range(3)]:
    fails(end(p), 3)
assert runs()[before:] == ["run"] * 3, runs()

# A spool that others could have filled is refused.
os.mkdir(tmp + "/own", 0o700)
os.symlink(tmp + "/own", tmp + "/link")
os.chmod(spool, 0o777)
before = len(runs())
bad = [spool, tmp + "/link"]
if os.geteuid() == 0:
    os.mkdir(tmp + "/foreign", 0o700)
    os.chown(tmp + "/foreign", 65534, 65534)
    bad.append(tmp + "/foreign")
for path in bad:
    spool = path
    r = run("whole", 0)
    assert r.get("failed") and not r["measured"] and "the spool must be" in r["msg"], r
assert len(runs()) == before and "overlap" not in runs()

# The words that systemd.syntax(7) makes of the unit's line are those of responder_options.
import jinja2

with open(source + "/roles/responder/templates/mesh.conf.j2") as f:
    unit = jinja2.Template(f.read()).render(responder_program={"stdout": "/usr/bin/udpace"}, ansible_managed="x",
                                            responder_arguments=["--bind", "a b", 'c"d\\e', "f%g$h", "i\nj"])
assert unit.splitlines()[1:] == ["[Service]", "ExecStart=", 'ExecStart=/usr/bin/udpace respond '
                                 r'"--bind" "a b" "c\"d\\e" "f%%g$$h" "i\nj"'], unit
PY
