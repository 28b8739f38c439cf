#!/usr/bin/env python3
"""split and merge: nothing lost, nothing twice."""

import os
import unittest

from cli_case import CliCase, hrry, small_model


def model(count=6, size=10000):
    member = [hrry.descriptor("int8", (2,), buffers=[2], shard=hrry.shard((4,), (at,))) for at in (0, 2)]
    tensors = [("t%d" % k, *hrry.dense("uint8", (size,), bytes([k]) * size)) for k in range(count)]
    tensors[2:2] = [("head", hrry.composite(1, 0, 2, "int8", (4,)), []), ("m0", member[0], [b"ab"]),
                    ("m1", member[1], [b"cd"])]
    return hrry.container(tensors, kv=[("name", "x"), ("n", 7)])


class Parts(CliCase):
    def content(self, name):
        data = self.read(name)
        doc = self.ok("info", "--json", name).json()
        tensors = sorted(doc["tensors"], key=lambda t: t["descriptor_offset"])
        return doc["kv"], [(t["name"], t["type"], t["shape"], data[t["data_offset"]:][:t["data_length"]])
                           for t in tensors]

    def test_there_and_back(self):
        self.write("m.hrry", model())
        names = self.ok("split", "m.hrry", "--max-size", "40K").lines
        count = len(names)
        self.assertGreater(count, 1)
        self.assertEqual(names, ["m-%05d-of-%05d.hrry" % (k + 1, count) for k in range(count)])
        seen = []
        for k, name in enumerate(names):
            self.assertLessEqual(os.path.getsize(self.path(name)), 40 << 10)
            self.ok("check", "--lint", name)
            kv, tensors = self.content(name)
            self.assertEqual({key: kv[key] for key in kv if key.startswith("split.")},
                             {"split.no": {"type": "uint64", "value": k},
                              "split.count": {"type": "uint64", "value": count},
                              "split.tensors.count": {"type": "uint64", "value": 9}})
            self.assertEqual("name" in kv, k == 0)
            seen += tensors
        self.assertEqual(seen, self.content("m.hrry")[1])
        self.ok("merge", *reversed(names), "-o", "back.hrry")
        self.assertEqual(self.content("back.hrry"), self.content("m.hrry"))

    def test_trees_stay_together(self):
        self.write("m.hrry", model())
        for name in self.ok("split", "m.hrry", "--max-size", "1", "-q").lines:
            tensors = [tensor[0] for tensor in self.content(name)[1]]
            self.assertIn(tensors, [["t%d" % k] for k in range(6)] + [["head", "m0", "m1"]])

    def test_too_large_a_tensor_is_said(self):
        self.write("m.hrry", model(2))
        result = self.hurray("split", "m.hrry", "--max-size", "10K")
        self.assertEqual(result.code, 0)
        self.assertIn("t0", result.err)
        self.assertIn("above the limit", result.err)

    def test_missing_and_doubled_parts(self):
        self.write("m.hrry", model())
        names = self.ok("split", "m.hrry", "--max-size", "40K").lines
        before = sorted(os.listdir(self.dir))
        self.assertGreaterEqual(len(names), 3)
        result = self.hurray("merge", names[0], "-o", "back.hrry")
        self.assertEqual(result.code, 1)
        self.assertEqual(len(result.err.splitlines()), len(names) - 1)
        for k in range(2, len(names) + 1):
            self.assertIn("part %d of %d is missing" % (k, len(names)), result.err)
        result = self.hurray("merge", *names, names[1], "-o", "back.hrry")
        self.assertEqual(result.code, 1)
        self.assertIn(names[1], result.err)
        self.ok("kv", "set", names[0], "split.tensors.count", "10", "--type", "uint64")
        self.assertIn("9 tensors, not 10", self.fails(1, "merge", *names, "-o", "back.hrry").line)
        self.write("other.hrry", small_model())
        self.assertEqual(self.hurray("merge", *names, "other.hrry", "-o", "back.hrry").code, 1)
        self.assertEqual(sorted(os.listdir(self.dir)), sorted(before + ["other.hrry"]))

    def test_any_files(self):
        one = hrry.dense("int8", (1,), b"\1")
        self.write("a.hrry", hrry.container([("x", *one)], kv=[("k", 1), ("same", "s")]))
        self.write("b.hrry", hrry.container([("y", *one)], kv=[("same", "s"), ("l", 2)], alignment=65536))
        self.ok("merge", "a.hrry", "b.hrry", "-o", "ab.hrry")
        kv, tensors = self.content("ab.hrry")
        self.assertEqual([t[0] for t in tensors], ["x", "y"])
        self.assertEqual(list(kv), ["k", "same", "l"])
        self.assertEqual(self.ok("info", "--json", "ab.hrry").json()["container"]["alignment"], 65536)
        self.fails(2, "merge", "a.hrry", "b.hrry")
        self.fails(2, "merge", "a.hrry", "b.hrry", "-o", "ab.hrry")
        self.fails(2, "merge", "a.hrry", "absent.hrry", "-o", "new.hrry")
        self.assertFalse(os.path.exists(self.path("new.hrry")))

    def test_double_names_are_listed(self):
        one = hrry.dense("int8", (1,), b"\1")
        self.write("a.hrry", hrry.container([("x", *one), ("y", *one), ("z", *one)]))
        self.write("b.hrry", hrry.container([("y", *one), ("x", *one), ("w", *one)]))
        result = self.hurray("merge", "a.hrry", "b.hrry", "-o", "ab.hrry")
        self.assertEqual(result.code, 1)
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertIn(": x: ", lines[0])
        self.assertIn(": y: ", lines[1])
        self.assertFalse(os.path.exists(self.path("ab.hrry")))

    def test_differing_metadata(self):
        one = hrry.dense("int8", (1,), b"\1")
        self.write("a.hrry", hrry.container([("x", *one)], kv=[("k", 1)]))
        self.write("b.hrry", hrry.container([("y", *one)], kv=[("k", 2)]))
        self.fails(1, "merge", "--strict", "a.hrry", "b.hrry", "-o", "ab.hrry")
        self.assertFalse(os.path.exists(self.path("ab.hrry")))
        result = self.fails(0, "merge", "a.hrry", "b.hrry", "-o", "ab.hrry")
        self.assertIn("b.hrry: k: warning", result.line)
        self.assertEqual(self.content("ab.hrry")[0]["k"]["value"], 1)

    def test_where_parts_go(self):
        self.write("m.hrry", model())
        os.mkdir(self.path("sub"))
        self.assertTrue(all(name.startswith("sub/m-0") for name in
                            self.ok("split", "m.hrry", "--max-size", "1G", "-o", "sub").lines))
        self.assertEqual(self.ok("split", "m.hrry", "--max-size", "1G", "-o", "sub/x").lines,
                         ["sub/x-00001-of-00001.hrry"])
        self.assertIn("--force", self.fails(2, "split", "m.hrry", "--max-size", "1G", "-o", "sub").line)
        self.ok("split", "m.hrry", "--max-size", "1G", "-o", "sub", "--force")
        for size in ("", "0", "x", "1X", "-1", "1.5G", "99999999999999999999"):
            self.fails(2, "split", "m.hrry", "--max-size", size)
        self.fails(2, "split", "m.hrry")

    def test_no_half_sets(self):
        self.write("m.hrry", model())
        names = self.ok("split", "m.hrry", "--max-size", "40K").lines
        for name in names[:-1]:
            os.unlink(self.path(name))
        self.fails(2, "split", "m.hrry", "--max-size", "40K")
        self.assertEqual(sorted(os.listdir(self.dir)), sorted(["m.hrry", names[-1]]))


if __name__ == "__main__":
    unittest.main()
