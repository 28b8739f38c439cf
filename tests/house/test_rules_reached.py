"""Every rule of src/base/rules.def is reached by a bad input of the project's own: runs the test programs that record
what they reach (tests/support/rules_reached.h) and compares with the table."""
import glob
import os
import re
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["HURRAY_SOURCE_DIR"], os.environ["HURRAY_BUILD_DIR"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def recorders():
    """The programs of each folder of tests in which some file records rules."""
    for folder in sorted(glob.glob(os.path.join(SOURCE, "tests", "*", ""))):
        if any("rules_reached.h" in read(path) for path in glob.glob(folder + "*.[ch]")) and "/support/" not in folder:
            yield from sorted(os.path.basename(path)[:-2] for path in glob.glob(folder + "test_*.c"))


def reached_by(programs):
    reached = set()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "reached")
        for program in programs:
            done = subprocess.run(
                [os.path.join(BUILD, "tests", program)], env=dict(os.environ, HURRAY_RULES_REACHED=path),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            )
            if done.returncode != 0:
                sys.exit(f"{program} fails:\n{done.stdout[-3000:]}")
            if os.path.exists(path):
                reached.update(read(path).split())
                os.remove(path)
    return reached


def main():
    rules = re.findall(r'^HRY_RULE\(\w+, "([^"]+)", (?:REJECT|LINT|LIMIT), ".+"\)$',
                       read(os.path.join(SOURCE, "src/base/rules.def")), re.M)
    programs = list(recorders())
    reached = reached_by(programs)
    unknown = reached - set(rules)
    missing = [rule for rule in rules if rule not in reached]
    if unknown or len(rules) < 100 or len(rules) != len(set(rules)):
        sys.exit(f"rules.def was not understood: {len(rules)} rules, unknown {sorted(unknown)}")
    if missing:
        sys.exit(f"no bad input of our own reaches {', '.join(missing)}")
    print(f"{len(rules)} rules are reached by {len(programs)} programs")


main()
