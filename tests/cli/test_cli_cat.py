#!/usr/bin/env python3
"""cat: values in every format, and regions as NumPy has them."""

import os
import random
import struct
import subprocess
import unittest

from cli_case import HURRAY, CliCase, floats, hrry
from values_case import codes_of, cut, model_of, nest, pack, read_npy, region_text, strict_json

ints = list(range(-30, 30))


class Cat(CliCase):
    def setUp(self):
        super().setUp()
        self.write("m.hrry", model_of(
            ("w", "float32", (2, 3), floats(1, -0.0, 3.5, 1e30, 0.1, float("nan"))),
            ("i", "int32", (3, 4, 5), struct.pack("<60i", *ints)),
            ("w[0]", "int8", (2,), b"\7\x09"),
            ("d", "float64", (2,), struct.pack("<2d", 0.1, float("-inf"))),
            ("s", "uint64", (), struct.pack("<Q", 2**64 - 1)),
            ("n", "int64", (1,), struct.pack("<q", -2**63)),
            ("b", "bool", (3, 3), pack(1, [1, 0, 0, 1, 1, 0, 1, 0, 1])),
            ("c", "complex64", (2,), floats(1.5, -2, float("inf"), 0.1)),
            ("q", "int4", (3, 3), pack(4, codes_of([-8, -1, 0, 1, 2, 3, 4, 5, 7], 4))),
            ("f6", "float6_e2m3", (5,), pack(6, [0, 8, 31, 32, 63])),
            ("none", "float32", (2, 0), b""),
        ))

    def test_text(self):
        def text(name):
            return self.ok("cat", "m.hrry", name).text
        self.assertEqual(text("w"), "1 -0 3.5\n1.00000002e+30 0.100000001 NaN\n")
        self.assertEqual(text("d"), "0.10000000000000001\n-Infinity\n")
        self.assertEqual(text("s"), "18446744073709551615\n")
        self.assertEqual(text("n"), "-9223372036854775808\n")
        self.assertEqual(text("b"), "true false false\ntrue true false\ntrue false true\n")
        self.assertEqual(text("c"), "[1.5,-2]\n[Infinity,0.100000001]\n")
        self.assertEqual(text("q"), "-8 -1 0\n1 2 3\n4 5 7\n")
        self.assertEqual(text("f6"), "0\n1\n7.5\n-0\n-7.5\n")
        self.assertEqual(text("none"), "")
        rows = [" ".join(map(str, ints[k:k + 5])) for k in range(0, 60, 5)]
        self.assertEqual(text("i"), "\n\n".join("\n".join(rows[k:k + 4]) for k in (0, 4, 8)) + "\n")

    def test_json(self):
        def doc(name):
            return strict_json(self.ok("cat", "m.hrry", name, "--format", "json").text)
        w = doc("w")
        self.assertEqual(w[1][2], "NaN")
        self.assertEqual(struct.pack("<5f", *w[0], *w[1][:2]), floats(1, -0.0, 3.5, 1e30, 0.1))
        self.assertEqual(doc("i"), nest((3, 4, 5), ints))
        self.assertEqual(doc("s"), 2**64 - 1)
        self.assertEqual(doc("n"), [-2**63])
        self.assertEqual(doc("d"), [0.1, "-Infinity"])
        self.assertEqual(doc("b"), [[True, False, False], [True, True, False], [True, False, True]])
        self.assertEqual(doc("c"), [[1.5, -2], ["Infinity", 0.100000001]])
        self.assertEqual(doc("none"), [[], []])
        self.assertEqual(self.ok("cat", "m.hrry", "s", "--json").text, "%d\n" % (2**64 - 1))

    def test_raw(self):
        def raw(*args):
            return self.ok("cat", "m.hrry", *args, "--format", "raw").out
        self.assertEqual(raw("i"), struct.pack("<60i", *ints))
        self.assertEqual(raw("q"), pack(4, codes_of([-8, -1, 0, 1, 2, 3, 4, 5, 7], 4)))
        self.assertEqual(raw("q[:,1]"), pack(4, codes_of([-1, 2, 5], 4)))
        self.assertEqual(raw("b[1:,:]"), pack(1, [1, 1, 0, 1, 0, 1]))
        self.assertEqual(raw("f6[::-1]"), pack(6, [63, 32, 31, 8, 0]))
        self.assertEqual(raw("none"), b"")

    def test_npy(self):
        def npy(*args):
            return read_npy(self.ok("cat", "m.hrry", *args, "--format", "npy").out)
        self.assertEqual(npy("i"), ("<i4", (3, 4, 5), struct.pack("<60i", *ints)))
        self.assertEqual(npy("s"), ("<u8", (), struct.pack("<Q", 2**64 - 1)))
        self.assertEqual(npy("d"), ("<f8", (2,), struct.pack("<2d", 0.1, float("-inf"))))
        self.assertEqual(npy("c"), ("<c8", (2,), floats(1.5, -2, float("inf"), 0.1)))
        self.assertEqual(npy("b[0]"), ("|b1", (3,), b"\1\0\0"))
        self.assertEqual(npy("q"), ("|i1", (3, 3), struct.pack("9b", -8, -1, 0, 1, 2, 3, 4, 5, 7)))
        self.assertEqual(npy("f6"), ("<f4", (5,), floats(0, 1, 7.5, -0.0, -7.5)))
        self.assertEqual(npy("none"), ("<f4", (2, 0), b""))
        self.write("quad.hrry", model_of(("x", "float128", (1,), bytes(14) + b"\xff\x3f")))
        result = self.fails(0, "cat", "quad.hrry", "x", "--format", "npy")
        self.assertIn("float128 becomes float64", result.line)
        self.assertEqual(read_npy(result.out), ("<f8", (1,), struct.pack("<d", 1)))

    def test_regions(self):
        rng = random.Random(4)
        ends = [None, -99, -7, -5, -1, 0, 1, 2, 4, 5, 6, 2**70, -2**70]
        for _ in range(150):
            region = []
            for size in (3, 4, 5)[:rng.randrange(4)]:
                step = rng.choice([None, 1, 2, 3, -1, -2, -7, 99])
                region.append(rng.choice([rng.randrange(-size, size), slice(rng.choice(ends), rng.choice(ends), step)]))
            shape, values = cut((3, 4, 5), ints, region)
            text = region_text(region)
            args = ["i[%s]" % text] if region and rng.random() < 0.5 else ["i", "--region", text or "..."]
            got = strict_json(self.ok("cat", "m.hrry", *args, "--format", "json").text)
            want = nest(shape, values) if all(shape) else got
            self.assertEqual(got, want, text)
            if not all(shape):
                self.assertEqual(read_npy(self.ok("cat", "m.hrry", *args, "--format", "npy").out)[1:], (shape, b""))

    def test_region_forms(self):
        def text(*args):
            return self.ok("cat", "m.hrry", *args).text
        self.assertEqual(text("w[0]"), "7\n9\n", "a tensor of that very name")
        self.assertEqual(text("w[0][1]"), "9\n")
        self.assertEqual(text("w[ 0 , : ]"), "1\n-0\n3.5\n")
        self.assertEqual(text("w", "--region", "[1,0]"), text("w", "--region=1,0"))
        self.assertEqual(text("i[...,-1]"), text("i[:,:,4]"))
        self.assertEqual(text("i[0,...]"), text("i[0]"))
        self.assertEqual(text("i", "-r", "-1,-1,-1"), "29\n")
        self.assertEqual(text("s[...]"), text("s"))

    def test_wrong_regions(self):
        for bad in ("", "x", "1:2:3:4", "1,,2", "::0", "-", "1:-", "...,...", "1]", "[1", "1 2", ":,", "0x1", "1.5"):
            self.fails(2, "cat", "m.hrry", "i", "--region", bad)
        for bad in ("3", "-4", ":,4", "0,0,0,0", "99999999999999999999"):
            self.fails(1, "cat", "m.hrry", "i", "--region", bad)
            self.fails(1, "cat", "m.hrry", "i[%s]" % bad)
        self.assertIn("out of range", self.fails(1, "cat", "m.hrry", "i[3]").line)
        self.fails(1, "cat", "m.hrry", "s[0]")
        self.fails(2, "cat", "m.hrry", "i[0]", "--region", "1")
        self.assertIn("no such tensor", self.fails(1, "cat", "m.hrry", "absent[0]").line)
        self.fails(1, "cat", "m.hrry", "i[0")
        self.fails(2, "cat", "m.hrry", "i", "--format", "csv")
        self.fails(2, "cat", "m.hrry")

    def test_quantized(self):
        """The codes 0..7 with the scale 0.5 and the zero point 3."""
        desc = hrry.descriptor("int8", (2, 4), buffers=[8], quantization=hrry.per_tensor(0.5, 3))
        self.write("q.hrry", hrry.container([("q", desc, [bytes(range(8))])]))
        self.assertEqual(self.ok("cat", "q.hrry", "q").text, "-1.5 -1 -0.5 0\n0.5 1 1.5 2\n")
        self.assertEqual(self.ok("cat", "q.hrry", "q[1]", "--format", "raw").out, floats(0.5, 1, 1.5, 2))
        self.assertEqual(self.ok("cat", "q.hrry", "q", "--stored").text, "0 1 2 3\n4 5 6 7\n")
        npy = self.ok("cat", "q.hrry", "q[0]", "--stored", "--format", "npy").out
        self.assertEqual(read_npy(npy), ("|i1", (4,), bytes(range(4))))

    def test_large(self):
        """Several pieces, of a type whose pieces end inside a byte, and on several threads."""
        shape = (3, 7, 1300001)
        row = random.Random(5).randbytes(-(-shape[2] // 8))
        bits = int.from_bytes(row, "little") & (1 << shape[2]) - 1
        number = sum(bits << (shape[2] * k) for k in range(21))
        data = number.to_bytes(-(-21 * shape[2] // 8), "little")
        self.write("l.hrry", model_of(("x", "bool", shape, data)))
        self.assertEqual(self.ok("cat", "l.hrry", "x", "--format", "raw").out, data)
        self.assertEqual(self.ok("cat", "l.hrry", "x", "--format", "raw", "-j", "3").out, data)
        part = number >> shape[2] & (1 << 3 * shape[2]) - 1
        self.assertEqual(self.ok("cat", "l.hrry", "x[0,1:4]", "--format", "raw").out,
                         part.to_bytes(-(-3 * shape[2] // 8), "little"))
        self.assertEqual(self.ok("cat", "l.hrry", "x[2,6,-1]").text, "%s\n" % str(bool(bits >> shape[2] - 1)).lower())

    def test_outputs(self):
        self.ok("cat", "m.hrry", "i", "--format", "npy", "-o", "i.npy")
        self.assertEqual(read_npy(self.read("i.npy"))[1], (3, 4, 5))
        self.fails(2, "cat", "m.hrry", "w", "-o", "i.npy")
        self.ok("cat", "m.hrry", "w", "-o", "i.npy", "--force")
        self.assertEqual(self.read("i.npy"), self.ok("cat", "m.hrry", "w").out)
        self.fails(1, "cat", "m.hrry", "w[7]", "-o", "new")
        self.fails(2, "cat", "m.hrry", "w", "-o", "no/such/folder")
        self.ok("cat", "m.hrry", "w", "-o", "new", "--dry-run")
        self.assertEqual(sorted(os.listdir(self.dir)), ["i.npy", "m.hrry"])
        self.fails(2, "cat", "m.hrry", "w", "--format", "raw", "-o", "/dev/full")

    def test_pipes(self):
        self.assertEqual(self.ok("cat", "-", "s", stdin=self.read("m.hrry")).text, "%d\n" % (2**64 - 1))
        self.write("z.hrry", model_of(("z", "uint8", (10**7,), bytes(10**7))))
        run = subprocess.Popen([HURRAY, "cat", self.path("z.hrry"), "z"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        self.assertEqual(run.stdout.read(4), b"0\n0\n")
        run.stdout.close()
        self.assertEqual((run.stderr.read(), run.wait(60)), (b"", 0))
        run.stderr.close()

    def test_locale(self):
        for name in ("w", "d", "c"):
            for form in ("text", "json"):
                want = self.ok("cat", "m.hrry", name, "--format", form).out
                for locale in ("C", "de_DE.UTF-8", "tr_TR.UTF-8"):
                    self.assertEqual(self.ok("cat", "m.hrry", name, "--format", form, env={"LC_ALL": locale}).out, want)

    def test_tokens(self):
        """Two sequences of 3 and 1 tokens on pages 2, 0 and 1 of 2 slots, the last of them shared by nobody."""
        buffers = [floats(3, -1, 4, -1, 1, 2), hrry.u32s(2, 0, 1), hrry.u32s(0, 2, 3)]
        fields = hrry.u32s(2) + hrry.u64s(3) + hrry.u32s(0, 2) + b"\0" + hrry.u32s(0) + bytes(7)
        desc = hrry.descriptor("float32", (4, 1, 1), hrry.BLOCK_PAGED, fields, buffers=list(map(len, buffers)))
        self.write("p.hrry", hrry.container([("kv", desc, buffers), ("w", *hrry.dense("float32", (2,), floats(7, 8)))]))
        self.write("d.hrry", hrry.container([("kv", *hrry.dense("float32", (4, 1, 1), floats(1, 2, 3, 4))),
                                             ("w", *hrry.dense("float32", (2,), floats(7, 8)))]))
        want, tokens = floats(1, 2, 3, 4), ("--tokens", "3,1")
        raw = ("--format", "raw")
        self.assertEqual(self.ok("cat", "p.hrry", "kv", *raw, *tokens).out, want)
        self.assertEqual(self.ok("cat", "p.hrry", "kv[1:3]", *raw, *tokens).out, floats(2, 3))
        self.ok("extract", "p.hrry", "-o", "out", *raw, *tokens)
        self.assertEqual(self.read(os.path.join("out", "kv.raw")), want)
        self.ok("diff", "p.hrry", "d.hrry", *tokens)
        self.ok("diff", "d.hrry", "p.hrry", "--stored", *tokens)
        self.assertEqual(self.ok("hash", "p.hrry", *tokens).text.split()[0], self.ok("hash", "d.hrry").text.split()[0])
        stats = self.ok("stats", "--json", "p.hrry", *tokens).json()["tensors"]
        self.assertEqual([(t["value_min"], t["value_max"]) for t in stats], [(1, 4), (7, 8)])
        self.ok("relayout", "p.hrry", "row.hrry", "--layout", "row", *tokens)
        self.ok("diff", "row.hrry", "d.hrry")
        self.ok("slice", "p.hrry", "part.hrry", "kv[2:0:-1]", *tokens)
        self.assertEqual(self.ok("cat", "part.hrry", "kv", *raw).out, floats(3, 2))
        self.assertIn("the token count of each", self.fails(1, "slice", "p.hrry", "no.hrry", "kv[1:3]").line)
        for bad, rule in ((("--tokens", "1,3"), "[L-BP-24]"), (("--tokens", "2,1"), "[L-BP-24]")):
            self.assertIn(rule, self.fails(1, "cat", "p.hrry", "kv", *bad).line)
        for other in ((), ("--tokens", "4"), ("--tokens", "2,1,1")):  # of another tensor
            self.assertIn("the token count of each", self.fails(1, "cat", "p.hrry", "kv", *other).line)
        for text in ("", "3,", ",1", "3;1", "-3,1", "3,x", "99999999999999999999,1"):
            self.assertIn("numbers of tokens", self.fails(2, "cat", "p.hrry", "kv", "--tokens", text).line)

    def test_refused(self):
        self.write("dyn.hrry", hrry.container([("x", hrry.descriptor("int8", (hrry.DYNAMIC,), buffers=[4]), [b"abcd"])]))
        self.assertIn("[F-T04]", self.fails(1, "cat", "dyn.hrry", "x").line)
        fields = hrry.u64s(2) + bytes([1]) + bytes(7)
        coo = hrry.descriptor("int8", (4,), hrry.COO, fields, buffers=[2, 16])
        self.write("coo.hrry", hrry.container([("x", coo, [b"ab", hrry.u64s(1, 4)])]))
        self.assertIn("[L-COO-20]", self.fails(1, "cat", "coo.hrry", "x", "-o", "out").line)
        self.assertFalse(os.path.exists(self.path("out")))
        private = hrry.descriptor(0xF3, (2,), buffers=[4], extension_type=hrry.extension_type(16))
        self.write("p.hrry", hrry.container([("x", private, [b"abcd"])]))
        self.fails(1, "cat", "p.hrry", "x")
        self.fails(1, "cat", "p.hrry", "x", "--permissive")
        self.fails(1, "cat", "p.hrry", "x", "--allow-private")
        self.assertEqual(self.ok("cat", "p.hrry", "x", "--allow-private", "--format", "raw").out, b"abcd")


if __name__ == "__main__":
    unittest.main()
