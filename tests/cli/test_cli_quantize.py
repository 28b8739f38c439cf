#!/usr/bin/env python3
"""quantize and dequantize: the errors that are told, recomputed from the bytes of the result."""

import math
import os
import random
import struct
import unittest

from cli_case import CliCase, floats, hrry
from values_case import f32, flat, model_of, strict_json

rng = random.Random(7)
weights = [f32(rng.gauss(0, 1)) for _ in range(24 * 64)]


class Quantize(CliCase):
    def setUp(self):
        super().setUp()
        self.write("m.hrry", model_of(("w", "float32", (24, 64), floats(*weights)),
                                      ("bias", "float32", (3,), floats(1, -2, 4)),
                                      ("ids", "int32", (2,), struct.pack("<2i", 1, 2)), kv=[("k", 1)]))

    def tensors(self, file):
        return {t["name"]: t for t in self.ok("info", "--json", file).json()["tensors"]}

    def parts(self, file, name):
        """The bytes of each buffer, by the placement rules: the next multiple of the container's alignment."""
        doc, data, at, out = self.ok("info", "--json", file).json(), self.read(file), None, []
        tensor = next(t for t in doc["tensors"] if t["name"] == name)
        align, at = doc["container"]["alignment"], tensor["data_offset"]
        for buffer in tensor["buffers"]:
            out.append(data[at:at + buffer["byte_size"]])
            at = -(-(at + buffer["byte_size"]) // align) * align
        return tensor, out

    def check_losses(self, losses, before, after):
        errors = [a - b for a, b in zip(before, after)]
        noise, signal = math.fsum(e * e for e in errors), math.fsum(a * a for a in before)
        self.assertAlmostEqual(losses["max_error"], max(map(abs, errors)), places=12)
        self.assertAlmostEqual(losses["rms"], math.sqrt(noise / len(before)), places=9)
        self.assertAlmostEqual(losses["sqnr"], 10 * math.log10(signal / noise), places=6)

    def test_blocks(self):
        doc = self.ok("quantize", "m.hrry", "q.hrry", "--scheme", "per-block", "--type", "int4", "--block", "32",
                      "--symmetric", "--exclude", "bias", "--json").json()
        tensor, (codes, scales) = self.parts("q.hrry", "w")
        self.assertEqual((tensor["type"], tensor["quantization"]["scheme"], tensor["quantization"]["block_size"]),
                         ("int4", "per-block-affine", 32))
        nibbles = [byte >> shift & 15 for byte in codes for shift in (0, 4)]
        scales = struct.unpack("<%df" % (len(scales) // 4), scales)
        values = [f32(scales[k // 32] * (n - 16 if n > 7 else n)) for k, n in enumerate(nibbles)]
        self.assertEqual([loss["name"] for loss in doc["tensors"]], ["w"])
        self.check_losses(doc["tensors"][0], weights, values)
        self.check_losses(doc["total"], weights, values)
        self.assertEqual((doc["total"]["bytes_before"], doc["total"]["bytes_after"]), (6144, 768 + 192))
        self.assertLess(doc["total"]["max_error"], max(map(abs, weights)) / 13)
        self.ok("check", "--lint", "q.hrry")
        self.assertEqual(sorted(self.tensors("q.hrry")), ["bias", "ids", "w"])
        self.assertEqual(self.ok("kv", "get", "q.hrry", "k").text, "1\n")
        self.ok("dequantize", "q.hrry", "d.hrry")
        self.assertEqual(self.parts("d.hrry", "w")[1], [floats(*values)])
        self.assertEqual(self.parts("d.hrry", "ids")[1], [struct.pack("<2i", 1, 2)])
        self.ok("dequantize", "q.hrry", "h.hrry", "--type", "float16")
        self.assertEqual(self.parts("h.hrry", "w")[1], [struct.pack("<1536e", *values)])

    def test_channels(self):
        for axis, wanted in ((None, 0), ("0", 0), ("1", 1), ("-1", 1)):
            more = ["--axis", axis] if axis else []
            doc = self.ok("quantize", "m.hrry", "c.hrry", "--scheme", "per-channel", "--type", "uint8", "--include",
                          "w", "--json", "--force", *more).json()
            tensor, (codes, scales, zeros) = self.parts("c.hrry", "w")
            self.assertEqual(tensor["quantization"]["axis"], wanted)
            scales = struct.unpack("<%df" % (len(scales) // 4), scales)
            zeros = struct.unpack("<%di" % (len(zeros) // 4), zeros)
            channel = [k % 64 if wanted else k // 64 for k in range(len(codes))]
            values = [f32(scales[c] * (code - zeros[c])) for code, c in zip(codes, channel)]
            self.check_losses(doc["tensors"][0], weights, values)

    def test_every_scheme(self):
        for args in (("per-tensor",), ("per-tensor", "--type", "int2"), ("nf4",), ("mxfp",), ("nf4", "--optimize"),
                     ("mxfp", "--type", "float8_e4m3", "--ceil"), ("mxfp", "--type", "float6_e3m2"),
                     ("per-block", "--type", "uint4", "--scale-type", "float16"), ("per-block", "-j", "2")):
            self.ok("quantize", "m.hrry", "s.hrry", "--force", "--include", "w", "--scheme", *args)
            self.ok("check", "--lint", "s.hrry")
            doc = strict_json(self.ok("cat", "s.hrry", "w", "--format", "json").text)
            self.assertEqual((len(doc), len(doc[0])), (24, 64))

    def test_other_formats(self):
        """From whatever file the floats come: safetensors keeps the tensors as they are, and so does GGUF."""
        self.needs_format("safetensors")
        for name, more in (("m.safetensors", ()), ("m.gguf", ("--exclude", "ids"))):
            self.ok("convert", "m.hrry", name, *more, "-q")
            for scheme in ("per-channel", "nf4"):
                for source, out in (("m.hrry", "a.hrry"), (name, "b.hrry")):
                    self.ok("quantize", source, out, "--scheme", scheme, "--include", "w", "--force")
                self.assertEqual(self.parts("a.hrry", "w")[1], self.parts("b.hrry", "w")[1])

    def test_formats_that_cannot_hold_it(self):
        """No file without the tensors that were asked for: the reason is said, and nothing is written."""
        self.needs_format("safetensors")
        for more in ((), ("--include", "w")):
            for args in (("quantize", "m.hrry"), ("convert", "q.hrry")):
                self.ok("quantize", "m.hrry", "q.hrry", "--scheme", "per-tensor", "--force", *more)
                scheme = ("--scheme", "per-tensor", *more) if args[0] == "quantize" else ("--include", "w")
                result = self.hurray(*args, "new.safetensors", *scheme)
                self.assertEqual(result.code, 1, args)
                self.assertRegex(result.err.splitlines()[-1],
                                 r"cannot carry \(\d of \d tensors\): tensor \"w\": quantization per-tensor-affine")
        self.assertFalse(os.path.exists(self.path("new.safetensors")))

    def test_why_there_is_none(self):
        broken = hrry.descriptor("float32", (2,), buffers=[8])
        self.write("bad.hrry", hrry.container([("bad", broken[:14] + b"\0" + broken[15:], [bytes(8)])]))
        for args in (("quantize", "--scheme", "per-tensor"), ("dequantize",), ("relayout", "--layout", "col")):
            self.assertRegex(self.fails(1, args[0], "bad.hrry", "new.hrry", *args[1:]).line, r"'bad': .*\[D-08\]$")
        self.assertIn("no tensor can be quantized: block_size is above the size of its axis", self.fails(
            1, "quantize", "m.hrry", "new.hrry", "--scheme", "nf4", "--include", "bias", "--quiet").line)

    def test_what_is_told_of_it(self):
        """cat, stats, diff and hash look at values, and with --stored at codes."""
        self.ok("quantize", "m.hrry", "q.hrry", "--scheme", "per-block", "--type", "uint4", "--include", "w")
        self.ok("dequantize", "q.hrry", "d.hrry")
        codes = self.parts("q.hrry", "w")[1][0]
        self.assertEqual(flat(strict_json(self.ok("cat", "q.hrry", "w", "--stored", "--format", "json").text)),
                         [byte >> shift & 15 for byte in codes for shift in (0, 4)])
        for command in (("cat", "w"), ("stats",)):
            texts = [self.ok(command[0], file, *command[1:]).text for file in ("q.hrry", "d.hrry")]
            self.assertEqual(texts[0], texts[1])
        digests = [[line.split()[0] for line in self.ok("hash", file).lines] for file in ("q.hrry", "d.hrry")]
        self.assertEqual(digests[0], digests[1])
        self.assertNotEqual(self.ok("hash", "--stored", "q.hrry").lines[-1].split()[0], digests[0][-1])
        worst = max(abs(a - b) for a, b in zip(weights, struct.unpack("<1536f", self.parts("d.hrry", "w")[1][0])))
        self.assertEqual(self.hurray("diff", "m.hrry", "q.hrry").code, 1)
        self.ok("diff", "m.hrry", "q.hrry", "--atol", str(worst * 1.001))
        self.assertEqual(self.hurray("diff", "m.hrry", "q.hrry", "--atol", str(worst * 0.999)).code, 1)
        self.ok("diff", "q.hrry", "q.hrry", "--stored")

    def test_check_looks_at_parameters(self):
        """What only the buffers show: each rule at the byte in them, and values are refused as well."""
        bad = {
            "Q-PC-05": ("int8", hrry.per_channel(0, 1), floats(1, 0)),
            "Q-PC-06": ("int8", hrry.per_channel(0, 1, 2), floats(1, 1), struct.pack("<2i", 0, 128)),
            "Q-PB-06": ("uint4", hrry.per_block(1, 16, 1, scale_type=1), struct.pack("<2e", 1, float("inf"))),
            "Q-NF4-04": ("uint4", hrry.nf4(1, 16, 1), floats(1, -1)),
            "Q-MX-04": ("int8", hrry.mxfp(1, 16, 1), b"\x7f\0"),
        }
        for rule, (type, section, *parameters) in bad.items():
            buffers = [bytes(16 if type == "uint4" else 32), *parameters]
            self.write("bad.hrry", hrry.container([("t", hrry.descriptor(
                type, (2, 16), buffers=list(map(len, buffers)), quantization=section), buffers)]))
            found = self.hurray("check", "--json", "bad.hrry")
            self.assertEqual(found.code, 1)
            self.assertEqual([v["rule"] for v in strict_json(found.text)["violations"]], [rule])
            self.assertIn(rule, self.fails(1, "cat", "bad.hrry", "t").line)
            self.assertIn(rule, self.fails(1, "dequantize", "bad.hrry", "d.hrry").line)
            self.ok("cat", "--stored", "bad.hrry", "t")

    def test_what_does_not_suit(self):
        """A block of 32 is more than the three elements of the bias."""
        result = self.fails(0, "quantize", "m.hrry", "q.hrry", "--scheme", "per-block")
        self.assertIn("bias: not quantized", result.line)
        self.assertIsNone(self.tensors("q.hrry")["bias"]["quantization"])
        self.assertEqual(len(result.lines), 3)
        self.fails(1, "quantize", "m.hrry", "new.hrry", "--scheme", "per-block", "--strict")
        self.fails(1, "quantize", "m.hrry", "new.hrry", "--scheme", "per-tensor", "--include", "ids")
        self.assertEqual(self.hurray("quantize", "m.hrry", "new.hrry", "--scheme", "nf4", "--include", "bias").code, 1)
        self.fails(1, "dequantize", "m.hrry", "new.hrry")
        self.assertFalse(os.path.exists(self.path("new.hrry")))
        doc = self.ok("quantize", "m.hrry", "min.hrry", "--scheme", "per-tensor", "--min-size", "1K", "--json").json()
        self.assertEqual([loss["name"] for loss in doc["tensors"]], ["w"])

    def test_sparse_stays_sparse(self):
        """Rows 0 and 2 of [3,4] as channels: what is not stored is 0, whatever the zero point."""
        buffers = [floats(1, -3, 4), hrry.u64s(1, 3, 0), hrry.u64s(0, 2, 2, 3)]
        self.write("s.hrry", hrry.container([("t", hrry.descriptor(
            "float32", (3, 4), hrry.CSR, hrry.u64s(3) + bytes(8), buffers=list(map(len, buffers))), buffers)]))
        self.ok("quantize", "s.hrry", "q.hrry", "--scheme", "per-channel", "--type", "uint8")
        tensor, (codes, columns, rows, scales, zeros) = self.parts("q.hrry", "t")
        self.assertEqual((tensor["layout"], tensor["layout_fields"]["nnz"]), ("csr", 3))
        self.assertEqual([columns, rows], buffers[1:])
        self.assertEqual(struct.unpack("<3i", zeros), (191, 0, 0))
        scales = struct.unpack("<3f", scales)
        self.assertEqual(scales[1:], (1, f32(4 / 255)))
        self.assertEqual(list(codes), [191 + 64, 0, 255])
        want = [[0, f32(scales[0] * 64), 0, f32(scales[0] * -191)], [0] * 4, [f32(scales[2] * 255), 0, 0, 0]]
        rows = strict_json(self.ok("cat", "q.hrry", "t", "--format", "json").text)
        self.assertEqual([[f32(x) for x in row] for row in rows], want)
        self.ok("check", "--lint", "q.hrry")
        self.ok("dequantize", "q.hrry", "d.hrry")
        tensor, (values, *index) = self.parts("d.hrry", "t")
        self.assertEqual((tensor["layout"], tensor["type"], index), ("csr", "float32", buffers[1:]))
        self.assertEqual(values, floats(want[0][1], want[0][3], want[2][0]))

    def test_sparse_losses(self):
        """What neither stores takes no time and adds no error: 63.5 becomes 64 among 2^60 elements."""
        buffers = [floats(127, 63.5), hrry.u64s(5, 6, 1 << 29, 7)]
        self.write("c.hrry", hrry.container([("c", hrry.descriptor(
            "float32", (1 << 30, 1 << 30), hrry.COO, hrry.u64s(2) + b"\1" + bytes(7), buffers=[8, 32]), buffers)]))
        loss, = self.ok("quantize", "c.hrry", "q.hrry", "--scheme", "per-tensor", "--symmetric",
                        "--json").json()["tensors"]
        self.assertEqual((loss["max_error"], loss["rms"]), (0.5, math.sqrt(0.25 / 2**60)))
        self.assertAlmostEqual(loss["sqnr"], 10 * math.log10((127**2 + 63.5**2) / 0.25), places=9)
        values = [f32(rng.gauss(0, 1)) if k % 5 == 0 else 0.0 for k in range(480)]
        self.write("d.hrry", model_of(("w", "float32", (6, 8, 10), floats(*values)),
                                      ("m", "float32", (24, 20), floats(*values))))
        want = self.ok("quantize", "d.hrry", "dq.hrry", "--scheme", "per-tensor", "--symmetric", "--json").json()
        for layout, name in (("coo", "w"), ("csf:2,0,1", "w"), ("csr", "m"), ("csc", "m")):
            self.ok("relayout", "d.hrry", "s.hrry", "--layout", layout, "--include", name, "--force")
            found = self.ok("quantize", "s.hrry", "sq.hrry", "--scheme", "per-tensor", "--symmetric", "--json",
                            "--include", name, "--force").json()["tensors"][0]
            dense, = (t for t in want["tensors"] if t["name"] == name)
            for key in ("max_error", "rms", "sqnr"):
                self.assertAlmostEqual(found[key], dense[key], places=9, msg=layout)

    def test_pages(self):
        """One sequence of 3 tokens on pages 1 and 0 of 2 slots: a scale for each slot, 1 for the one without a token."""
        pool = floats(2, -63.5, float("nan"), 4, 127, 1, -254, 3)
        buffers = [pool, hrry.u32s(1, 0), hrry.u32s(0, 2)]
        fields = hrry.u32s(2) + hrry.u64s(2) + hrry.u32s(0, 1) + b"\0" + hrry.u32s(0) + bytes(7)
        self.write("p.hrry", hrry.container([("kv", hrry.descriptor(
            "float32", (3, 1, 2), hrry.BLOCK_PAGED, fields, buffers=list(map(len, buffers))), buffers)]))
        self.ok("quantize", "p.hrry", "q.hrry", "--scheme", "per-block", "--symmetric")
        tensor, (codes, table, pointers, scales) = self.parts("q.hrry", "kv")
        self.assertEqual((tensor["layout"], tensor["quantization"]["block_size"], tensor["quantization"]["axis"]),
                         ("block-paged", 2, 0))
        self.assertEqual([table, pointers], buffers[1:])
        self.assertEqual(struct.unpack("<4f", scales), (0.5, 1, 1, 2))
        self.assertEqual(struct.unpack("<8b", codes), (4, -127, 0, 0, 127, 1, -127, 2))
        self.ok("check", "--lint", "q.hrry")
        self.ok("dequantize", "q.hrry", "d.hrry")
        self.assertEqual(self.parts("d.hrry", "kv")[1], [floats(2, -63.5, 0, 0, 127, 1, -254, 4), *buffers[1:]])
        fields = hrry.u32s(2) + hrry.u64s(2) + hrry.u32s(0, 2) + b"\0" + hrry.u32s(0) + bytes(7)
        two = [buffers[0], buffers[1], hrry.u32s(0, 1, 2)]
        self.write("two.hrry", hrry.container([("kv", hrry.descriptor(
            "float32", (3, 1, 2), hrry.BLOCK_PAGED, fields, buffers=list(map(len, two))), two)]))
        self.fails(1, "quantize", "two.hrry", "t.hrry", "--scheme", "per-block", "--symmetric", "--strict")
        self.ok("quantize", "two.hrry", "t.hrry", "--scheme", "per-block", "--symmetric", "--tokens", "2,1")
        self.assertEqual(self.parts("t.hrry", "kv")[1], [codes, table, hrry.u32s(0, 1, 2), scales])
        self.assertIn("L-BP-10", self.fails(1, "quantize", "p.hrry", "n.hrry", "--scheme", "nf4", "--block", "8",
                                            "--axis", "0", "--strict").line)

    def test_others_stay(self):
        """Choosing some tensors is no reason to lose the others."""
        names = set(self.tensors("m.hrry"))
        self.ok("quantize", "m.hrry", "q.hrry", "--scheme", "per-tensor", "--include", "w")
        self.assertEqual(set(self.tensors("q.hrry")), names)
        self.assertEqual(self.parts("q.hrry", "bias")[1], self.parts("m.hrry", "bias")[1])
        self.ok("dequantize", "q.hrry", "d.hrry", "--exclude", "bias")
        self.assertEqual(set(self.tensors("d.hrry")), names)
        self.ok("relayout", "m.hrry", "r.hrry", "--layout", "col", "--include", "w")
        self.assertEqual({name: tensor["layout"] for name, tensor in self.tensors("r.hrry").items()},
                         {name: "column-major" if name == "w" else "row-major" for name in names})
        self.ok("stats", "m.hrry", "--write", "-o", "s.hrry", "--include", "w")
        self.assertEqual({name for name, tensor in self.tensors("s.hrry").items() if tensor["statistics"]}, {"w"})
        self.assertEqual(set(self.tensors("s.hrry")), names)

    def test_wrong_calls(self):
        for args in ((), ("--scheme", "x"), ("--scheme", "nf4", "--type", "x"), ("--scheme", "nf4", "--block", "0"),
                     ("--scheme", "nf4", "--block", "1.5"), ("--scheme", "nf4", "--axis", "x"),
                     ("--scheme", "nf4", "--min-size", "x"), ("--scheme", "per-block", "--scale-type", "y"),
                     ("--scheme", "per-tensor", "--symmetric", "--optimize"), ("--scheme", "per-block", "--optimize")):
            self.fails(2, "quantize", "m.hrry", "o.hrry", *args)
        self.fails(2, "dequantize", "m.hrry", "o.hrry", "--type", "x")
        self.assertEqual(os.listdir(self.dir), ["m.hrry"])

    def test_standard_output(self):
        done = self.hurray("quantize", "m.hrry", "-", "--scheme", "per-tensor", "--include", "w")
        self.assertEqual((done.code, done.out[:8]), (0, b"HRRYFILE"))
        self.assertIn("(total)", done.err)
        self.write("q.hrry", done.out)
        self.ok("check", "q.hrry")


if __name__ == "__main__":
    unittest.main()
