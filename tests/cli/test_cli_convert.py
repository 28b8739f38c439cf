#!/usr/bin/env python3
"""convert: containers and safetensors, both ways, through files and pipes."""

import os
import re
import resource
import signal
import struct
import subprocess
import unittest

from cli_case import CliCase, HURRAY, ROOT, floats, hrry, small_model

SAMPLE = os.path.join(ROOT, "samples", "digits.safetensors")


def safetensors(tensors, metadata=None):
    """A file of the other format, laid out by hand."""
    import json
    import struct
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, dtype, shape, payload in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(payload)]}
        data += payload
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


class Container(CliCase):
    def test_copy_keeps_everything(self):
        path = self.write("m.hrry", small_model())
        self.ok("convert", path, "copy.hrry")
        want, got = (self.ok("info", "--json", name).json() for name in (path, "copy.hrry"))
        self.assertEqual(got["kv"], want["kv"])
        self.assertEqual([t["name"] for t in got["tensors"]], [t["name"] for t in want["tensors"]])
        self.ok("check", "--lint", "copy.hrry")
        data = self.read("copy.hrry")
        for tensor in got["tensors"]:
            start = tensor["data_offset"]
            end = start + tensor["data_length"]
            source = next(t for t in want["tensors"] if t["name"] == tensor["name"])
            at = source["data_offset"]
            self.assertEqual(data[start:end], small_model()[at:at + source["data_length"]])

    def test_form_is_kept(self):
        tensor = hrry.dense("int8", (1,), b"\1")
        path = self.write("m.hrry", hrry.container([("b", *tensor), ("a", *tensor)], alignment=65536,
                                                   sorted_index=True))
        self.ok("convert", path, "copy.hrry")
        doc = self.ok("info", "--json", "copy.hrry").json()
        self.assertEqual(doc["container"]["alignment"], 65536)
        self.assertIn("SORTED_INDEX", doc["container"]["flags"])

    def test_selection(self):
        path = self.write("m.hrry", small_model())
        self.ok("convert", "--include", "blk.*", path, "copy.hrry")
        names = [t["name"] for t in self.ok("info", "--json", "copy.hrry").json()["tensors"]]
        self.assertEqual(names, ["blk.10.w", "blk.2.w"])

    def test_nothing_is_overwritten_unasked(self):
        path = self.write("m.hrry", small_model())
        other = self.write("other.hrry", b"precious")
        self.assertIn("--force", self.fails(2, "convert", path, other).line)
        self.assertEqual(self.read("other.hrry"), b"precious")
        self.ok("convert", "--force", path, other)
        self.ok("check", other)
        self.ok("convert", "--force", path, path)
        self.ok("check", path)
        self.assertEqual(sorted(os.listdir(self.dir)), ["m.hrry", "other.hrry"])

    def test_dry_run(self):
        path = self.write("m.hrry", small_model())
        result = self.hurray("convert", "--dry-run", path, "copy.hrry")
        self.assertEqual((result.code, result.out), (0, b""))
        self.assertEqual(result.err, "would write copy.hrry: 4 tensors, 36 B of data\n")
        self.assertEqual(os.listdir(self.dir), ["m.hrry"])

    def test_bad_input_leaves_no_output(self):
        data = bytearray(small_model())
        data[64 + 15] = 0xFF
        for name, bad in [("descriptor", bytes(data)), ("cut", small_model()[:-3]), ("garbage", b"x" * 300)]:
            with self.subTest(name):
                path = self.write("m.hrry", bad)
                self.fails(1, "convert", path, "out.hrry")
                self.assertEqual(os.listdir(self.dir), ["m.hrry"])
        result = self.fails(1, "convert", self.write("m.hrry", bytes(data)), "out.hrry")
        self.assertIn("tensor 'blk.10.w'", result.line)
        self.assertTrue(result.line.endswith("[D-12]"))

    def test_unwritable_places(self):
        path = self.write("m.hrry", small_model())
        self.fails(2, "convert", path, os.path.join("nowhere", "out.hrry"))
        self.fails(2, "convert", path, self.dir, "--to", "hurray")
        self.assertIn("No space left", self.fails(2, "convert", path, "/dev/full", "--to", "hurray").line)

    def test_size_limit(self):
        path = self.write("m.hrry", small_model())
        other = self.write("other.hrry", b"precious")
        done = subprocess.run([HURRAY, "convert", "--force", path, other], stderr=subprocess.PIPE, preexec_fn=lambda:
                              resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr.decode(), r"\Ahurray: %s: .*File too large\n\Z" % re.escape(other))
        self.assertEqual(self.read("other.hrry"), b"precious")
        self.assertEqual(sorted(os.listdir(self.dir)), ["m.hrry", "other.hrry"])

    def test_giving_up_leaves_nothing(self):
        size = 200 << 20
        desc = hrry.descriptor("uint8", (size,), buffers=[size])
        whole = hrry.container([("w", desc, [b""])])
        end = whole[4096:].replace(hrry.u64s(4096), hrry.u64s(4096 + size))  # the index, moved behind the data
        index = end[:-40].replace(hrry.u64s(4096 + size, 0), hrry.u64s(4096, size))
        trailer = hrry.u64s(4096 + size, len(index), 0) + hrry.u32s(0, hrry.crc32c(index), 0) + hrry.MAGIC
        with open(self.path("big.hrry"), "wb") as big:
            big.write(whole[:4096])
            big.seek(4096 + size)
            big.write(index + trailer)
        self.ok("check", "--headers-only", "big.hrry")
        process = subprocess.Popen([HURRAY, "convert", "big.hrry", "out.hrry"], cwd=self.dir)
        while process.poll() is None and len(os.listdir(self.dir)) == 1:
            pass
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(), (-signal.SIGTERM, 0))
        self.assertEqual([name for name in os.listdir(self.dir) if name.startswith(".")], [])

    def test_pipes(self):
        path = self.write("m.hrry", small_model())
        self.ok("convert", path, "copy.hrry")
        self.assertEqual(self.ok("convert", path, "-").out, self.read("copy.hrry"))
        self.ok("convert", "-", "piped.hrry", stdin=small_model())
        self.assertEqual(self.read("piped.hrry"), self.read("copy.hrry"))
        self.assertEqual(self.ok("convert", "-", "-", stdin=small_model()).out, self.read("copy.hrry"))

    def test_opaque_tensors_are_carried(self):
        private = hrry.descriptor("int8", (4,), 0xF1, hrry.u64s(7) + hrry.u32s(0), buffers=[4])
        path = self.write("m.hrry", hrry.container([("p", private, [b"abcd"])]))
        self.assertTrue(self.fails(1, "convert", path, "no.hrry").line.endswith("[D-14]"))
        self.ok("convert", "--permissive", path, "out.hrry")
        tensor = self.ok("info", "--json", "--permissive", "out.hrry").json()["tensors"][0]
        data = self.read("out.hrry")
        at, length = tensor["descriptor_offset"], tensor["descriptor_length"]
        self.assertEqual(data[at:at + length], private)
        self.assertEqual(data[tensor["data_offset"]:][:4], b"abcd")


