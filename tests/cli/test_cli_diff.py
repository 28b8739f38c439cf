#!/usr/bin/env python3
"""diff: each kind of difference, tolerances, and what makes none."""

import struct
import unittest

from cli_case import CliCase, floats, hrry
from values_case import model_of

NAN, INF = float("nan"), float("inf")


class Diff(CliCase):
    def pair(self, a, b, kv_a=None, kv_b=None):
        self.write("a.hrry", model_of(*a, kv=kv_a))
        self.write("b.hrry", model_of(*b, kv=kv_b))

    def diff(self, *args):
        result = self.hurray("diff", "a.hrry", "b.hrry", "--json", *args)
        doc = result.json()
        self.assertEqual((result.code, result.err), (0 if doc["equal"] else 1, ""))
        return [{key: value for key, value in d.items()} for d in doc["differences"]]

    def test_equal(self):
        w = ("w", "float32", (2, 3), floats(1, 2, NAN, -0.0, INF, 6))
        v = ("w", "float32", (2, 3), floats(1, 2, NAN, 0.0, INF, 6))
        self.pair([w, ("x", "int8", (1,), b"\1")], [("x", "int8", (1,), b"\1"), v], [("k", 1)], [("k", 1)])
        self.assertEqual(self.diff(), [])
        self.assertEqual(self.ok("diff", "a.hrry", "b.hrry").text, "")
        self.ok("relayout", "a.hrry", "col.hrry", "--layout", "col", "-q")
        self.ok("diff", "a.hrry", "col.hrry", "-j", "2")

    def test_names_types_shapes_metadata(self):
        self.pair([("a", "int8", (2,), b"\1\2"), ("t", "float32", (2,), floats(1, 2)), ("s", "int8", (4,), bytes(4))],
                  [("b", "int8", (2,), b"\1\2"), ("t", "float16", (2,), struct.pack("<2e", 1, 2)),
                   ("s", "int8", (2, 2), bytes(4))],
                  [("same", 1), ("left", "x"), ("k", 1)], [("same", 1), ("right", "x"), ("k", 2)])
        self.assertEqual(self.diff(), [
            {"kind": "tensor", "name": "a", "only_in": "a"},
            {"kind": "shape", "name": "s", "a": "[4]", "b": "[2,2]"},
            {"kind": "type", "name": "t", "a": "float32", "b": "float16"},
            {"kind": "tensor", "name": "b", "only_in": "b"},
            {"kind": "metadata", "name": "left", "only_in": "a"}, {"kind": "metadata", "name": "k"},
            {"kind": "metadata", "name": "right", "only_in": "b"}])
        result = self.hurray("diff", "a.hrry", "b.hrry")
        self.assertEqual((result.code, len(result.lines)), (1, 7))
        self.assertEqual(result.lines[0], "a: only in a.hrry")
        self.assertEqual(self.diff("--include", "t")[0]["kind"], "type")

    def test_values(self):
        self.pair([("w", "float32", (4,), floats(1, 2, -4, NAN))], [("w", "float32", (4,), floats(1, 2.5, -4.25, 1))])
        self.assertEqual(self.diff(), [{"kind": "values", "name": "w", "count": 4, "different": 3, "beyond": 3,
                                        "unlike": 1, "max_absolute": 0.5, "max_relative": 0.25}])
        self.assertEqual(self.diff("--atol", "0.3")[0]["beyond"], 2)
        self.assertEqual(self.diff("--rtol", "0.1")[0]["beyond"], 2)
        self.assertEqual(self.diff("--atol", "1")[0]["beyond"], 1)
        self.assertIn("3 of 4 values differ", self.hurray("diff", "a.hrry", "b.hrry").text)
        for bad in ("x", "", "-1", "nan", "1x"):
            self.fails(2, "diff", "a.hrry", "b.hrry", "--atol", bad)

    def test_wide_integers(self):
        """Float64 holds none of these apart."""
        self.pair([("i", "int64", (2,), struct.pack("<2q", 2**62, -2**63)), ("u", "uint64", (1,), struct.pack("<Q", 2**64 - 1))],
                  [("i", "int64", (2,), struct.pack("<2q", 2**62 + 1, -2**63)), ("u", "uint64", (1,), struct.pack("<Q", 2**64 - 4))])
        found = self.diff()
        self.assertEqual([(d["name"], d["beyond"], d["max_absolute"]) for d in found], [("i", 1, 1), ("u", 1, 3)])
        self.assertEqual(self.diff("--atol", "3"), [])

    def test_quantized(self):
        """[0, 0.5, 1, 1.5] by two scales: the values are the same, the codes are not."""
        for name, scale, codes in (("a", 0.5, [0, 1, 2, 3]), ("b", 0.25, [0, 2, 4, 6])):
            desc = hrry.descriptor("int8", (4,), buffers=[4], quantization=hrry.per_tensor(scale, 0))
            self.write(name + ".hrry", hrry.container([("q", desc, [bytes(codes)])]))
        self.assertEqual(self.diff(), [])
        self.assertEqual([(d["beyond"], d["max_absolute"]) for d in self.diff("--stored")], [(3, 3)])
        self.write("a.hrry", model_of(("q", "float32", (4,), floats(0, 0.5, 1, 1.75))))
        self.assertEqual([(d["kind"], d["beyond"], d["max_absolute"]) for d in self.diff()], [("values", 1, 0.25)])

    def test_other_formats(self):
        self.needs_format("safetensors")
        self.write("a.hrry", model_of(("w", "float32", (2,), floats(1, 2))))
        self.ok("convert", "a.hrry", "a.safetensors")
        self.ok("diff", "a.hrry", "a.safetensors")

    def test_failures(self):
        self.write("a.hrry", model_of(("w", "float32", (2,), floats(1, 2))))
        self.fails(2, "diff", "a.hrry")
        self.fails(2, "diff", "a.hrry", "absent.hrry")
        self.write("dyn.hrry", hrry.container([("w", hrry.descriptor("float32", (hrry.DYNAMIC,), buffers=[8]),
                                                [floats(1, 2)])]))
        self.assertIn("[F-T04]", self.fails(1, "diff", "dyn.hrry", "dyn.hrry").line)


if __name__ == "__main__":
    unittest.main()
