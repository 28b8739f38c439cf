#!/usr/bin/env python3
"""hash: digests made by Python's hashlib, the same whatever the file looks like; digests as metadata."""

import hashlib
import os
import struct
import unittest

from cli_case import CliCase, floats, hrry
from values_case import codes_of, model_of, pack


def digest(type, shape, raw):
    head = type.encode() + struct.pack("<I", len(shape)) + struct.pack("<%dQ" % len(shape), *shape)
    return hashlib.sha256(head + raw).hexdigest()


def file_digest(pairs):
    out = hashlib.sha256()
    for name, hex in sorted((name.encode(), hex) for name, hex in pairs.items()):
        out.update(struct.pack("<H", len(name)) + name + bytes.fromhex(hex))
    return out.hexdigest()


class Hash(CliCase):
    tensors = [("w", "float32", (2, 3), floats(1, 2, 3, 4, 5, 6)), ("b", "bool", (3,), b"\5"),
               ("blk.10", "int4", (3,), pack(4, codes_of([-1, 2, 3], 4))), ("s", "int64", (), struct.pack("<q", -5)),
               ("blk.9", "float16", (0, 2), b"")]
    want = {name: digest(type, shape, raw) for name, type, shape, raw in tensors}

    def setUp(self):
        super().setUp()
        self.write("m.hrry", model_of(*self.tensors, kv=[("k", 1)]))

    def test_text(self):
        lines = self.ok("hash", "m.hrry").lines
        self.assertEqual(lines[0], "%s  m.hrry" % file_digest(self.want))
        order = ["b", "blk.9", "blk.10", "s", "w"]
        self.assertEqual(lines[1:], ["%s    %s" % (self.want[name], name) for name in order])

    def test_json(self):
        doc = self.ok("hash", "--json", "m.hrry").json()
        self.assertEqual((doc["file"], doc["digest"]), ("m.hrry", file_digest(self.want)))
        self.assertEqual({t["name"]: t["digest"] for t in doc["tensors"]}, self.want)
        self.assertEqual(len(self.ok("hash", "--json", "m.hrry", "m.hrry").json()), 2)
        part = self.ok("hash", "--json", "m.hrry", "--include", "blk*").json()
        self.assertEqual(part["digest"], file_digest({k: v for k, v in self.want.items() if k.startswith("blk")}))

    def test_independent(self):
        self.write("other.hrry", model_of(*reversed(self.tensors), alignment=65536))
        self.ok("relayout", "m.hrry", "col.hrry", "--layout", "col", "-q")
        want = self.ok("hash", "m.hrry").lines
        for other in ("other.hrry", "col.hrry"):
            self.assertEqual(self.ok("hash", other, "-j", "2").lines[1:], want[1:])

    def test_other_formats(self):
        self.needs_format("safetensors")
        self.ok("convert", "m.hrry", "m.safetensors", "--include", "w", "--include", "s", "-q")
        doc = self.ok("hash", "--json", "m.safetensors").json()
        self.assertEqual({t["name"]: t["digest"] for t in doc["tensors"]}, {n: self.want[n] for n in "ws"})
        self.ok("convert", "m.hrry", "d.safetensors", "--digest", "--include", "w", "-q")
        self.ok("check", "d.safetensors")

    def test_quantized(self):
        desc = hrry.descriptor("int8", (4,), buffers=[4], quantization=hrry.per_tensor(0.5, 0))
        private = hrry.descriptor(0xF3, (2,), buffers=[4], extension_type=hrry.extension_type(16))
        self.write("q.hrry", hrry.container([("q", desc, [bytes(range(4))]), ("p", private, [b"abcd"])]))
        def digests(*args):
            return {t["name"]: t["digest"] for t in self.hurray("hash", "--json", "q.hrry", *args).json()["tensors"]}
        values = digest("float32", (4,), floats(0, 0.5, 1, 1.5))
        self.assertEqual(digests("--permissive"), {"q": values})
        self.assertEqual(digests("--permissive", "--stored"), {"q": digest("int8", (4,), bytes(range(4))),
                                                               "p": digest("extension", (2,), b"abcd")})
        self.assertEqual(self.hurray("hash", "q.hrry", "--permissive").code, 1)

    def test_manifest(self):
        self.write("manifest", self.ok("hash", "m.hrry").out)
        self.assertEqual(self.ok("hash", "m.hrry", "--check", "manifest").text, "m.hrry: OK\n")
        self.write("copy.hrry", model_of(*reversed(self.tensors)))
        self.ok("hash", "copy.hrry", "--check", "manifest", "-q")
        changed = [t for t in self.tensors if t[0] != "s"] + [("new", "int8", (1,), b"\1")]
        changed[0] = ("w", "float32", (2, 3), floats(1, 2, 3, 4, 5, 7))
        self.write("bad.hrry", model_of(*changed))
        result = self.fails(1, "hash", "bad.hrry", "--check", "manifest")
        self.assertEqual(result.lines, ["bad.hrry: new: not in the manifest", "bad.hrry: s: missing",
                                        "bad.hrry: w: differs"])
        self.ok("hash", "bad.hrry", "--check", "manifest", "--include", "b*")
        self.write("two", self.ok("hash", "m.hrry", "bad.hrry").out)
        self.ok("hash", "m.hrry", "bad.hrry", "--check", "two")
        self.fails(1, "hash", "copy.hrry", "--check", "two")
        self.fails(2, "hash", "m.hrry", "--check", "absent")
        for text in (b"", b"hello\n", self.read("manifest")[10:], b"0" * 64 + b"    w\n"):
            self.write("wrong", text)
            self.fails(1, "hash", "m.hrry", "--check", "wrong")

    def test_names_are_escaped(self):
        self.write("n.hrry", model_of(("a\nb  c", "int8", (1,), b"\1")))
        lines = self.ok("hash", "n.hrry").lines
        self.assertTrue(lines[1].endswith("    a\\nb  c"), lines)
        self.write("manifest", self.ok("hash", "n.hrry").out)
        self.ok("hash", "n.hrry", "--check", "manifest")

    def test_digests_as_metadata(self):
        self.ok("convert", "m.hrry", "d.hrry", "--digest")
        kv = self.ok("info", "--json", "d.hrry").json()["kv"]
        self.assertEqual({key: value["value"] for key, value in kv.items() if key != "k"},
                         {"digest.sha256." + name: hex for name, hex in self.want.items()})
        self.ok("check", "--lint", "d.hrry")
        tensor = next(t for t in self.ok("info", "--json", "d.hrry").json()["tensors"] if t["name"] == "w")
        data = bytearray(self.read("d.hrry"))
        data[tensor["data_offset"] + 5] ^= 1
        self.write("flipped.hrry", bytes(data))
        doc = self.hurray("check", "--json", "flipped.hrry").json()
        self.assertEqual([(v["tensor"], v["rule"]) for v in doc["violations"]], [("w", None)])
        self.assertIn("digest", self.fails(1, "check", "flipped.hrry").line + doc["violations"][0]["message"])
        self.ok("check", "flipped.hrry", "--headers-only")
        self.ok("relayout", "d.hrry", "col.hrry", "--layout", "col", "-q")
        self.ok("check", "col.hrry")
        self.ok("quantize", "d.hrry", "q.hrry", "--scheme", "per-tensor", "--include", "w")
        self.ok("check", "q.hrry")
        self.ok("slice", "d.hrry", "s.hrry", "w[0]", "s")
        self.ok("check", "s.hrry")

    def test_refused(self):
        self.write("dyn.hrry", hrry.container([("x", hrry.descriptor("int8", (hrry.DYNAMIC,), buffers=[4]), [b"abcd"])]))
        self.assertIn("[F-T04]", self.fails(1, "hash", "dyn.hrry").line)
        self.fails(2, "hash")
        self.fails(2, "hash", "absent")
        result = self.hurray("convert", "dyn.hrry", "out.hrry", "--digest")
        self.assertEqual((result.code, os.path.exists(self.path("out.hrry"))), (0, True))
        self.assertIn("no digest", result.err)


if __name__ == "__main__":
    unittest.main()
