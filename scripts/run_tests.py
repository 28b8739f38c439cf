"""run_tests.py: what `make test` does. Builds with warnings as errors and runs every test, then runs the unit tests and
the fuzz corpora once more under the address and undefined-behaviour sanitizers. The last line counts test cases."""
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PRESETS = ("test", "asan")


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.notes = []

    def add(self, passed, failed, skipped):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped


def last_number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def cases_of(output):
    """How many cases one executable says it ran: (passed, failed, skipped), or None when it does not say."""
    if "[==========]" in output:
        return tuple(
            sum(int(n) for n in re.findall(rf"^\[  {word} *\] (\d+) test\(s\)", output, re.M))
            for word in ("PASSED", "FAILED", "SKIPPED")
        )
    ran = re.search(r"^Ran (\d+) tests? in ", output, re.M)
    if ran:
        failed = last_number(r"failures=(\d+)", output) + last_number(r"errors=(\d+)", output)
        skipped = last_number(r"skipped=(\d+)", output)
        return int(ran.group(1)) - failed - skipped, failed, skipped
    return None


def shortened(output, most=60):
    lines = output.rstrip().splitlines()
    return "\n".join(lines if len(lines) <= most else [f"... {len(lines) - most} lines", *lines[-most:]])


def count(case, tally, where):
    output = case.findtext("system-out") or ""
    name = case.get("name")
    if case.find("failure") is not None or case.get("status") == "fail":
        passed, failed, skipped = cases_of(output) or (0, 0, 0)
        tally.add(passed, max(failed, 1), skipped)
        tally.notes.append(f"FAILED {where}: {name}\n{shortened(output)}")
    elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        tally.add(0, 0, 1)
        tally.notes.append(f"skipped {where}: {name}: {output.strip().splitlines()[-1] if output.strip() else ''}")
    else:
        passed, failed, skipped = cases_of(output) or (1, 0, 0)
        tally.add(passed, failed, skipped)
        if skipped:
            tally.notes.append(f"skipped {where}: {skipped} in {name}")


def run(tally, what, command, **options):
    """Runs one step of the build. A step that fails counts as a failed test and shows its output."""
    started = time.monotonic()
    done = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    print(f"{what}: {'ok' if done.returncode == 0 else 'FAILED'}, {time.monotonic() - started:.0f} s", flush=True)
    if done.returncode != 0:
        tally.add(0, 1, 0)
        lines = [line for line in done.stdout.splitlines() if re.search(r"error|warning|FAILED|undefined", line)]
        tally.notes.append(f"FAILED {what}\n" + "\n".join(lines[:40] or done.stdout.splitlines()[-40:]))
    return done.returncode == 0


def test(tally, preset, jobs):
    if not run(tally, f"{preset}: configure", ["cmake", "--preset", preset]):
        return
    if not run(tally, f"{preset}: build", ["cmake", "--build", "--preset", preset]):
        return
    report = os.path.join(TOP, "build", preset, "tests.xml")
    if os.path.exists(report):
        os.remove(report)
    started = time.monotonic()
    environment = dict(os.environ, CTEST_OUTPUT_ON_FAILURE="0")
    subprocess.run(
        ["ctest", "-j", str(jobs), "--output-junit", report, "--quiet", "--timeout", "300",
         "--test-output-size-passed", "1000000", "--test-output-size-failed", "1000000"],
        cwd=os.path.join(TOP, "build", preset), env=environment, check=False,
    )
    if not os.path.exists(report):
        tally.add(0, 1, 0)
        tally.notes.append(f"FAILED {preset}: ctest wrote no report")
        return
    cases = list(xml.parse(report).getroot().iter("testcase"))
    if not cases:
        tally.add(0, 1, 0)
        tally.notes.append(f"FAILED {preset}: ctest ran nothing")
    before = tally.failed
    for case in cases:
        count(case, tally, preset)
    verdict = "ok" if tally.failed == before else "FAILED"
    print(f"{preset}: {len(cases)} test programs: {verdict}, {time.monotonic() - started:.0f} s", flush=True)


def main():
    tally = Tally()
    for preset in PRESETS:
        test(tally, preset, os.cpu_count() or 2)
    for note in tally.notes:
        print(note)
    line = f"{tally.passed} passed, {tally.failed} failed"
    print(line + (f", {tally.skipped} skipped" if tally.skipped else ""))
    sys.exit(1 if tally.failed or not tally.passed else 0)


main()
