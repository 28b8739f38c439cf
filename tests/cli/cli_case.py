"""What the tests of the command share: running it, and inputs in a folder of their own."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import hrry  # noqa: E402

HURRAY = os.environ.get("HURRAY", os.path.join(ROOT, "build", "release", "hurray"))
SHARED = os.environ.get("HURRAY_SHARED_DIR", os.path.join(ROOT, "..", "shared"))


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")

    @property
    def text(self):
        return self.out.decode()

    @property
    def lines(self):
        return self.text.splitlines()

    def json(self):
        return json.loads(self.out, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))


class CliCase(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="hurray-cli-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def needs_format(self, name):
        """Skips a test where the command was built without other formats."""
        if name.encode() not in self.hurray("help", "convert").out:
            self.skipTest("built without other formats")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as out:
            out.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def hurray(self, *args, stdin=b"", env=None):
        full = dict(os.environ, **(env or {}))
        done = subprocess.run([HURRAY, *args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=full,
                              cwd=self.dir, timeout=120)
        return Result(done)

    def ok(self, *args, **more):
        result = self.hurray(*args, **more)
        self.assertEqual((result.code, result.err), (0, ""), (args, result.out[:400]))
        return result

    def fails(self, code, *args, **more):
        """A failing call says why in exactly one line, and never where in our sources."""
        result = self.hurray(*args, **more)
        self.assertEqual(result.code, code, (args, result.err, result.out[:400]))
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 1, result.err)
        self.assertTrue(lines[0].startswith("hurray: "), lines[0])
        result.line = lines[0]
        return result


def floats(*values):
    return struct.pack("<%df" % len(values), *values)


def small_model():
    """A container with what most tests need: two layers out of order, a scalar, an empty tensor, metadata."""
    return hrry.container([
        ("blk.10.w", *hrry.dense("float32", (2, 3), floats(1, 2, 3, 4, 5, 6))),
        ("blk.2.w", *hrry.dense("int8", (4,), bytes([1, 2, 3, 255]))),
        ("scalar", *hrry.dense("float64", (), struct.pack("<d", 1.5))),
        ("empty", *hrry.dense("float32", (0, 3), b"")),
    ], kv=[("general.name", "kleines Modell"), ("layers", 2), ("rate", 0.5), ("on", True), ("blob", b"\0\xff\1"),
           ("list", [1, 2, 3])])
