"""count_instructions.py DRIVER: counts the instructions of one call of each of the driver's jobs under callgrind and
compares them with the job's limit. The first call, which may set up what later calls find, is counted apart."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = 500


def instructions(driver, function, calls, folder):
    out = os.path.join(folder, "callgrind.out")
    subprocess.run(
        ["valgrind", "--tool=callgrind", f"--toggle-collect={function}", f"--callgrind-out-file={out}", driver, function,
         str(calls)],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    with open(out, encoding="ascii", errors="replace") as file:
        return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M).group(1))


def main(driver):
    if not shutil.which("valgrind"):
        print("valgrind is not installed (make deps), so no instructions are counted")
        return 77
    listing = subprocess.run([driver], check=True, stdout=subprocess.PIPE, text=True).stdout
    failed = not listing
    with tempfile.TemporaryDirectory() as folder:
        for line in listing.splitlines():
            function, limit = line.split()
            first = instructions(driver, function, 1, folder)
            each = (instructions(driver, function, 1 + CALLS, folder) - first) / CALLS
            verdict = "ok" if 0 < each <= int(limit) else "ABOVE THE LIMIT" if each else "NOTHING COUNTED"
            failed |= verdict != "ok"
            print(f"{function}: {each:.1f} instructions a call, limit {limit}: {verdict}")
    return 1 if failed else 0


sys.exit(main(sys.argv[1]))
