#!/usr/bin/env python3
"""info: the listing, JSON and the byte map."""

import unittest

from cli_case import CliCase, floats, hrry, small_model


class Info(CliCase):
    def test_listing(self):
        lines = self.ok("info", self.write("m.hrry", small_model())).lines
        self.assertEqual([line.split() for line in lines[:4]],
                         [["blk.2.w", "int8", "[4]", "row-major", "-", "4", "B"],
                          ["blk.10.w", "float32", "[2,3]", "row-major", "-", "24", "B"],
                          ["empty", "float32", "[0,3]", "row-major", "-", "0", "B"],
                          ["scalar", "float64", "[]", "row-major", "-", "8", "B"]])
        self.assertTrue(lines[4].startswith("4 tensors, 11 elements, 36 B of data, "), lines[4])
        self.assertEqual(lines[5:], ['general.name  string  "kleines Modell"', "layers  int64  2", "rate  float64  0.5",
                                     "on  bool  true", "blob  bytes  00ff01", "list  array of int64  [1, 2, 3]"])

    def test_selection(self):
        path = self.write("m.hrry", small_model())

        def names(*args):
            tensors = self.ok("info", "--json", *args, path).json()["tensors"]
            return [tensor["name"] for tensor in tensors]
        self.assertEqual(names("--include", "blk.*"), ["blk.10.w", "blk.2.w"])
        self.assertEqual(names("--include", "blk.?.w", "--include", "s[a-e]*"), ["blk.2.w", "scalar"])
        self.assertEqual(names("--exclude", "blk.*"), ["scalar", "empty"])
        self.assertEqual(names("--include", "blk.[!2]*"), ["blk.10.w"])

    def test_sizes(self):
        data = bytes(3 << 20)
        path = self.write("m.hrry", hrry.container([("w", *hrry.dense("uint8", (len(data),), data))]))
        self.assertIn("3.0 MiB", self.ok("info", path).lines[0])
        self.assertEqual(self.ok("info", "--bytes", path).lines[0].split()[-1], "3145728")

    def test_json(self):
        data = small_model()
        doc = self.ok("info", "--json", self.write("m.hrry", data)).json()
        self.assertEqual(list(doc), ["file", "kind", "container", "kv", "tensors"])
        self.assertEqual(doc["kind"], "container")
        self.assertEqual(doc["container"], {"version": "1.0", "flags": ["HAS_KV_METADATA", "HAS_INDEX_CRC32C"],
                                            "alignment": 4096, "tensor_count": 4, "file_size": len(data)})
        self.assertEqual(doc["kv"]["blob"], {"type": "bytes", "value": "AP8B"})
        self.assertEqual(doc["kv"]["list"], {"type": "array", "element_type": "int64", "value": [1, 2, 3]})
        self.assertEqual([tensor["name"] for tensor in doc["tensors"]], ["blk.10.w", "blk.2.w", "scalar", "empty"])
        first = doc["tensors"][0]
        self.assertEqual(first, {
            "name": "blk.10.w", "version": "1.0", "type": "float32", "type_tag": 3, "layout": "row-major",
            "layout_tag": 1, "shape": [2, 3], "byte_offset": 0, "layout_fields": {},
            "buffers": [{"byte_size": 24, "alignment": 64, "device": "CPU", "device_tag": 0, "sync_mode": 0,
                         "memory_class": 0}],
            "quantization": None, "shard": None, "statistics": None, "extension_type": None,
            "composite_member": None, "descriptor_offset": 64, "descriptor_length": 61, "data_offset": 4096,
            "data_length": 24})

    def test_json_numbers(self):
        kv = [("min", -2**63), ("max", hrry.Typed("uint64", 2**64 - 1)), ("nan", float("nan")),
              ("inf", float("inf")), ("low", -float("inf")), ("zero", -0.0), ("tenth", 0.1)]
        stats = hrry.statistics(0x3F, 3, 0.25, -float("inf"), float("inf"), float("inf"), float("nan"), 0.1, 2, 4, 1, 1)
        tensor = hrry.dense("float32", (4,), floats(1, 2, 3, 0), statistics=stats)
        result = self.ok("info", "--json", self.write("m.hrry", hrry.container([("w", *tensor)], kv=kv)))
        doc = result.json()
        self.assertEqual({key: value["value"] for key, value in doc["kv"].items()},
                         {"min": -2**63, "max": 2**64 - 1, "nan": "NaN", "inf": "Infinity", "low": "-Infinity",
                          "zero": 0.0, "tenth": 0.1})
        self.assertIn(b'"value":-0.0', result.out)
        self.assertEqual(doc["tensors"][0]["statistics"], {
            "nnz": 3, "sparsity_ratio": 0.25, "value_min": "-Infinity", "value_max": "Infinity",
            "value_abs_max": "Infinity", "value_mean": "NaN", "value_stddev": 0.1, "nm_n": 2, "nm_m": 4,
            "has_nan": True, "has_inf": True})

    def test_several_files(self):
        one, two = self.write("one.hrry", small_model()), self.write("two.hrry", hrry.container())
        docs = self.ok("info", "--json", one, two).json()
        self.assertEqual([doc["file"] for doc in docs], [one, two])
        lines = self.ok("info", one, two).lines
        self.assertEqual((lines[0], lines[-2]), (one + ":", two + ":"))

    def test_descriptor(self):
        desc = hrry.descriptor("int4", (128, hrry.DYNAMIC), buffers=[8192, 512],
                               quantization=hrry.per_channel(0, 1))
        path = self.write("d.bin", desc)
        doc = self.ok("info", "--json", path).json()
        self.assertEqual((doc["kind"], doc["container"], doc["kv"], len(doc["tensors"])),
                         ("descriptor", None, None, 1))
        tensor = doc["tensors"][0]
        self.assertEqual(tensor["shape"], [128, None])
        self.assertEqual(tensor["descriptor_length"], len(desc))
        self.assertEqual(tensor["quantization"], {
            "scheme": "per-channel-affine", "scheme_tag": 2, "version": 1, "flags": 1, "axis": 0,
            "scale_buffer_index": 1, "zero_point_buffer_index": None, "scale_type_tag": 3})
        self.assertIn("[128,?]", self.ok("info", path).text)

    def test_layout_fields(self):
        inner = hrry.u64s(1, 2) + hrry.u8s(2, 3, 0, 0) + hrry.i64s(2, 1)
        tiled = hrry.descriptor("float32", (6, 8), hrry.TILED, hrry.u64s(2, 4) + hrry.u8s(3, 4, 0, 0)
                                + hrry.i64s(2, 1) + inner, buffers=[192])
        tensor = self.ok("info", "--json", self.write("d", tiled)).json()["tensors"][0]
        self.assertEqual(tensor["layout_fields"], {
            "tile_shape": [2, 4], "outer_layout": 3, "inner_layout": 4, "outer_strides": [2, 1],
            "inner": {"tile_shape": [1, 2], "outer_layout": 2, "inner_layout": 3, "inner_strides": [2, 1]}})
        coo = hrry.descriptor("float32", (4, 4), hrry.COO, hrry.u64s(3) + hrry.u8s(1) + bytes(7), buffers=[12, 48])
        tensor = self.ok("info", "--json", self.write("d", coo)).json()["tensors"][0]
        self.assertEqual((tensor["layout"], tensor["layout_fields"]), ("coo", {"nnz": 3, "is_sorted": 1}))

    def long(self, data, *args):
        """The fields that --long shows, by name."""
        lines = self.ok("info", "--long", "--bytes", *args, self.write("d", data)).lines[1:]
        return {line[4:26].strip(): line[27:] for line in lines if line.startswith("    ")}

    def test_long(self):
        stats = hrry.statistics(0x3F, 3, 0.25, -1, 2.5, 2.5, 0.1, 1, 2, 4, 1, 0)
        shown = self.long(hrry.descriptor("int8", (4,), buffers=[4, hrry.buffer(16, 4096)], statistics=stats,
                                          quantization=hrry.per_channel(0, 1), shard=hrry.shard((8,), (4,))))
        self.assertEqual(shown, {
            "descriptor": "1.0, 181 bytes", "buffer 0": "4, alignment 64, CPU", "buffer 1": "16, alignment 4096, CPU",
            "quantization": "per-channel-affine (0x02), version 1, symmetric", "axis": "0",
            "scale_buffer_index": "1", "scale type": "float32", "parent_shape": "[8]", "shard_offset": "[4]",
            "statistics.nnz": "3", "sparsity_ratio": "0.25", "value_min": "-1", "value_max": "2.5",
            "value_abs_max": "2.5", "value_mean": "0.10000000000000001", "value_stddev": "1", "N:M sparsity": "2:4",
            "has_nan, has_inf": "1, 0"})
        shown = self.long(hrry.descriptor("int8", (3,), buffers=[3], quantization=hrry.per_tensor(0.1, -3)))
        self.assertEqual((shown["scale"], shown["zero_point"]), ("0.100000001", "-3"))
        shown = self.long(hrry.descriptor("float32", (6, 8), hrry.TILED, hrry.u64s(2, 4) + hrry.u8s(1, 2, 0, 0),
                                          buffers=[192]))
        self.assertEqual((shown["tile_shape"], shown["tiles, elements"]), ("[2,4]", "row-major, column-major"))
        shown = self.long(hrry.descriptor(0xF0, (2,), buffers=[4], extension_type=hrry.extension_type(
            16, 1, 1, 0, 1, 6, 9, 31)), "--allow-private")
        self.assertEqual(shown["extension type"], "16 bits, float 1-6-9, bias 31")
        shown = self.long(hrry.descriptor("float16", (9, 2, 8), hrry.BLOCK_PAGED, hrry.u32s(4) + hrry.u64s(5)
                                          + hrry.u32s(0, 2) + b"\0" + hrry.u32s(3) + bytes(7),
                                          buffers=[640, 12, 12]))
        self.assertEqual([shown[name] for name in ("page_size", "num_pages", "num_seqs", "kv_role", "layer_index")],
                         ["4", "5", "2", "0", "3"])

    def test_composites_are_trees(self):
        member = [hrry.descriptor("float32", (4, 4), buffers=[64], shard=hrry.shard((4, 8), (0, at))) for at in (0, 4)]
        path = self.write("m.hrry", hrry.container([
            ("whole", hrry.composite(1, 0, 2, shape=(4, 8)), []),
            ("b", member[0], [bytes(64)]), ("a", member[1], [bytes(64)]),
            ("after", *hrry.dense("int8", (1,), b"\1"))]))
        lines = self.ok("info", path).lines
        self.assertEqual([line.split("  ")[:2] for line in lines[:4]][0][0], "after")
        self.assertEqual([line[:len(prefix)] for line, prefix in zip(lines[1:4], ("whole ", "  b ", "  a "))],
                         ["whole ", "  b ", "  a "])
        self.assertTrue(lines[1].endswith("partition of 2"), lines[1])
        self.assertIn("33 elements", lines[4])

    def test_names_are_escaped(self):
        name = "a\x1b[31m\n\u202eb"
        path = self.write("m.hrry", hrry.container([(name, *hrry.dense("int8", (1,), b"\1"))],
                                                   kv=[("k\t", "v\x07")]))
        text = self.ok("info", path).text
        self.assertTrue(text.startswith("a\\x1b[31m\\n\\u{202e}b  "), text)
        self.assertIn('k\\t  string  "v\\x07"', text)
        self.assertEqual(self.ok("info", "--json", path).json()["tensors"][0]["name"], name)

    def test_map(self):
        data = small_model()
        path = self.write("m.hrry", data)
        regions = self.ok("info", "--map", "--json", path).json()["map"]
        at = 0
        for region in regions:
            self.assertEqual(region["offset"], at)
            at += region["size"]
        self.assertEqual(at, len(data))
        parts = [region["part"] for region in regions]
        self.assertEqual((parts[0], parts[1], parts[-2], parts[-1]), ("header", "descriptor", "index", "trailer"))
        self.assertEqual([(region["tensor"], region["size"]) for region in regions if region["part"] == "data"],
                         [("blk.10.w", 24), ("blk.2.w", 4), ("scalar", 8)])
        self.assertIn("kv", parts)
        lines = self.ok("info", "--map", "--bytes", path).lines
        self.assertEqual(lines[-1].split(), ["file", "100.00", "%", str(len(data))])

    def test_one_bad_tensor(self):
        broken = hrry.descriptor("float32", (2,), buffers=[8])
        broken = broken[:14] + b"\0" + broken[15:]
        path = self.write("m.hrry", hrry.container([("good", *hrry.dense("int8", (1,), b"\1")),
                                                    ("bad", broken, [bytes(8)])]))
        result = self.fails(1, "info", path)
        self.assertIn("tensor 'bad'", result.line)
        self.assertTrue(result.line.endswith("[D-08]"), result.line)
        self.assertIn("good", result.text)
        doc = self.fails(1, "info", "--json", path).json()
        self.assertEqual(doc["tensors"][1]["error"]["rule"], "D-08")


if __name__ == "__main__":
    unittest.main()
