"""coverage.py BUILD: lines of src/ that the tests of a --coverage build ran, file by file, by gcov."""
import collections
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def line_counts(build):
    """{file: {line: times run}} over all objects of the build."""
    counts = collections.defaultdict(lambda: collections.defaultdict(int))
    for folder, _, files in os.walk(build):
        notes = [os.path.join(folder, name) for name in files if name.endswith(".gcno")]
        if not notes:
            continue
        done = subprocess.run(["gcov", "--json-format", "--stdout", *notes], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True)
        for document in done.stdout.splitlines():
            for file in json.loads(document)["files"] if document else []:
                path = os.path.relpath(os.path.join(TOP, file["file"]), TOP)
                if path.startswith("src" + os.sep):
                    for line in file["lines"]:
                        counts[path][line["line_number"]] += line["count"]
    return counts


def ranges(lines):
    """[3, 4, 5, 9] -> '3-5 9'"""
    text, start, last = [], None, None
    for line in [*lines, None]:
        if start is not None and (line is None or line != last + 1):
            text.append(str(start) if start == last else f"{start}-{last}")
            start = None
        if start is None:
            start = line
        last = line
    return " ".join(text)


def main(build):
    total = hit = 0
    for path, lines in sorted(line_counts(os.path.abspath(build)).items()):
        missed = sorted(line for line, count in lines.items() if not count)
        total += len(lines)
        hit += len(lines) - len(missed)
        print(f"{100 * (1 - len(missed) / len(lines)):6.1f}% {path}" + (f"  not run: {ranges(missed)}" if missed else ""))
    print(f"{hit} of {total} lines run, {100 * hit / max(total, 1):.1f}%")


main(sys.argv[1])
