#!/usr/bin/env python3
"""kv and rename: metadata and names changed, everything else as it was."""

import os
import stat
import unittest

from cli_case import CliCase, hrry, small_model


class Edit(CliCase):
    def setUp(self):
        super().setUp()
        self.model = self.write("m.hrry", small_model())

    def doc(self, name="m.hrry"):
        return self.ok("info", "--json", name).json()

    def data_of(self, name="m.hrry"):
        bytes_ = self.read(name)
        return [bytes_[t["data_offset"]:t["data_offset"] + t["data_length"]] for t in self.doc(name)["tensors"]]

    def test_list_and_get(self):
        self.assertEqual(self.ok("kv", "list", self.model).lines[1], "layers  int64  2")
        doc = self.ok("kv", "list", "--json", self.model).json()
        self.assertEqual((list(doc), doc["kv"]), (["file", "kv"], self.doc()["kv"]))
        self.assertEqual(self.ok("kv", "get", self.model, "general.name").text, "kleines Modell\n")
        self.assertEqual(self.ok("kv", "get", self.model, "blob", "rate").text, "00ff01\n0.5\n")
        self.assertEqual(self.ok("kv", "get", "--json", self.model, "layers").json()["kv"],
                         {"layers": {"type": "int64", "value": 2}})
        self.assertEqual(self.fails(1, "kv", "get", self.model, "none").line,
                         "hurray: %s: none: there is no such key" % self.model)

    def test_set_guesses_types(self):
        before = self.data_of()
        for text, type, value in [("5", "int64", 5), ("-5", "int64", -5), ("9223372036854775808", "uint64", 2**63),
                                  ("18446744073709551616", "float64", 2.0**64), ("1.5", "float64", 1.5),
                                  ("-.5", "float64", -0.5), ("1e3", "float64", 1000.0), ("true", "bool", True),
                                  ("false", "bool", False), ("True", "string", "True"), ("", "string", ""),
                                  ("nan", "string", "nan"), ("0x10", "string", "0x10"), ("1,5", "string", "1,5"),
                                  ("1.2.3", "string", "1.2.3"), ("5 ", "string", "5 "), ("ü", "string", "ü")]:
            with self.subTest(text):
                self.ok("kv", "set", self.model, "k", text, env={"LC_ALL": "de_DE.UTF-8"})
                self.assertEqual(self.doc()["kv"]["k"], {"type": type, "value": value})
        self.assertEqual(self.data_of(), before)
        self.assertEqual(list(self.doc()["kv"])[-1], "k")
        self.ok("check", "--lint", self.model)

    def test_set_with_a_type(self):
        for type, text, value in [("string", "5", "5"), ("uint64", "5", 5), ("int64", "-5", -5),
                                  ("float64", "5", 5.0), ("float64", "inf", "Infinity"), ("float64", "nan", "NaN"),
                                  ("bool", "true", True), ("bytes", "00ff", "AP8="), ("bytes", "", "")]:
            with self.subTest(type=type, text=text):
                self.ok("kv", "set", "--type", type, self.model, "k", text)
                self.assertEqual(self.doc()["kv"]["k"], {"type": type, "value": value})
        before = self.read("m.hrry")
        for type, text in [("int64", "x"), ("int64", "9223372036854775808"), ("uint64", "-1"), ("bool", "1"),
                           ("bytes", "0"), ("bytes", "zz"), ("float64", ""), ("float64", "1x"), ("array", "1"),
                           ("none", "1")]:
            with self.subTest(type=type, text=text):
                self.fails(2, "kv", "set", "--type", type, self.model, "k", text)
        self.assertEqual(self.read("m.hrry"), before)

    def test_set_several_and_replace(self):
        self.ok("kv", "set", self.model, "layers", "3", "new", "x")
        kv = self.doc()["kv"]
        self.assertEqual((kv["layers"]["value"], kv["new"]["value"]), (3, "x"))
        self.assertEqual(list(kv), ["general.name", "layers", "rate", "on", "blob", "list", "new"])
        self.fails(2, "kv", "set", self.model, "odd")
        self.fails(2, "kv", "set", self.model, "a", "1", "odd")

    def test_remove(self):
        self.ok("kv", "rm", self.model, "layers", "on")
        self.assertEqual(list(self.doc()["kv"]), ["general.name", "rate", "blob", "list"])
        before = self.read("m.hrry")
        self.fails(1, "kv", "rm", self.model, "rate", "none")
        self.assertEqual(self.read("m.hrry"), before)

    def test_elsewhere_and_dry(self):
        before = self.read("m.hrry")
        self.ok("kv", "set", self.model, "k", "1", "-o", "other.hrry")
        self.assertEqual(self.doc("other.hrry")["kv"]["k"]["value"], 1)
        self.fails(2, "kv", "rm", self.model, "layers", "-o", "other.hrry")
        result = self.hurray("kv", "rm", "--dry-run", self.model, "layers")
        self.assertEqual(result.code, 0)
        self.assertTrue(result.err.startswith("would write "), result.err)
        self.assertEqual(self.read("m.hrry"), before)
        self.ok("kv", "set", "-", "k", "2", "-o", "piped.hrry", stdin=before)
        self.assertEqual(self.doc("piped.hrry")["kv"]["k"]["value"], 2)
        self.fails(2, "kv", "set", "-", "k", "2", stdin=before)

    def test_mode_and_links_are_kept(self):
        os.chmod(self.model, 0o640)
        os.symlink("m.hrry", self.path("link.hrry"))
        self.ok("kv", "set", "link.hrry", "k", "1")
        self.assertTrue(os.path.islink(self.path("link.hrry")))
        self.assertEqual(self.doc()["kv"]["k"]["value"], 1)
        self.assertEqual(stat.S_IMODE(os.stat(self.model).st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.dir)), ["link.hrry", "m.hrry"])

    def test_wrong_actions(self):
        for args in [("kv",), ("kv", "show", self.model), ("kv", "list"), ("kv", "list", self.model, "x"),
                     ("kv", "get", self.model), ("kv", "rm", self.model)]:
            self.fails(2, *args)

    def test_bad_keys_are_refused(self):
        before = self.read("m.hrry")
        self.assertNotEqual(self.hurray("kv", "set", self.model, "", "1").code, 0)
        self.assertNotEqual(self.hurray("kv", "set", self.model, b"\xff\xfe", "1").code, 0)
        self.assertEqual(self.read("m.hrry"), before)
        self.assertEqual(os.listdir(self.dir), ["m.hrry"])

    def test_rename(self):
        before = self.data_of()
        self.ok("rename", self.model, "blk.10.w", "blk.2.w", "blk.2.w", "blk.10.w")
        self.assertEqual([t["name"] for t in self.doc()["tensors"]], ["blk.2.w", "blk.10.w", "scalar", "empty"])
        self.assertEqual(self.data_of(), before)
        self.ok("check", self.model)

    def test_rename_refuses(self):
        before = self.read("m.hrry")
        self.assertEqual(self.fails(1, "rename", self.model, "none", "x").line,
                         "hurray: %s: none: there is no such tensor" % self.model)
        self.assertIn("two tensors", self.fails(1, "rename", self.model, "scalar", "empty").line)
        self.fails(2, "rename", self.model, "scalar")
        self.fails(2, "rename", self.model, "scalar", "x", "empty")
        self.assertNotEqual(self.hurray("rename", self.model, "scalar", "").code, 0)
        self.assertEqual(self.read("m.hrry"), before)

    def test_what_only_readers_take_is_carried(self):
        """Dynamic dimensions and other devices' buffers: valid in a file, though no writer of its own makes them."""
        dynamic = hrry.descriptor("int8", (hrry.DYNAMIC,), buffers=[4])
        cuda = hrry.descriptor("int8", (4,), buffers=[hrry.buffer(4, 4096, 1, 1)])
        path = self.write("c.hrry", hrry.container([("d", dynamic, [b"abcd"]), ("g", cuda, [b"efgh"])]))
        self.ok("kv", "set", path, "k", "1")
        tensors = self.doc("c.hrry")["tensors"]
        data = self.read("c.hrry")
        self.assertEqual([data[t["descriptor_offset"]:][:t["descriptor_length"]] for t in tensors], [dynamic, cuda])
        self.assertEqual(self.data_of("c.hrry"), [b"abcd", b"efgh"])

    def test_in_place(self):
        """The same file, byte for byte, as by a copy beside it; an unfinished change is put back by the next command."""
        other = self.write("other.hrry", small_model())
        for path, way in ((self.model, ["--in-place"]), (other, [])):
            self.ok("kv", "set", *way, path, "layers", "a text that is longer than what it takes the place of", "k", "1")
            self.ok("rename", *way, path, "scalar", "empty", "empty", "scalar")
            self.ok("kv", "rm", *way, path, "rate")
        self.assertEqual(self.read("m.hrry"), self.read("other.hrry"))
        self.assertFalse(os.path.exists(self.model + ".undo"))
        self.assertEqual(self.fails(2, "kv", "set", "--in-place", "-o", "x.hrry", self.model, "k", "1").code, 2)
        self.write("m.hrry.undo", b"something else")
        before = self.read("m.hrry")
        self.assertIn("damaged", self.fails(1, "kv", "set", "--in-place", self.model, "k", "2").line)
        self.assertEqual(self.read("m.hrry"), before)

    def test_readers_tell_of_an_unfinished_change(self):
        """They never write: the file is put back by the next command that changes it."""
        before = self.read("m.hrry")
        self.ok("kv", "set", "--in-place", self.model, "k", "1")
        changed = self.read("m.hrry")
        at = next(k for k in range(64, len(before)) if before[k] != changed[k]) // 8 * 8
        undo = (b"HRRYUNDO" + hrry.u64s(at, len(before), len(changed)) + before[:64] + changed[:64]
                + before[at:] + changed[at:])
        self.write("m.hrry.undo", undo + hrry.u32s(hrry.crc32c(undo)))
        torn = changed[:at + 8] + before[at + 8:]
        for data, code in ((changed, 0), (torn, None)):
            self.write("m.hrry", data)
            for command in (("info",), ("check",), ("hash",), ("kv", "list"), ("inspect",)):
                result = self.hurray(*command, self.model)
                lines = [line for line in result.err.splitlines() if "m.hrry.undo is there" in line]
                self.assertEqual(len(lines), 1, result.err)
                self.assertTrue(lines[0].startswith("hurray: %s: warning: " % self.model), lines)
                self.assertTrue(code is None or result.code == code)
                self.assertNotIn("undo", self.hurray(*command, "--quiet", self.model).err)
            self.assertEqual(self.read("m.hrry"), data)
        self.assertIn("unfinished change", self.hurray("kv", "set", self.model, "k", "1").err)
        self.assertEqual(self.hurray("info", self.model).err, "")
        self.write("m.hrry.undo", b"HRRY")  # something else
        self.assertEqual(self.hurray("info", self.model).err, "")

    def test_composites_and_opaque_tensors(self):
        member = [hrry.descriptor("int8", (2,), buffers=[2], shard=hrry.shard((4,), (at,))) for at in (0, 2)]
        private = hrry.descriptor("int8", (4,), 0xF1, hrry.u64s(7) + hrry.u32s(0), buffers=[4])
        path = self.write("c.hrry", hrry.container([
            ("head", hrry.composite(1, 0, 2, "int8", (4,)), []), ("m0", member[0], [b"ab"]),
            ("m1", member[1], [b"cd"]), ("p", private, [b"wxyz"])], sorted_index=True))
        self.fails(1, "kv", "set", path, "k", "1")
        self.ok("kv", "set", "--permissive", path, "k", "1")
        self.ok("rename", "--permissive", path, "m0", "z0")
        doc = self.ok("info", "--json", "--permissive", path).json()
        by_offset = sorted(doc["tensors"], key=lambda t: t["descriptor_offset"])
        self.assertEqual([t["name"] for t in by_offset], ["head", "z0", "m1", "p"])
        self.assertIn("SORTED_INDEX", doc["container"]["flags"])
        data = self.read("c.hrry")
        at = by_offset[3]["descriptor_offset"]
        self.assertEqual(data[at:at + len(private)], private)
        self.assertEqual(data[by_offset[3]["data_offset"]:][:4], b"wxyz")


class Digests(CliCase):
    def test_digests_follow_names(self):
        self.write("m.hrry", small_model())
        self.ok("convert", "m.hrry", "d.hrry", "--digest")
        for args in ("scalar", "other"), ("other", "third", "--in-place"):
            self.ok("rename", "d.hrry", *args)
            kv = self.ok("info", "--json", "d.hrry").json()["kv"]
            self.assertIn("digest.sha256." + args[1], kv)
            self.assertNotIn("digest.sha256." + args[0], kv)
            self.ok("check", "d.hrry")


if __name__ == "__main__":
    unittest.main()
