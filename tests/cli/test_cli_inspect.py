#!/usr/bin/env python3
"""inspect: every byte has a field, and the fields have the format's offsets."""

import unittest

from cli_case import CliCase, floats, hrry, small_model


class Inspect(CliCase):
    def fields(self, name, data, *args, code=0):
        result = self.hurray("inspect", "--json", *args, self.write(name, data))
        self.assertEqual(result.code, code, result.err)
        doc = result.json()
        return doc, [(f["offset"], f["length"], f["field"], f["meaning"]) for f in doc["fields"]]

    def covers(self, fields, size):
        at = 0
        for offset, length, field, _ in fields:
            self.assertEqual(offset, at, field)
            at += length
        self.assertEqual(at, size)

    def test_plain_descriptor(self):
        data = hrry.descriptor("float32", (3, 4), buffers=[192])
        doc, fields = self.fields("d", data)
        self.assertIsNone(doc["error"])
        self.assertEqual(doc["kind"], "descriptor")
        self.assertEqual(fields, [
            (0, 4, "magic", "HRRY"), (4, 1, "version_major", "1"), (5, 1, "version_minor", "0"),
            (6, 4, "descriptor_length", "61"), (10, 4, "flags", "0x0"), (14, 1, "type_tag", "0x03 float32"),
            (15, 1, "layout_tag", "0x01 row-major"), (16, 4, "rank", "2"), (20, 8, "shape[0]", "3"),
            (28, 8, "shape[1]", "4"), (36, 8, "byte_offset", "0"), (44, 1, "buffer_count", "1"),
            (45, 8, "buffer[0].byte_size", "192 (data)"), (53, 4, "buffer[0].alignment", "64"),
            (57, 1, "buffer[0].device_tag", "0x00 CPU"), (58, 1, "buffer[0].sync_mode", "0 producer-synced"),
            (59, 1, "buffer[0].memory_class", "0 standard"), (60, 1, "buffer[0].reserved", "reserved")])
        hexes = "".join(f["hex"] for f in doc["fields"])
        self.assertEqual(hexes, data.hex())

    def test_text(self):
        path = self.write("d", hrry.descriptor("float32", (3, 4), buffers=[192]))
        lines = self.ok("inspect", path).lines
        self.assertIn(" 6  3d 00 00 00              descriptor_length            61", lines)
        self.assertEqual(self.ok("dump", path).lines, lines)

    def test_every_layout_and_section_is_covered(self):
        shard2, stats = hrry.shard((8, 8), (4, 0)), hrry.statistics(0x3F, 5, 0.5, -1, 2, 2, 0.5, 1, 2, 4, 0, 1)
        inner = hrry.u64s(1, 2) + hrry.u8s(2, 3, 0, 0) + hrry.i64s(2, 1)
        cases = {
            "strides[1]": hrry.descriptor("float32", (4, 8), hrry.STRIDED, hrry.i64s(-8, 1), 96, buffers=[128]),
            "outer_strides[0]": hrry.descriptor("float32", (6, 8), hrry.TILED, hrry.u64s(2, 4) + hrry.u8s(3, 1, 0, 0)
                                                + hrry.i64s(2, 1), buffers=[192]),
            "inner.inner_strides[1]": hrry.descriptor("float32", (6, 8), hrry.TILED, hrry.u64s(2, 4)
                                                      + hrry.u8s(1, 4, 0, 0) + inner, buffers=[192]),
            "morton_bits[1]": hrry.descriptor("int8", (4, 4), hrry.MORTON, hrry.u32s(2, 2), buffers=[16]),
            "is_sorted": hrry.descriptor("float32", (4, 8), hrry.COO, hrry.u64s(5) + hrry.u8s(1) + bytes(7),
                                         buffers=[20, 80], shard=shard2, statistics=stats),
            "nnz": hrry.descriptor("float32", (4, 5), hrry.CSR, hrry.u64s(5, 0), buffers=[20, 40, 40]),
            "mode_order[2]": hrry.descriptor("float32", (2, 3, 4), hrry.CSF, hrry.u64s(4) + hrry.u32s(0, 1, 2)
                                             + bytes(8), buffers=[16, 16, 16, 24, 24, 32, 32]),
            "layer_index": hrry.descriptor("float16", (9, 2, 8), hrry.BLOCK_PAGED,
                                           hrry.u32s(4) + hrry.u64s(5) + hrry.u32s(0, 2) + b"\0"
                                           + hrry.u32s(3) + bytes(7), buffers=[640, 12, 12]),
            "member_count": hrry.composite(2, 1, 2, shape=(4, 4)),
            "hilbert_order": hrry.descriptor("int8", (4, 4), hrry.HILBERT, hrry.u32s(2, 2), buffers=[16]),
            "extension_data": hrry.descriptor("int8", (4, 4), 0xF1, hrry.u64s(7) + hrry.u32s(3) + b"abc",
                                              buffers=[16]),
            "exponent_bias": hrry.descriptor(0xF0, (8, 4), buffers=[64], statistics=stats, shard=hrry.shard(
                (8, 8), (0, 4)), extension_type=hrry.extension_type(16, 1, 1, 0, 1, 6, 9, 31, 1, 0)),
            "zero_point": hrry.descriptor("int8", (3,), buffers=[3], quantization=hrry.per_tensor(0.5, -3)),
            "zero_point_buffer_index": hrry.descriptor("int8", (3,), buffers=[3, 12, 12],
                                                       quantization=hrry.per_channel(0, 1, 2)),
            "block_size": hrry.descriptor("int4", (128, 128), buffers=[8192, 256],
                                          quantization=hrry.per_block(1, 128, 1, scale_type=1)),
            "scale_buffer_index": hrry.descriptor("uint4", (64,), buffers=[32, 4], quantization=hrry.nf4(0, 64, 1)),
            "rest of the payload": hrry.descriptor("int8", (32,), buffers=[32, 1],
                                                   quantization=hrry.mxfp(0, 32, 1) + b"tail"),
            "member_role": hrry.descriptor("float32", (4, 4), buffers=[64], shard=hrry.shard((4, 4), (0, 0)), role=1),
            "rest of the descriptor": hrry.descriptor("int8", (3,), buffers=[3], version=(1, 1), tail=b"newer"),
        }
        for field, data in cases.items():
            with self.subTest(field):
                doc, fields = self.fields("d", data, "--allow-private")
                self.assertIsNone(doc["error"])
                self.covers(fields, len(data))
                self.assertIn(field, [name for _, _, name, _ in fields])

    def test_container(self):
        data = small_model()
        doc, fields = self.fields("m.hrry", data)
        self.assertIsNone(doc["error"])
        self.covers(fields, len(data))
        parts = []
        for field in doc["fields"]:
            if (field["part"], field.get("tensor")) not in parts[-1:]:
                parts.append((field["part"], field.get("tensor")))
        self.assertEqual([part for part in parts if part[0] != "padding"], [
            ("file header", None), ("descriptor", "blk.10.w"), ("data", "blk.10.w"), ("descriptor", "blk.2.w"),
            ("data", "blk.2.w"), ("descriptor", "scalar"), ("data", "scalar"), ("descriptor", "empty"),
            ("KV metadata", None), ("index", None), ("trailer", None)])
        self.assertIn((4096, 24, "buffer 0", "24 bytes"), fields)

    def test_one_tensor(self):
        path = self.write("m.hrry", small_model())
        doc = self.ok("inspect", "--json", "--tensor", "scalar", path).json()
        self.assertEqual({f.get("tensor") for f in doc["fields"] if f["part"] != "padding"}, {"scalar"})
        self.assertEqual([f["hex"] for f in doc["fields"] if f["part"] == "data"], ["000000000000f83f"])
        self.assertIn("no such tensor", self.fails(1, "inspect", "--tensor", "none", path).line)

    def test_what_can_be_told_of_damaged_bytes(self):
        good = small_model()
        desc = hrry.descriptor("float32", (3, 4), buffers=[192])
        bad_rank = desc[:16] + hrry.u32s(65) + desc[20:]
        for name, data, rule in [
                ("cut header", good[:50], "F-01"), ("no trailer", good[:-40], "F-08"),
                ("index beyond the end", good[:-40] + hrry.u64s(2**63, 2**63) + good[-24:], "F-09"),
                ("cut descriptor", desc[:40], "D-01"), ("rank", bad_rank, "D-15"),
                ("layout", desc[:15] + b"\x3f" + desc[16:], "D-13"),
                ("reserved", desc[:-1] + b"\1", "D-23")]:
            with self.subTest(name):
                doc, fields = self.fields("x.hrry" if data[:8] == hrry.FILE_MAGIC else "x", data, code=1)
                self.assertEqual(doc["error"]["rule"], rule)
                self.covers(fields, len(data))

    def test_data_without_a_buffer_table(self):
        desc = hrry.descriptor("float32", (2,), buffers=[8])
        desc = desc[:14] + b"\0" + desc[15:]
        data = hrry.container([("w", desc, [floats(1, 2)]), ("v", *hrry.dense("int8", (1,), b"\7"))])
        doc, fields = self.fields("m.hrry", data, code=1)
        self.assertEqual((doc["error"]["rule"], doc["error"]["tensor"]), ("D-08", "w"))
        self.assertIn((4096, 8, "buffer 0", "8 bytes"), fields)
        self.covers(fields, len(data))


if __name__ == "__main__":
    unittest.main()
