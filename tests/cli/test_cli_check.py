#!/usr/bin/env python3
"""check: verdicts, rules, offsets, kinds."""

import unittest

from cli_case import CliCase, hrry, small_model


class Check(CliCase):
    def test_valid(self):
        path = self.write("m.hrry", small_model())
        self.assertEqual(self.ok("check", path).text, "%s: valid container, 4 tensors\n" % path)
        self.assertEqual(self.ok("check", "-q", path).text, "")
        self.assertEqual(self.ok("verify", "--json", path).json(),
                         {"file": path, "kind": "container", "valid": True, "violations": []})
        self.assertEqual(self.ok("check", "--json", "--lint", path).json()["lint"], [])

    def test_violation(self):
        data = bytearray(small_model())
        data[64 + 15] = 0xFF  # the layout tag of the first descriptor
        path = self.write("m.hrry", bytes(data))
        result = self.fails(1, "check", path)
        self.assertEqual(len(result.lines), 1)
        self.assertTrue(result.lines[0].startswith("%s: 79: tensor 'blk.10.w': " % path), result.lines)
        self.assertTrue(result.lines[0].endswith(" [D-12]"))
        self.assertTrue(result.line.startswith("hurray: %s: 79: " % path) and result.line.endswith(" [D-12]"))
        done = self.hurray("check", "--json", path)
        doc = done.json()
        self.assertEqual((done.code, doc["valid"], len(doc["violations"])), (1, False, 1))
        violation = doc["violations"][0]
        self.assertEqual(list(violation), ["rule", "offset", "tensor", "message"])
        self.assertEqual((violation["rule"], violation["offset"], violation["tensor"]), ("D-12", 79, "blk.10.w"))

    def test_every_tensor_is_looked_at(self):
        tensors = []
        for k, tag in enumerate((0x00, 0x03, 0x47)):
            desc = bytearray(hrry.descriptor("float32", (1,), buffers=[4]))
            desc[14] = tag
            tensors.append(("t%d" % k, bytes(desc), [bytes(4)]))
        doc = self.hurray("check", "--json", self.write("m.hrry", hrry.container(tensors))).json()
        self.assertEqual([(v["tensor"], v["rule"]) for v in doc["violations"]], [("t0", "D-08"), ("t2", "D-09")])

    def test_damaged_file(self):
        data = small_model()
        for name, bad, rule in [("short", data[:100], "F-01"), ("cut", data[:-1], "F-08"),
                                ("longer", data + b"\0", "F-08"), ("magic", b"h" + data[1:], "F-02"),
                                ("empty", b"", "F-01"), ("major", data[:8] + b"\2" + data[9:], "F-03")]:
            with self.subTest(name):
                path = self.write("m.hrry", bad)
                self.assertTrue(self.fails(1, "check", path).line.endswith("[%s]" % rule))
                for command in ("info", "inspect"):
                    self.assertTrue(self.fails(1, command, path).line.endswith("[%s]" % rule))

    def test_kinds(self):
        desc = hrry.descriptor("int8", (3,), buffers=[3])
        for name, data, kind in [("d", desc, "descriptor"), ("d.hrry", desc, "descriptor"),
                                 ("c", hrry.container(), "container")]:
            with self.subTest(name):
                self.assertEqual(self.ok("check", "--json", self.write(name, data)).json()["kind"], kind)

    def test_streams_get_no_verdict(self):
        stream = hrry.descriptor("int8", (3,), buffers=[3]) + b"\1\2\3"
        self.assertIn("raw stream", self.fails(2, "check", self.write("s", stream)).line)
        self.assertIn("raw stream", self.fails(1, "info", "s").line)
        fields = self.ok("inspect", "--json", "s").json()["fields"]
        self.assertEqual((fields[-1]["offset"], fields[-1]["hex"]), (53, "010203"))

    def test_unknown_bytes_are_named(self):
        path = self.write("x", b"GARBAGE!garbage!")
        self.assertIn("47 41 52 42 41 47 45 21", self.fails(1, "info", path).line)
        self.assertIn("47 41 52 42 41 47 45 21", self.hurray("check", path).text)
        self.assertEqual(self.hurray("check", path).code, 1)

    def test_descriptor_versions_and_cuts(self):
        desc = hrry.descriptor("int8", (3,), buffers=[3])
        for name, data, rule in [("major 2", desc[:4] + b"\2" + desc[5:], "D-03"),
                                 ("major 0", desc[:4] + b"\0" + desc[5:], "D-04"),
                                 ("cut", desc[:9], "D-01"), ("cut later", desc[:-1], "D-01"),
                                 ("magic", b"hrry" + desc[4:], "D-02"),
                                 ("length", hrry.descriptor("int8", (3,), buffers=[3], length=19), "D-05")]:
            with self.subTest(name):
                self.assertTrue(self.fails(1, "check", self.write("d", data)).line.endswith("[%s]" % rule))

    def test_private_and_permissive(self):
        private = hrry.descriptor(0xF0, (2,), buffers=[4], extension_type=hrry.extension_type())
        path = self.write("p", private)
        self.assertTrue(self.fails(1, "check", path).line.endswith("[D-10]"))
        self.ok("check", "--allow-private", path)
        tensor = self.ok("info", "--json", "--allow-private", path).json()["tensors"][0]
        self.assertEqual((tensor["type"], tensor["type_tag"], tensor["extension_type"]["bit_width"]),
                         ("extension", 0xF0, 16))
        self.assertNotIn("opaque", tensor)
        tensor = self.ok("info", "--json", "--permissive", path).json()["tensors"][0]
        self.assertIs(tensor["opaque"], True)

    def test_lint_changes_nothing(self):
        stats = hrry.statistics(0x08, stddev=-1.0)
        path = self.write("d", hrry.descriptor("int8", (3,), buffers=[3], statistics=stats))
        doc = self.ok("check", "--json", "--lint", path).json()
        self.assertEqual((doc["valid"], doc["violations"]), (True, []))
        self.assertEqual([(l["rule"], l["tensor"]) for l in doc["lint"]], [("D-57", None)])
        self.assertNotIn("lint", self.ok("check", "--json", path).json())
        self.assertIn("[D-57]", self.ok("check", "--lint", path).text)

    def test_contents(self):
        """The second element of a COO tensor [4] lies at 4; its index is the second number of buffer 1."""
        fields = hrry.u64s(2) + bytes([1]) + bytes(7)
        coo = hrry.descriptor("uint4", (4,), hrry.COO, fields, buffers=[1, 16])
        path = self.write("m.hrry", hrry.container([("a", *hrry.dense("int8", (1,), b"\1")),
                                                    ("s", coo, [b"\x12", hrry.u64s(1, 4)])]))
        tensors = self.ok("info", "--json", path).json()["tensors"]
        at = next(t["data_offset"] for t in tensors if t["name"] == "s") + 4096
        doc = self.hurray("check", "--json", path).json()
        self.assertEqual([(v["rule"], v["offset"], v["tensor"]) for v in doc["violations"]],
                         [("L-COO-20", at + 8, "s")])
        self.assertIn("[L-COO-20]", self.fails(1, "check", path).line)
        self.ok("check", "--headers-only", path)

    def test_threads_find_the_first_fault(self):
        """Of two coordinates out of range, far apart, the first is reported by any number of threads."""
        count = 500000
        indices = list(range(count))
        indices[200001] = indices[450000] = count
        coo = hrry.descriptor("uint8", (count,), hrry.COO, hrry.u64s(count) + bytes(8), buffers=[count, 8 * count])
        path = self.write("m.hrry", hrry.container([("s", coo, [bytes(count), hrry.u64s(*indices)])]))
        docs = [self.hurray("check", "--json", "-j", threads, path).json() for threads in ("1", "2", "5")]
        at = self.ok("info", "--json", path).json()["tensors"][0]["data_offset"]
        first = -(-(at + count) // 4096) * 4096 + 8 * 200001
        for doc in docs:
            self.assertEqual([(v["rule"], v["offset"]) for v in doc["violations"]], [("L-COO-20", first)])

    def test_bits_behind_the_last_element(self):
        path = self.write("m.hrry", hrry.container([("u", *hrry.dense("uint4", (3,), b"\x21\x53"))]))
        at = self.ok("info", "--json", path).json()["tensors"][0]["data_offset"]
        doc = self.ok("check", "--json", "--lint", path).json()
        self.assertEqual([(l["rule"], l["offset"], l["tensor"]) for l in doc["lint"]], [("E-01", at + 1, "u")])
        self.assertEqual(self.ok("check", "--json", "--lint", "--headers-only", path).json()["lint"], [])

    def test_standard_input(self):
        data = small_model()
        self.assertEqual(self.ok("check", "-", stdin=data).text, "-: valid container, 4 tensors\n")
        self.assertEqual(self.ok("check", "--json", "-", stdin=data).json()["file"], "-")
        line = self.fails(1, "info", "-", stdin=data[:-8]).line
        self.assertTrue(line.startswith("hurray: standard input: "), line)
        with open(self.write("m.hrry", data), "rb") as file:
            self.assertEqual(self.hurray("info", "-", stdin=file.read()).text, self.ok("info", "m.hrry").text)


if __name__ == "__main__":
    unittest.main()
