#!/usr/bin/env python3
"""relayout: the same values wherever they lie, and where that is."""

import itertools
import os
import random
import struct
import unittest

from cli_case import CliCase, floats, hrry
from values_case import codes_of, model_of, pack


class Relayout(CliCase):
    def setUp(self):
        super().setUp()
        rng = random.Random(9)
        self.w = [rng.choice([0, 0, 0, 1, -2, 3.5]) for _ in range(8 * 8)]
        self.write("m.hrry", model_of(("w", "float32", (8, 8), floats(*self.w)),
                                      ("cube", "int16", (2, 3, 4), struct.pack("<24h", *range(24))),
                                      ("q", "int4", (3, 5), pack(4, codes_of(range(-7, 8), 4))), kv=[("k", 1)]))

    def tensor(self, file, name):
        return next(t for t in self.ok("info", "--json", file).json()["tensors"] if t["name"] == name)

    def stored(self, file, name):
        tensor = self.tensor(file, name)
        return self.read(file)[tensor["data_offset"]:][:tensor["buffers"][0]["byte_size"]]

    def move(self, name, layout, *args):
        self.ok("relayout", "m.hrry", "out.hrry", "--force", "--include", name, "--layout", layout, *args)
        self.ok("check", "--lint", "out.hrry")
        self.assertEqual(self.ok("cat", "out.hrry", name, "--format", "raw").out,
                         self.ok("cat", "m.hrry", name, "--format", "raw").out)
        return self.tensor("out.hrry", name)

    def test_names(self):
        for name, layout, want in (("w", "col", "column-major"), ("w", "column-major", "column-major"),
                                   ("w", "row", "row-major"), ("w", "strided:1,8", "strided"),
                                   ("w", "tiled:4x4", "tiled"), ("cube", "tiled:2x2x2/1x1x2", "tiled"),
                                   ("w", "morton", "morton"), ("w", "hilbert", "hilbert"), ("w", "coo", "coo"),
                                   ("w", "csr", "csr"), ("w", "csc", "csc"), ("cube", "csf", "csf"),
                                   ("cube", "csf:2,0,1", "csf"), ("q", "tiled:2x2", "tiled"), ("q", "col", "column-major")):
            with self.subTest(layout):
                self.assertEqual(self.move(name, layout)["layout"], want)
                self.assertEqual(self.move(name, layout, "-j", "2")["layout"], want)
        self.assertEqual(self.move("cube", "csf:2,0,1")["layout_fields"]["mode_order"], [2, 0, 1])

    def test_places(self):
        cube = list(range(24))
        self.move("cube", "col")
        self.assertEqual(self.stored("out.hrry", "cube"), struct.pack(
            "<24h", *[cube[12 * i + 4 * j + k] for k, j, i in itertools.product(range(4), range(3), range(2))]))
        for layout, outer_col, inner_col in (("tiled:4x2", 0, 0), ("tiled:4x2,outer=col", 1, 0),
                                             ("tiled:4x2,inner=col", 0, 1), ("tiled:4x2,outer=col,inner=row", 1, 0)):
            want = [None] * 64
            for i, j in itertools.product(range(8), range(8)):
                tile = (j // 2) * 2 + i // 4 if outer_col else (i // 4) * 4 + j // 2
                inside = (j % 2) * 4 + i % 4 if inner_col else (i % 4) * 2 + j % 2
                want[8 * tile + inside] = self.w[8 * i + j]
            self.move("w", layout)
            self.assertEqual(self.stored("out.hrry", "w"), floats(*want), layout)
        tensor = self.move("w", "csr")
        nonzero = [x for x in self.w if x]
        self.assertEqual(self.stored("out.hrry", "w"), floats(*nonzero))
        self.assertEqual(tensor["layout_fields"]["nnz"], len(nonzero))

    def test_what_does_not_suit(self):
        """Only w is a square of a power of two."""
        result = self.hurray("relayout", "m.hrry", "h.hrry", "--layout", "hilbert")
        self.assertEqual((result.code, len(result.err.splitlines())), (0, 2), result.err)
        self.assertEqual([self.tensor("h.hrry", name)["layout"] for name in ("w", "cube", "q")],
                         ["hilbert", "row-major", "row-major"])
        self.fails(1, "relayout", "m.hrry", "new.hrry", "--layout", "hilbert", "--strict")
        result = self.hurray("relayout", "m.hrry", "new.hrry", "--layout", "csr", "--include", "cube")
        self.assertEqual((result.code, os.path.exists(self.path("new.hrry"))), (1, False))
        result = self.hurray("relayout", "m.hrry", "t.hrry", "--layout", "tiled:4x4", "-q")
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertEqual(self.tensor("t.hrry", "cube")["layout"], "row-major")

    def test_quantized_tensors_keep_their_codes(self):
        desc = hrry.descriptor("int8", (2, 3), buffers=[6, 12], quantization=hrry.per_channel(1, 1))
        self.write("q.hrry", hrry.container([("q", desc, [bytes(range(6)), floats(1, 2, 4)])]))
        self.ok("relayout", "q.hrry", "c.hrry", "--layout", "col")
        self.assertEqual(self.stored("c.hrry", "q"), bytes([0, 3, 1, 4, 2, 5]))
        self.assertEqual(self.ok("cat", "c.hrry", "q").text, "0 2 8\n3 8 20\n")

    def test_composites_become_one(self):
        member = [hrry.descriptor("int8", (2,), buffers=[2], shard=hrry.shard((4,), (at,))) for at in (0, 2)]
        self.write("p.hrry", hrry.container([("g", hrry.composite(3, 0, 2, "int8", (1,)), []),
                                             ("h", hrry.composite(1, 0, 2, "int8", (4,)), []),
                                             ("m0", member[0], [b"\1\2"]), ("m1", member[1], [b"\3\4"]),
                                             ("x", *hrry.dense("int8", (1,), b"\5"))]))
        self.ok("relayout", "p.hrry", "o.hrry", "--layout", "coo")
        tensors = self.ok("info", "--json", "o.hrry").json()["tensors"]
        self.assertEqual(sorted((t["name"], t["layout"]) for t in tensors),
                         [("g", "composite"), ("h", "coo"), ("x", "coo")])
        self.assertEqual(self.ok("cat", "o.hrry", "h").text, "1\n2\n3\n4\n")
        self.ok("check", "--lint", "o.hrry")

    def test_wrong_layouts(self):
        for bad in ("", "x", "row:1", "tiled", "tiled:", "tiled:4", "tiled:0x1", "tiled:4x4/2", "tiled:4x4,outer=x",
                    "tiled:4x4,2", "strided", "strided:1,x", "csf:0,0,1", "csf:0,1,3", "csf:", "composite",
                    "block-paged", "tiled:4x-1", "tiled:4xx4", "coo,", "tiled:" + "/".join(["1x1"] * 9)):
            code = 1 if bad == "tiled:4" else 2
            result = self.hurray("relayout", "m.hrry", "new.hrry", "--layout", bad, "--include", "w")
            self.assertEqual(result.code, code, bad)
        self.fails(2, "relayout", "m.hrry", "new.hrry")
        self.assertFalse(os.path.exists(self.path("new.hrry")))


if __name__ == "__main__":
    unittest.main()