def gguf(tensors, kv):
    """Another format's file, laid out by hand: (name, type, dimensions with the fastest first, bytes)."""
    def string(text):
        return hrry.u64s(len(text)) + text.encode()
    out = b"GGUF" + hrry.u32s(3) + hrry.u64s(len(tensors), len(kv))
    for key, value in kv:
        out += string(key) + hrry.u32s(8) + string(value)
    data = b""
    for name, type, dims, payload in tensors:
        out += string(name) + hrry.u32s(len(dims)) + hrry.u64s(*dims) + hrry.u32s(type) + hrry.u64s(len(data))
        data += payload + bytes(-len(payload) % 32)
    return out + bytes(-len(out) % 32) + data


class Gguf(CliCase):
    F32, Q4_0, Q4_1, Q8_0, Q6_K, MXFP4 = 0, 2, 3, 8, 14, 39

    def setUp(self):
        super().setUp()
        self.needs_format("gguf")
        half = b"\x00\x38"  # 0.5
        self.plain = gguf([("w", self.F32, (2, 1), floats(1, 2)), ("q", self.Q8_0, (32, 1), half + bytes(range(32)))],
                          [("general.architecture", "none")])
        self.blocks = gguf([("b", self.Q4_1, (32, 2), (half + half + bytes(range(16))) * 2)],
                           [("general.architecture", "none")])

    def test_there_and_back(self):
        path = self.write("m.gguf", self.plain)
        doc = self.ok("info", "--json", path).json()
        self.assertEqual((doc["kind"], [(t["name"], t["type"], t["shape"]) for t in doc["tensors"]]),
                         ("gguf", [("w", "float32", [1, 2]), ("q", "int8", [1, 32])]))
        self.assertEqual(doc["tensors"][1]["quantization"]["scheme"], "per-block-affine")
        self.ok("convert", path, "m.hrry")
        self.ok("check", "m.hrry")
        self.ok("convert", "m.hrry", "back.gguf")
        self.assertEqual(self.read("back.gguf"), self.plain)
        self.assertEqual(self.ok("convert", "-", "-", "--to", "gguf", stdin=self.read("m.hrry")).out, self.plain)

    def test_scales_of_one_over_zeros(self):
        half, one, zero, codes = b"\x00\x38", b"\x00\x3c", b"\0\0", bytes(range(32))
        blocks = half + codes + one + bytes(32) + zero + bytes(32) + one + codes + zero + bytes(32) + one + bytes(32)
        mx = b"\x7f" + bytes(16) + bytes(17) + b"\x80" + bytes(range(16))
        path = self.write("m.gguf", gguf([("q", self.Q8_0, (64, 3), blocks), ("m", self.MXFP4, (32, 3), mx)], []))
        self.ok("convert", path, "m.hrry")
        self.ok("check", "m.hrry")
        self.ok("diff", path, "m.hrry")
        self.ok("convert", "--dequantize", "--quiet", path, "floats.hrry")
        differ = self.hurray("diff", path, "floats.hrry").text
        self.assertNotIn("gguf.metadata", differ)  # it is made when the file is opened, and was never in it
        self.ok("convert", "m.hrry", "back.gguf")
        self.assertEqual(self.read("back.gguf"), self.read("m.gguf"))
        self.ok("merge", path, "-o", "merged.hrry")
        self.ok("convert", "--force", "merged.hrry", "back.gguf")
        self.assertEqual(self.read("back.gguf"), self.read("m.gguf"))

    def test_scales_that_cannot_be_held(self):
        bad = {"inf": (self.Q8_0, (64, 1), b"\x00\x38" + bytes(32) + b"\x00\x7c" + bytes(32), 34, "Q-PB-06"),
               "nan": (self.Q4_0, (32, 1), b"\x01\x7e" + bytes(16), 0, "Q-PB-06"),
               "deep": (self.Q6_K, (256, 1), bytes(208) + b"\x00\xfc", 0, "Q-PB-06"),
               "e0": (self.MXFP4, (32, 2), bytes(17) + b"\0" * 16 + b"\x10", 17, "Q-MX-04"),
               "e255": (self.MXFP4, (32, 1), b"\xff" + bytes(16), 0, "Q-MX-04")}
        for name, (type, dims, data, at, rule) in bad.items():
            with self.subTest(name):
                path = self.write("m.gguf", gguf([("w", self.F32, (1,), floats(1)), (name, type, dims, data)], []))
                refused = self.fails(1, "convert", "--quiet", "--force", path, "m.hrry").line
                self.assertTrue(refused.endswith("[%s]" % rule) and name in refused, refused)
                self.assertEqual(len(self.hurray("check", path).err.splitlines()), 1)
                doc = self.hurray("check", "--json", path).json()
                self.assertEqual((doc["valid"], [(v["tensor"], v["rule"]) for v in doc["violations"]]),
                                 (False, [(name, rule)]))
                start = len(self.read("m.gguf")) - len(data) - -len(data) % 32
                self.assertEqual(doc["violations"][0]["offset"], start + at)
                self.ok("check", "--headers-only", path)
                self.ok("convert", "--quiet", "--force", "--dequantize", path, "m.hrry")
                for command in ("stats", "hash"):
                    self.assertEqual(len(self.ok(command, "--json", path).json()["tensors"]), 2)
                self.ok("dequantize", "--force", path, "d.hrry")
                for values in ("m.hrry", "d.hrry"):
                    self.assertEqual(self.ok("cat", "--format", "raw", values, name).out,
                                     self.ok("cat", "--format", "raw", path, name).out)

    def test_blocks_without_a_scheme(self):
        path = self.write("m.gguf", self.blocks)
        words = self.ok("info", path).lines[0].split()
        self.assertEqual((words[0], words[2], words[4]), ("b", "[2,32]", "Q4_1"))
        self.ok("check", path)
        lint, = self.ok("check", "--json", "--lint", path).json()["lint"]
        self.assertEqual((lint["tensor"], lint["rule"]), ("b", None))
        self.assertIn("Q4_1 has no exact form here", lint["message"])
        self.assertEqual(self.ok("check", "--json", "--lint", "--allow-private", path).json()["lint"], [])
        self.assertIn("Q4_1", self.fails(1, "convert", path, "m.hrry").line)
        self.assertEqual(os.listdir(self.dir), ["m.gguf"])
        result = self.hurray("convert", "--dequantize", path, "floats.hrry")
        self.assertEqual((result.code, len(result.err.splitlines())), (0, 1), result.err)
        self.assertIn("b: tensor larger: Q4_1 is dequantized: 40 bytes become 256, 6.40 times as many", result.err)
        self.ok("convert", "--quiet", "--force", "--dequantize", path, "floats.hrry")
        tensor = self.ok("info", "--json", "floats.hrry").json()["tensors"][0]
        self.assertEqual((tensor["type"], tensor["shape"]), ("float32", [2, 32]))
        values = self.read("floats.hrry")[tensor["data_offset"]:][:256]
        row = [0.5 * (k % 16) + 0.5 for k in range(16)] + [0.5 for k in range(16)]
        self.assertEqual(values, floats(*row) * 2)
        self.ok("dequantize", path, "halves.hrry", "--type", "float16")
        halves, = self.ok("info", "--json", "halves.hrry").json()["tensors"]
        self.assertEqual(halves["type"], "float16")
        self.assertEqual(self.read("halves.hrry")[halves["data_offset"]:][:128], struct.pack("<64e", *row * 2))
        self.ok("convert", "--allow-private", path, "carried.hrry")
        self.assertTrue(self.fails(1, "check", "carried.hrry").line.endswith("[D-42]"))
        self.ok("check", "--allow-private", "carried.hrry")
        self.ok("convert", "--allow-private", "carried.hrry", "back.gguf")
        self.assertEqual(self.read("back.gguf"), self.blocks)

    def test_between_foreign_formats(self):
        path = self.write("m.gguf", self.plain)
        result = self.hurray("convert", path, "m.safetensors")
        self.assertEqual(result.code, 0)
        self.assertIn("q: warning: tensor left out", result.err)
        names = [t["name"] for t in self.ok("info", "--json", "m.safetensors").json()["tensors"]]
        self.assertEqual(names, ["w"])


