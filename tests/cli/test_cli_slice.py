#!/usr/bin/env python3
"""slice and extract: parts of tensors in files of their own, and nothing outside of the folder."""

import math
import os
import random
import struct
import unittest

from cli_case import CliCase, floats, hrry
from values_case import codes_of, cut, flat, model_of, nest, pack, read_npy, region_text, strict_json

ints = list(range(-30, 30))


def coo(type, shape, places, data, sorted=True):
    fields = hrry.u64s(len(places)) + bytes([sorted]) + bytes(7)
    index = hrry.u64s(*[i for place in places for i in place])
    return hrry.descriptor(type, shape, hrry.COO, fields, buffers=[len(data), len(index)]), [data, index]


def csr(type, shape, cols, rows, data):
    buffers = [data, hrry.u64s(*cols), hrry.u64s(*rows)]
    return (hrry.descriptor(type, shape, hrry.CSR, hrry.u64s(len(cols)) + bytes(8), buffers=list(map(len, buffers))),
            buffers)


class Slice(CliCase):
    def values(self, file, name="t"):
        return strict_json(self.ok("cat", file, name, "--format", "json").text)

    def info(self, file):
        return {tensor["name"]: tensor for tensor in self.ok("info", "--json", file).json()["tensors"]}

    def test_dense(self):
        self.write("m.hrry", model_of(("i", "int32", (3, 4, 5), struct.pack("<60i", *ints)),
                                      ("q", "int4", (3, 3), pack(4, codes_of(range(-4, 5), 4))),
                                      ("other", "int8", (1,), b"\1"), kv=[("k", 1)]))
        rng = random.Random(6)
        for _ in range(25):
            region = [rng.choice([rng.randrange(-size, size), slice(rng.randrange(-size, size), None, rng.choice([1, 2])),
                                  slice(None, None, -1)]) for size in (3, 4, 5)]
            shape, values = cut((3, 4, 5), ints, region)
            if not all(shape):
                continue
            self.ok("slice", "m.hrry", "out.hrry", "i[%s]" % region_text(region), "--force")
            self.assertEqual(self.values("out.hrry", "i"), nest(shape, values))
            self.assertEqual(self.info("out.hrry")["i"]["layout"], "row-major")
        self.ok("check", "--lint", "out.hrry")
        self.ok("slice", "m.hrry", "two.hrry", "q[:,1:]", "other")
        self.assertEqual(self.values("two.hrry", "q"), [[-3, -2], [0, 1], [3, 4]])
        self.assertEqual(list(self.info("two.hrry")), ["q", "other"])
        self.assertEqual(self.ok("kv", "get", "two.hrry", "k").text, "1\n")
        self.ok("check", "--lint", "two.hrry")

    def test_all_by_one_region(self):
        self.write("m.hrry", model_of(("a", "int8", (4,), b"\1\2\3\4"), ("b", "int8", (3, 2), b"\1\2\3\4\5\6"),
                                      ("c", "int8", (1,), b"\7")))
        self.ok("slice", "m.hrry", "out.hrry", "--region", ":2", "--exclude", "c")
        self.assertEqual((self.values("out.hrry", "a"), self.values("out.hrry", "b")), ([1, 2], [[1, 2], [3, 4]]))
        self.assertEqual(len(self.info("out.hrry")), 2)
        self.fails(1, "slice", "m.hrry", "new.hrry", "--region", ":,0")
        self.assertFalse(os.path.exists(self.path("new.hrry")))

    def test_other_formats(self):
        self.needs_format("safetensors")
        self.write("m.hrry", model_of(("w", "float32", (2, 2), floats(1, 2, 3, 4))))
        self.ok("slice", "m.hrry", "out.safetensors", "w[1]")
        self.assertEqual(self.values("out.safetensors", "w"), [3, 4])
        self.ok("slice", "out.safetensors", "back.hrry", "w[:1]")
        self.assertEqual(self.values("back.hrry", "w"), [3])

    def test_quantized(self):
        """Codes 0..11 as [3,4]: by one scale, by the scales 1 2 3 4 of the columns, by blocks of 2."""
        codes = bytes(range(12))
        per = {
            "tensor": (hrry.per_tensor(0.5, 2), []), "channel": (hrry.per_channel(1, 1), [floats(1, 2, 3, 4)]),
            "block": (hrry.per_block(1, 2, 1), [floats(*range(1, 7))]),
        }
        self.write("q.hrry", hrry.container(
            [(name, hrry.descriptor("int8", (3, 4), buffers=[12, *map(len, more)], quantization=q), [codes, *more])
             for name, (q, more) in per.items()]))
        self.ok("slice", "q.hrry", "t.hrry", "tensor[1:,::3]")
        self.assertEqual(self.info("t.hrry")["tensor"]["quantization"]["scheme"], "per-tensor-affine")
        self.assertEqual(self.values("t.hrry", "tensor"), [[1, 2.5], [3, 4.5]])
        self.ok("slice", "q.hrry", "c.hrry", "channel[1:2]")
        self.assertEqual(self.info("c.hrry")["channel"]["quantization"]["scheme"], "per-channel-affine")
        self.assertEqual(self.values("c.hrry", "channel"), [[4, 10, 18, 28]])
        self.ok("check", "--lint", "c.hrry")
        for region, want, scheme in (("[:,1]", [2, 10, 18], "per-tensor"), ("[2,::-2]", [44, 18], "per-channel"),
                                     ("[:,1:3]", [[2, 6], [10, 18], [18, 30]], "per-channel")):
            self.ok("slice", "q.hrry", "d.hrry", "channel" + region, "--force")
            self.assertEqual(self.values("d.hrry", "channel"), want)
            self.assertEqual(self.info("d.hrry")["channel"]["quantization"]["scheme"], scheme + "-affine")
            self.ok("check", "--lint", "d.hrry")
        self.ok("slice", "q.hrry", "b.hrry", "block[0]", "--strict")
        self.assertEqual(self.values("b.hrry", "block"), [0, 1, 4, 6])
        self.assertEqual(self.info("b.hrry")["block"]["quantization"]["axis"], 0)
        line = self.fails(0, "slice", "q.hrry", "f.hrry", "block[:,1:]").line
        self.assertIn("float32", line)
        self.assertEqual(self.values("f.hrry", "block"), [[1, 4, 6], [15, 24, 28], [45, 60, 66]])
        self.assertIsNone(self.info("f.hrry")["block"]["quantization"])
        self.fails(1, "slice", "q.hrry", "new.hrry", "block[:,1:]", "--strict")
        self.assertFalse(os.path.exists(self.path("new.hrry")))

    def test_blocks(self):
        """Parts that begin with a block keep codes and scales, whatever the axis and the other dimensions."""
        rng = random.Random(11)
        for axis in range(3):
            shape = [3, 3, 3]
            shape[axis] = 48
            count, blocks = math.prod(shape), 9 * 48
            codes = bytes(rng.randrange(256) for _ in range(count))
            nibbles = pack(4, [code & 15 for code in codes])
            half = struct.pack("<%de" % (blocks // 8), *(rng.choice((1, -2, 0.5, 3)) for _ in range(blocks // 8)))
            zeros = struct.pack("<%di" % (blocks // 8), *(rng.randrange(16) for _ in range(blocks // 8)))
            single = floats(*(rng.random() for _ in range(blocks // 16)))
            e8m0 = bytes(rng.randrange(120, 130) for _ in range(blocks // 16))
            tensors = {
                "pb": ("uint4", hrry.per_block(axis, 8, 1, 2, 1), [nibbles, half, zeros]),
                "shared": ("uint4", hrry.per_block(axis, 8, 1, 1, 1), [nibbles, half + zeros]),
                "nf4": ("uint4", hrry.nf4(axis, 16, 1), [nibbles, single]),
                "mx": ("int8", hrry.mxfp(axis, 16, 1), [codes, e8m0]),
            }
            self.write("q.hrry", hrry.container(
                [(name, hrry.descriptor(type, tuple(shape), buffers=list(map(len, buffers)), quantization=q), buffers)
                 for name, (type, q, buffers) in tensors.items()]))
            whole = {name: flat(self.values("q.hrry", name)) for name in tensors}
            for begin, end, step in ((0, 48, 1), (16, 48, 1), (16, 32, 1), (16, 45, 1), (32, 38, 1), (8, 24, 1),
                                     (4, 20, 1), (0, 48, 2)):
                region = [rng.choice((slice(None), slice(None, None, -1), slice(1, None), 2)) for _ in range(3)]
                region[axis] = slice(begin, end, step)
                self.ok("slice", "q.hrry", "o.hrry", "--region", region_text(region), "--force", "-q")
                for name, (_, _, buffers) in tensors.items():
                    part, want = cut(shape, whole[name], region)
                    size = 8 if buffers[0] is nibbles and name != "nf4" else 16
                    fits = step == 1 and begin % size == 0 and end - begin >= size
                    if name == "mx":
                        fits = fits and (end - begin) % size == 0
                    tensor = self.info("o.hrry")[name]
                    self.assertEqual(tensor["quantization"] is not None, fits, (name, region))
                    self.assertEqual(tuple(tensor["shape"]), part)
                    self.assertEqual(self.values("o.hrry", name), nest(part, want))
                self.ok("check", "--lint", "o.hrry")
            self.ok("slice", "q.hrry", "one.hrry", "--region", ",".join("0" if k == axis else ":" for k in range(3)),
                    "-q", "--force")
            self.assertIsNone(self.info("one.hrry")["pb"]["quantization"])

    def test_sparse_blocks(self):
        """COO [2,8], blocks of 4 with scales 1 2 3 4 and zero points: what is not stored stays 0."""
        places = [(0, 1), (0, 5), (1, 4), (1, 7)]
        index = hrry.u64s(*[i for place in places for i in place])
        buffers = [bytes((5, 6, 7, 8)), index, floats(1, 2, 3, 4), struct.pack("<4i", 1, 2, 3, 4)]
        self.write("s.hrry", hrry.container([("t", hrry.descriptor(
            "int8", (2, 8), hrry.COO, hrry.u64s(4) + b"\1" + bytes(7), buffers=list(map(len, buffers)),
            quantization=hrry.per_block(1, 4, 2, 3)), buffers)]))
        for region, want, kept in (("[:,4:]", [[0, 8, 0, 0], [12, 0, 0, 16]], True), ("[1]", [0] * 4 + [12, 0, 0, 16], True),
                                   ("[::-1,:4]", [[0] * 4, [0, 4, 0, 0]], True), ("[:,5:]", [[8, 0, 0], [0, 0, 16]], False),
                                   ("[1,7]", 16, False), ("[1,6]", 0, False)):
            self.ok("slice", "s.hrry", "o.hrry", "t" + region, "--force", "-q")
            self.assertEqual(self.values("o.hrry"), want)
            tensor = self.info("o.hrry")["t"]
            self.assertEqual((tensor["quantization"] is not None, tensor["layout"] == "coo"), (kept, kept))
            self.ok("check", "--lint", "o.hrry")

    def test_sparse(self):
        shape, places = (3, 4, 5), [(0, 0, 1), (0, 3, 4), (1, 2, 2), (2, 0, 0), (2, 3, 1), (2, 3, 3)]
        values = [0] * 60
        for k, (x, y, z) in enumerate(places):
            values[20 * x + 5 * y + z] = k + 1
        desc, buffers = coo("int8", shape, places, bytes(range(1, 7)))
        other = coo("uint4", shape, list(reversed(places)), pack(4, range(6, 0, -1)), sorted=False)
        self.write("s.hrry", hrry.container([("t", desc, buffers), ("u", *other)]))
        for region in ((slice(1, None),), (slice(None), 3), (2, slice(None, None, -1), slice(1, None, 2)), (-1, 3),
                       (slice(None, None, -2), slice(None), slice(4, 0, -3)), (slice(3, None),)):
            part, want = cut(shape, values, region)
            for name in "tu":
                self.ok("slice", "s.hrry", "o.hrry", "%s[%s]" % (name, region_text(region)), "--force")
                tensor = self.info("o.hrry")[name]
                self.assertEqual(tensor["layout"], "coo")
                self.assertEqual(tensor["layout_fields"]["nnz"], len([x for x in want if x]))
                self.assertEqual(tuple(tensor["shape"]), part)
                if all(part):
                    self.assertEqual(self.values("o.hrry", name), nest(part, want))
                self.ok("check", "--lint", "o.hrry")
        self.ok("slice", "s.hrry", "p.hrry", "t[0,0,1]")
        self.assertEqual((self.values("p.hrry"), self.info("p.hrry")["t"]["layout"]), (1, "row-major"))

    def test_compressed(self):
        desc, buffers = csr("float32", (3, 4), [1, 3, 0], [0, 2, 2, 3], floats(1, 2, 3))
        self.write("c.hrry", hrry.container([("t", desc, buffers)]))
        self.ok("slice", "c.hrry", "o.hrry", "t[::-1,1:]")
        self.assertEqual(self.info("o.hrry")["t"]["layout"], "csr")
        self.assertEqual(self.values("o.hrry"), [[0, 0, 0], [0, 0, 0], [1, 0, 2]])
        self.ok("check", "--lint", "o.hrry")
        self.ok("slice", "c.hrry", "r.hrry", "t[0]")
        self.assertEqual((self.info("r.hrry")["t"]["layout"], self.values("r.hrry")), ("coo", [0, 1, 0, 2]))

    def test_composites(self):
        """A partition of [4] into [2] at 0 and at 2 is cut as a whole; a name alone takes its members along."""
        member = [hrry.descriptor("int8", (2,), buffers=[2], shard=hrry.shard((4,), (at,))) for at in (0, 2)]
        self.write("p.hrry", hrry.container([("h", hrry.composite(1, 0, 2, "int8", (4,)), []),
                                             ("m0", member[0], [b"\1\2"]), ("m1", member[1], [b"\3\4"]),
                                             ("x", *hrry.dense("int8", (1,), b"\5"))]))
        self.ok("slice", "p.hrry", "cut.hrry", "h[1:3]")
        self.assertEqual((self.values("cut.hrry", "h"), list(self.info("cut.hrry"))), ([2, 3], ["h"]))
        self.ok("slice", "p.hrry", "whole.hrry", "h")
        self.assertEqual(sorted(self.info("whole.hrry")), ["h", "m0", "m1"])
        self.ok("check", "whole.hrry")

    def test_wrong_calls(self):
        self.write("m.hrry", model_of(("w", "int8", (2,), b"\1\2")))
        self.fails(2, "slice", "m.hrry")
        self.fails(1, "slice", "m.hrry", "o.hrry", "absent")
        self.fails(1, "slice", "m.hrry", "o.hrry", "w[2]")
        self.fails(2, "slice", "m.hrry", "o.hrry", "w[x]")
        self.fails(2, "slice", "m.hrry", "o.hrry", "w[0]", "w[1]")
        self.fails(2, "slice", "m.hrry", "o.unknown", "w[0]")
        self.fails(2, "slice", "m.hrry", "m.hrry", "w[0]")
        self.assertEqual(os.listdir(self.dir), ["m.hrry"])
        self.ok("slice", "m.hrry", "w[1]", "-o", "o.hrry")
        self.assertEqual(self.values("o.hrry", "w"), 2)


class Extract(CliCase):
    hostile = ["../../x", "/abs", "a\\b", "C:x", "dir/../../y", "..", ".", "-rf", "a b", "\n", "%41", "a*?\"<>|"]

    def test_files(self):
        self.write("m.hrry", model_of(("layer.1/w", "int8", (2, 2), b"\1\2\3\4"), ("b", "bool", (3,), b"\5"),
                                      ("ö", "uint4", (3,), b"\x21\x03")))
        lines = self.ok("extract", "m.hrry", "-o", "out").lines
        self.assertEqual(lines, ["out/layer.1%2Fw.npy", "out/b.npy", "out/ö.npy"])
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted(os.path.basename(line) for line in lines))
        self.assertEqual(read_npy(self.read(lines[0])), ("|i1", (2, 2), b"\1\2\3\4"))
        self.assertEqual(read_npy(self.read(lines[1])), ("|b1", (3,), b"\1\0\1"))
        self.assertEqual(self.ok("extract", "m.hrry", "ö", "b[::2]", "--format", "raw", "-o", "raw").lines,
                         ["raw/ö.raw", "raw/b[%3A%3A2].raw"])
        self.assertEqual((self.read("raw/ö.raw"), self.read("raw/b[%3A%3A2].raw")), (b"\x21\x03", b"\3"))
        self.assertEqual(self.ok("extract", "m.hrry", "--include", "b", "-o", "raw").lines, ["raw/b.npy"])
        self.ok("extract", "m.hrry", "-o", "dry", "--dry-run")
        self.assertFalse(os.path.exists(self.path("dry")))

    def test_names_stay_in_the_folder(self):
        long = "n" * 300
        self.write("m.hrry", model_of(*[(name, "int8", (1,), bytes([k])) for k, name in enumerate(self.hostile)]))
        os.makedirs(self.path("deep/er"))
        lines = self.ok("extract", "m.hrry", "-o", "deep/er/out").lines
        self.assertEqual(len(lines), len(self.hostile))
        files = sorted(os.listdir(self.path("deep/er/out")))
        self.assertEqual(len(files), len(self.hostile))
        self.assertEqual(sorted(read_npy(self.read("deep/er/out/" + file))[2][0] for file in files),
                         list(range(len(files))))
        for file in files:
            self.assertFalse(set(file) & set("/\\:\n*?\"<>| ") or file[0] in ".-", file)
        folders = {os.path.relpath(at, self.dir): names for at, _, names in os.walk(self.dir)}
        self.assertEqual([folders[at] for at in (".", "deep", "deep/er")], [["m.hrry"], [], []])
        self.write("long.hrry", model_of((long, "int8", (1,), b"\1"), ("short", "int8", (1,), b"\1")))
        self.assertIn("too long", self.fails(2, "extract", "long.hrry", "-o", "no").line)
        self.assertFalse(os.path.exists(self.path("no")))

    def test_nothing_is_overwritten(self):
        self.write("m.hrry", model_of(("a", "int8", (1,), b"\1"), ("b", "int8", (1,), b"\2")))
        os.mkdir(self.path("out"))
        self.write("out/b.npy", b"mine")
        self.assertIn("--force", self.fails(2, "extract", "m.hrry", "-o", "out").line)
        self.assertEqual((os.listdir(self.path("out")), self.read("out/b.npy")), (["b.npy"], b"mine"))
        self.ok("extract", "m.hrry", "-o", "out", "--force")
        self.assertEqual(read_npy(self.read("out/b.npy"))[2], b"\2")
        self.write("target", b"mine")
        os.unlink(self.path("out/a.npy"))
        os.symlink("../target", self.path("out/a.npy"))
        self.fails(2, "extract", "m.hrry", "-o", "out", "--force")
        self.assertEqual(self.read("target"), b"mine")

    def test_wrong_calls(self):
        self.write("m.hrry", model_of(("a", "int8", (2,), b"\1\2")))
        self.fails(2, "extract", "m.hrry")
        self.fails(2, "extract", "m.hrry", "-o", "m.hrry")
        self.fails(2, "extract", "m.hrry", "-o", "out", "--format", "text")
        self.fails(1, "extract", "m.hrry", "absent", "-o", "out")
        self.assertEqual(os.listdir(self.dir), ["m.hrry"])
        self.fails(1, "extract", "m.hrry", "a[2]", "-o", "out")
        self.assertEqual(os.listdir(self.path("out")), [])


if __name__ == "__main__":
    unittest.main()
