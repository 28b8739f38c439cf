#!/usr/bin/env python3
"""Calling the command: version, help, options, exit codes, pipes, locales, read-only places."""

import os
import stat
import subprocess
import unittest

from cli_case import CliCase, HURRAY, small_model

COMMANDS = ["info", "check", "inspect", "convert", "registry", "help"]


class Call(CliCase):
    def test_version(self):
        with open(os.path.join(os.environ.get("HURRAY_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "..", "..")),
                               "src", "base", "version.c")) as source:
            version = source.read().split('return "')[1].split('"')[0]
        self.assertEqual(self.ok("--version").text, "hurray %s\n" % version)

    def test_help_lists_every_command(self):
        text = self.ok("help").text
        self.assertEqual(self.ok("--help").text, text)
        for command in COMMANDS:
            self.assertIn("  %s" % command, text)
            own = self.ok("help", command).text
            self.assertEqual(self.ok(command, "--help").text, own)
            self.assertEqual(self.ok(command, "-h").text, own)
            self.assertTrue(own.startswith("usage: hurray %s " % command), own)

    def test_wrong_calls(self):
        path = self.write("m.hrry", small_model())
        for args in [(), ("nothing",), ("--nothing",), ("help", "nothing"), ("info",), ("info", "--nothing", path),
                     ("info", "-z", path), ("info", "--json=yes", path), ("inspect", "--tensor"),
                     ("inspect", path, path), ("registry", path), ("info", "-j", "0", path), ("info", "-j", "x", path),
                     ("convert", path), ("convert", path, "a.hrry", "b.hrry"), ("convert", path, "a.hrry", "-o", "b"),
                     ("convert", path, "a.unknown"), ("convert", path, "a.hrry", "--to", "unknown"),
                     ("convert", path, "a.hrry", "--from", "unknown")]:
            with self.subTest(args=args):
                result = self.fails(2, *args)
                self.assertEqual(result.out, b"")
        self.assertEqual(os.listdir(self.dir), ["m.hrry"])

    def test_option_forms(self):
        path = self.write("m.hrry", small_model())
        want = self.ok("info", "--include", "blk*", "--bytes", path).text
        self.assertEqual(self.ok("info", "--include=blk*", path, "--bytes").text, want)
        self.assertEqual(self.ok("info", "-qj2", "--include=blk*", "--bytes", "--", path).text, want)
        self.assertEqual(self.ok("ls", "-j", "2", "--include=blk*", "--bytes", path).text, want)

    def test_missing_file(self):
        for command in ("info", "check", "inspect"):
            result = self.fails(2, command, "absent.hrry")
            self.assertEqual(result.line, "hurray: absent.hrry: No such file or directory")
            if command != "inspect":
                self.assertEqual(self.fails(2, command, "--json", "absent.hrry").out, b"")
                self.assertEqual(self.hurray(command, "--json", "absent.hrry", "absent.hrry").json(), [])
        self.assertIn("Is a directory", self.fails(2, "info", self.dir).line)

    def test_worst_code_wins(self):
        good, bad = self.write("good.hrry", small_model()), self.write("bad.hrry", b"x" * 200)
        self.assertEqual(self.hurray("check", good, bad).code, 1)
        self.assertEqual(self.hurray("check", bad, good).code, 1)
        self.assertEqual(self.hurray("check", bad, "absent", good).code, 2)
        result = self.hurray("info", bad, good)
        self.assertEqual(result.code, 1)
        self.assertIn("blk.2.w", result.text)

    def test_same_in_every_locale(self):
        path = self.write("m.hrry", small_model())
        for args in [("info", path), ("info", "--json", path), ("info", "--long", path), ("inspect", path)]:
            plain = self.ok(*args, env={"LC_ALL": "C"}).out
            self.assertEqual(self.ok(*args, env={"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}).out, plain)

    def test_quiet_on_a_closed_pipe(self):
        path = self.write("m.hrry", small_model())
        for ignored in (True, False):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([HURRAY, "inspect", path], stdout=write, stderr=subprocess.PIPE,
                                  restore_signals=ignored)
            os.close(write)
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        path = self.write("m.hrry", small_model())
        with open("/dev/full", "wb") as full:
            done = subprocess.run([HURRAY, "info", path], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, b"hurray: standard output: No space left on device\n")

    def test_reading_leaves_everything_alone(self):
        path = self.write("m.hrry", small_model())
        os.chmod(path, 0o444)
        os.chmod(self.dir, 0o555)
        self.addCleanup(os.chmod, self.dir, 0o755)
        before = os.stat(path)
        for args in [("info",), ("check", "--lint"), ("inspect",), ("info", "--map")]:
            self.ok(*args, path)
        after = os.stat(path)
        self.assertEqual((before.st_mtime_ns, stat.S_IMODE(before.st_mode)),
                         (after.st_mtime_ns, stat.S_IMODE(after.st_mode)))
        self.assertEqual(self.read("m.hrry"), small_model())
        self.assertEqual(os.listdir(self.dir), ["m.hrry"])


if __name__ == "__main__":
    unittest.main()