class Safetensors(CliCase):
    def setUp(self):
        super().setUp()
        self.needs_format("safetensors")

    def test_sample_there_and_back(self):
        self.ok("convert", SAMPLE, "m.hrry")
        self.ok("check", "--lint", "m.hrry")
        self.ok("convert", "m.hrry", "back.safetensors")
        with open(SAMPLE, "rb") as sample:
            self.assertEqual(self.read("back.safetensors"), sample.read())

    def test_names_types_and_metadata(self):
        path = self.write("m.safetensors", safetensors(
            [("z", "F32", [2, 1], floats(1, 2)), ("a", "BF16", [], b"\x80\x3f"), ("e", "I64", [0, 4], b""),
             ("flags", "BOOL", [5], b"\1\0\1\1\0")], {"format": "pt", "note": "ü"}))
        for source in (path, "m.hrry"):
            doc = self.ok("info", "--json", source).json() if source == path else None
            if doc is None:
                self.ok("convert", path, "m.hrry")
                doc = self.ok("info", "--json", "m.hrry").json()
            self.assertEqual({t["name"]: (t["type"], t["shape"]) for t in doc["tensors"]},
                             {"z": ("float32", [2, 1]), "a": ("bfloat16", []), "e": ("int64", [0, 4]),
                              "flags": ("bool", [5])})
            self.assertEqual([t["name"] for t in doc["tensors"]], ["z", "a", "e", "flags"])
            self.assertEqual(doc["kv"], {"format": {"type": "string", "value": "pt"},
                                         "note": {"type": "string", "value": "ü"}})
        flags = self.ok("info", "--json", "m.hrry").json()["tensors"][3]
        self.assertEqual(self.read("m.hrry")[flags["data_offset"]], 0x0D)

    def test_told_apart_by_content(self):
        with open(SAMPLE, "rb") as sample:
            path = self.write("misnamed.hrry", sample.read())
        self.assertEqual(self.ok("info", "--json", path).json()["kind"], "safetensors")
        self.ok("check", path)
        self.ok("inspect", "--tensor", "fc1.bias", path)

    def test_pipes(self):
        with open(SAMPLE, "rb") as sample:
            data = sample.read()
        self.assertEqual(self.ok("convert", "-", "-", "--to", "safetensors", stdin=data).out, data)

    def test_selection(self):
        self.ok("convert", "--include", "fc1.*", SAMPLE, "part.safetensors")
        names = [t["name"] for t in self.ok("info", "--json", "part.safetensors").json()["tensors"]]
        self.assertEqual(sorted(names), ["fc1.bias", "fc1.weight"])

    def test_what_cannot_be_carried_is_said(self):
        quantized = hrry.descriptor("int8", (3,), buffers=[3], quantization=hrry.per_tensor(0.5, 0))
        path = self.write("m.hrry", hrry.container([("q", quantized, [b"\1\2\3"]),
                                                    ("w", *hrry.dense("int8", (1,), b"\1"))], kv=[("n", 3)]))
        result = self.hurray("convert", path, "m.safetensors")
        self.assertEqual(result.code, 0)
        self.assertIn("hurray: m.safetensors: q: warning: ", result.err)
        self.assertIn("hurray: m.safetensors: n: warning: ", result.err)
        names = [t["name"] for t in self.ok("info", "--json", "m.safetensors").json()["tensors"]]
        self.assertEqual(names, ["w"])
        result = self.hurray("convert", "--strict", path, "strict.safetensors")
        self.assertEqual(result.code, 1)
        self.assertNotIn("warning", result.err)
        self.assertFalse(os.path.exists(self.path("strict.safetensors")))

    def test_hostile_headers(self):
        good = safetensors([("w", "F32", [2], floats(1, 2))])
        for name, bad in [("header beyond the file", hrry.u64s(2**40) + good[8:]),
                          ("cut", good[:-1]), ("longer", good + b"\0"),
                          ("size", good.replace(b'"shape": [2]', b'"shape": [3]')),
                          ("type", good.replace(b"F32", b"F99"))]:
            with self.subTest(name):
                path = self.write("m.safetensors", bad)
                self.fails(1, "convert", path, "m.hrry")
                self.assertFalse(os.path.exists(self.path("m.hrry")))
                self.assertEqual(self.hurray("check", path).code, 1)


if __name__ == "__main__":
    unittest.main()
