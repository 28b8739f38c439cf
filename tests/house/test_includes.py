"""Holds the tree to its plan: a room includes only what CONTRIBUTING.md lets it include, file names are unique, and no
C file is too long to read."""
import collections
import os
import re
import sys

TOP = os.environ.get("HURRAY_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONGEST = 600
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def room_table():
    """The rows of CONTRIBUTING.md's table of rooms: room -> rooms it may include."""
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", read("CONTRIBUTING.md"), re.M)
    table = {room: set(re.findall(r"`(\w+)`", allowed)) for room, allowed in rows}
    for room, allowed in table.items():
        unknown = allowed - set(table)
        if unknown or room in allowed:
            sys.exit(f"CONTRIBUTING.md: the row of {room} names {', '.join(unknown) or 'itself'}")
    return table


def sources(*folders):
    for folder in folders:
        for path, subfolders, files in os.walk(os.path.join(TOP, folder)):
            subfolders.sort()
            for name in sorted(files):
                yield os.path.relpath(os.path.join(path, name), TOP)


def fault_of_include(path, bracket, target, table):
    """Why this include is not allowed, or None."""
    room = path.split(os.sep)[1]
    if bracket == "<":
        if target.startswith("hurray/") and not os.path.exists(os.path.join(TOP, "include", target)):
            return "no such public header"
        return None
    if not os.path.exists(os.path.join(TOP, "src", target)):
        return 'a header of ours is named from src/: "room/file.h"'
    other = target.split("/")[0]
    if other != room and other not in table[room]:
        return f"{room} may not include {other}"
    if room == other == "interop":
        folders = [os.path.dirname(os.path.join("src", target)), os.path.dirname(path)]
        if folders[0] not in ("src/interop", folders[1]):
            return "one foreign format may not include another"
    return None


def include_faults(table):
    for path in sources("src"):
        if path.split(os.sep)[1] not in table:
            yield f"{path}: CONTRIBUTING.md has no such room"
            continue
        if not path.endswith((".c", ".h", ".inc", ".def")):
            continue
        for bracket, target in INCLUDE.findall(read(path)):
            fault = fault_of_include(path, bracket, target, table)
            if fault:
                yield f"{path}: includes {target}: {fault}"
    for path in sources("include"):
        for bracket, target in INCLUDE.findall(read(path)):
            if bracket == '"':
                yield f"{path}: includes {target}: a public header includes <hurray/...> and the standard library"


def name_faults():
    places = collections.defaultdict(list)
    for path in sources("include/hurray", "src", "tests", "fuzz", "bench", "examples"):
        if path.endswith((".c", ".h", ".py", ".sh")):
            places[os.path.basename(path)].append(path)
    for paths in places.values():
        if len(paths) > 1:
            yield f"one name for several files: {', '.join(paths)}"


def length_faults():
    for path in sources("include", "src", "tests", "fuzz", "bench", "examples"):
        if path.endswith((".c", ".h")):
            lines = read(path).count("\n")
            if lines > LONGEST:
                yield f"{path}: {lines} lines, more than {LONGEST}"


def main():
    table = room_table()
    if len(table) < 10:
        sys.exit("CONTRIBUTING.md: the table of rooms was not found")
    faults = [*include_faults(table), *name_faults(), *length_faults()]
    print("\n".join(faults) or f"{len(table)} rooms keep to the plan")
    return 1 if faults else 0


sys.exit(main())
