"""migrate.py UDPACE TOP - does udpace-migrate(7) say what the program says?

Options    each option of ours that the page names is in the program's table.  For each foreign
           word that the command does not have itself, the program names the same option, or
           none where the page has none.  One letter is several options of several tools: letters
           are asked for in the table of iperf3 only, whose letters the program recognises.
Words      each long word of the table in src/opt/foreign.c stands in the page.
Output     each member that the page names is in the document of a sweep, or of round trips
           (latency.json in the current folder).
README     the figures of its table are those of bench/RESULTS.md.

Exit 1: what differs.
"""

import json
import lzma
import re
import subprocess
import sys

failed = 0


def bad(text):
    global failed
    failed = 1
    print("migrate: " + text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rows(page):
    """(section, is a table of options, first cell, second cell) of each row of the tables."""
    section, above, options = "", "", False
    for line in page.splitlines():
        if line.startswith(".Sh "):
            section = line[4:]
        if line.startswith(".It ") and " Ta " in line:
            first, second = line[4:].split(" Ta", 2)[:2]
            if first.startswith("Sy "):
                options = "latency --interval" in above
            else:
                yield section, options, first, second.strip()
        if line.startswith(".Bl -column"):
            above = line


def own(udpace, command):
    """Names and letters of a command's options: {"--size": "size", "-p": "size"}."""
    table = subprocess.run([udpace, "__options", command], stdout=subprocess.PIPE, check=True,
                           universal_newlines=True).stdout
    names = {}
    for row in table.splitlines():
        letter, name = row.split("\t")[1:3]
        names.update({"--" + name: name, **({"-" + letter: name} if letter else {})})
    return names


def look_at_option(udpace, section, first, second):
    words = ["-" + word for word in re.findall(r"Fl (\S+)", first)]
    command = re.search(r"Cm (\S+)", second)
    command = command.group(1) if command else "throughput"
    ours = re.search(r"Fl -(\S+)", second)
    options = own(udpace, command)
    if ours and "--" + ours.group(1) not in options:
        bad(f"{section}: {command} has no option --{ours.group(1)}")
    for word in words:
        if word in options or (word[1] != "-" and section != "IPERF3"):
            continue
        said = subprocess.run([udpace, command, "h", word], stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, universal_newlines=True).stderr
        named = re.search(r"write --([\w-]+)", said)
        if (named and named.group(1)) != (ours and ours.group(1)):
            bad(f"{section}: {word}: the page has '{second}', udpace {command} says: {said}")


def look_at_member(documents, section, member):
    for point in documents:
        for name in member.split("."):
            point = point.get(name, {}) if isinstance(point, dict) else {}
        if point != {}:
            return
    bad(f"{section}: a result has no {member}")


def look_at_figures(top):
    """Each row of README's table with figures, beside the tables of the bench."""
    tools = ("udpace", "iperf3", "iperf", "nuttcp", "sockperf")
    bench = re.split(r"^### ", read(top + "/bench/RESULTS.md"), flags=re.M)
    readme = read(top + "/README.md")
    for row, title, column in (
            ("departures within 0.2 µs of a spacing of 5 µs", "1472 B every 5 µs", 2),
            ("departures within 0.2 µs of a spacing of 10 µs", "1472 B every 10 µs", 2),
            ("frames of 64 bytes received", "As fast as possible, 64 B", 2),
            ("rate received with frames of 1472 bytes", "As fast as possible, 1472 B", 4)):
        table = next(part for part in bench if title in part.splitlines()[0])
        cells = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()]
        found = {cell[1]: cell[column] for cell in cells if len(cell) > column}
        said = next(line for line in readme.splitlines() if line.startswith("| " + row))
        said = [cell.strip(" %") for cell in said.split("|")[2:-1]]
        if said != [found[tool] for tool in tools]:
            bad(f"README: {row}: {said}, bench/RESULTS.md has {[found[tool] for tool in tools]}")


def main(udpace, top):
    page = read(top + "/man/udpace-migrate.7")
    with lzma.open(top + "/doc/sweep.json.xz") as file:
        documents = [json.load(file)["points"][0], json.loads(read("latency.json"))["points"][0]]
    seen = 0
    for section, options, first, second in rows(page):
        seen += 1
        if options:
            look_at_option(udpace, section, first, second)
        else:
            look_at_member(documents, section, second.replace("Cm ", ""))
    if seen < 100:
        bad(f"{seen} rows were found, not 100 or more")
    source = read(top + "/src/opt/foreign.c")
    source = source[:source.index("} commands[]")]
    for words in re.findall(r'^\t{ "([^"]*)"', source, re.M):
        for word in re.findall(r"--([a-z-]+)", words):
            if not re.search(rf"^\.It .*Fl -{word}( .*)?Ta", page, re.M):
                bad(f"the page has no row with --{word} of src/opt/foreign.c")
    look_at_figures(top)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
