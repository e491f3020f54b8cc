"""examples.py UDPACE TOP - run each example of README, tutorial and migration page.

The hosts hostb and farhost are a responder of this host, and router1 is its STAMP reflector.
Where an example would take long or needs a network interface, the program `udpace` that the shell
finds here shortens it: it adds options, and takes none away.  Exit 1: an example failed; what was left out is printed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

WRAPPER = """#!/bin/sh
# A place of every argument: the host's name becomes the address, the port is added.
command=$1
shift
for word; do
	shift
	case $word in
	hostb) set -- "$@" 127.0.0.1 ;;
	farhost) set -- "$@" 127.0.0.1 ;;
	router1) port=$stamp_port && set -- "$@" 127.0.0.1 ;;
	eth0) ;;
	-i) [ "$command" = capture ] && set -- "$@" "$captures/rtp.pcap" || set -- "$@" -i ;;
	5004) set -- "$@" 5005 ;;
	*) set -- "$@" "$word" ;;
	esac
done
all=" $* "
has() {
	case $all in *" $1 "*) return 0 ;; esac
	return 1
}
case $command in
send) set -- "$@" --interface lo --dry-run ;;
receive)
	"$udpace" send "$1" --interface lo --loop --count 3000 --quiet >/dev/null 2>&1 &
	set -- "$@" --interface lo --count 10 ;;
throughput)
	has --resume || set -- "$@" --port "$port"
	# the last one counts
	has --count && set -- "$@" --count 100
	has --resume || has --count || set -- "$@" --duration 100ms ;;
capacity) set -- "$@" --port "$port" --duration 100ms --repeat 1 --sustain 100ms ;;
latency) set -- "$@" --port "$port" --count 20 ;;
tcp)	has --dry-run || set -- "$@" --port "$port" --length 64K ;;
clock) set -- "$@" --port "$port" --count 20 ;;
doctor) set -- "$@" --port "$port" ;;
watch)
	[ "$*" = "127.0.0.1 127.0.0.1" ] && set -- 127.0.0.1	# no path is there twice
	set -- "$@" --port "$port" --duration 2 ;;
campaign) set -- "$@" --port "$port" --dry-run ;;
respond) set -- "$@" --check-config ;;
monitor)
	has --attach && set -- "$@" "$status" --count 1
	has --attach || set -- "$@" --port "$port" --plain --duration 2 ;;
esac
exec "$udpace" "$command" "$@"
"""

# Stands in for the program duckdb where only the module of Python is installed.
DUCKDB = f"""#!/bin/sh
exec "{sys.executable}" -c 'import duckdb, sys; print(duckdb.sql(sys.stdin.read()))'
"""

MEASURES = ("throughput", "capacity", "latency", "clock", "monitor", "tcp")
failed = 0


def bad(text):
    global failed
    failed = 1
    print("examples: " + text)


def of_readme(text):
    """Commands of the blocks marked sh and of the spans `udpace ...`."""
    for part in re.findall(r"^```sh\n(.*?)^```$|`(udpace [^`\n]+)`", text, re.M | re.S):
        yield from filter(None, part[0].splitlines() + [part[1]])


def of_page(text):
    """(command, first line of its output or None) of the displays and of .Ql."""
    text = re.sub(r"\\e", r"\\", text)
    for display, span in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$|^\.Ql (udpace [^\n]*)$", text,
                                    re.M | re.S):
        if span:
            yield re.sub(r" [.,]$", "", span), None
        for example in re.split(r"^\$ ", display, flags=re.M)[1:]:
            command, _, output = example.partition("\nudpace: ")
            yield command.rstrip("\n"), output.rstrip("\n") or None


def is_there(command, path):
    """Can it be tried here?"""
    tool = command.split()[0]
    if tool == "python3":
        return has_module("pandas")
    return all(shutil.which(word, path=path) for word in re.findall(r"^\w+|(?<=&& )\w+", command)
               if word != "cd")


def has_module(name):
    return subprocess.run([sys.executable, "-c", "import " + name],
                          stderr=subprocess.DEVNULL).returncode == 0


def wanted(command):
    """The exit statuses that are right: this host may be too busy to keep a schedule."""
    words = command.split()
    if words[0] == "udpace" and words[1] in MEASURES:
        return (0, 1)
    return (0, 1) if words[:2] == ["udpace", "doctor"] else (0,)


def try_all(name, examples, folder, env):
    os.mkdir(folder)
    ran = 0
    for command, output in examples:
        if command.split()[0] not in ("udpace", "jq", "python3", "duckdb", "cd"):
            continue
        if not is_there(command, env["PATH"]):
            print(f"{name}: left out: {command.splitlines()[0]}")
            continue
        run = subprocess.run(["sh", "-c", command], cwd=folder, env=env, timeout=120,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, universal_newlines=True)
        ran += 1
        if output is not None:
            if run.returncode != 2 or run.stderr.splitlines()[0] != "udpace: " + output:
                bad(f"{name}: {command}: status {run.returncode}, not as the page has it: "
                    + run.stderr)
        elif run.returncode not in wanted(command):
            bad(f"{name}: {command}: status {run.returncode}: {run.stderr[-300:]}")
        if " compare" not in command and os.path.exists(folder + "/sweep.json"):
            for copy in ("before.json", "after.json"):
                shutil.copy(folder + "/sweep.json", f"{folder}/{copy}")
    return ran


def main(udpace, top):
    with tempfile.TemporaryDirectory() as tmp:
        os.mkdir(tmp + "/bin")
        tools = {"udpace": WRAPPER, "python3": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'}
        if shutil.which("duckdb") is None and has_module("duckdb"):
            tools["duckdb"] = DUCKDB
        for tool, script in tools.items():
            with open(f"{tmp}/bin/{tool}", "w", encoding="utf-8") as file:
                file.write(script)
            os.chmod(f"{tmp}/bin/{tool}", 0o755)
        status = tmp + "/status"
        with subprocess.Popen([udpace, "respond", "--bind", "127.0.0.1", "--port", "0", "--policy",
                               "lab", "--status-socket", status, "--stamp", "--stamp-port", "0",
                               "--quiet"],
                              stderr=subprocess.PIPE, universal_newlines=True) as responder:
            try:
                port, stamp_port = (re.search(r"port (\d+)", responder.stderr.readline()).group(1)
                                    for _ in range(2))
                env = {**os.environ, "PATH": f"{tmp}/bin:{os.environ['PATH']}", "udpace": udpace,
                       "port": port, "stamp_port": stamp_port, "status": status,
                       "captures": top + "/tests/data/captures"}
                for name, least in (("README.md", 18), ("man/udpace-tutorial.7", 12),
                                    ("man/udpace-migrate.7", 12)):
                    with open(f"{top}/{name}", encoding="utf-8") as file:
                        text = file.read()
                    examples = [(command, None) for command in of_readme(text)] \
                        if name == "README.md" else list(of_page(text))
                    ran = try_all(name, dict.fromkeys(examples), f"{tmp}/{os.path.basename(name)}", env)
                    print(f"{name}: {ran} examples ran")
                    if ran < least:
                        bad(f"{name}: {ran} examples ran, not {least} or more")
            finally:
                responder.terminate()
    return failed


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])))
