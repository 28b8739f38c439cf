#!/usr/bin/env python3
"""Values of the conformance tensors, whatever the layout, type and scheme."""

import gzip
import json
import os
import struct
import sys
import unittest

from cli_case import CliCase, SHARED
from values_case import flat, read_npy, same, strict_json

TENSORS = os.path.join(SHARED, "conformance", "tensors")


def cases():
    for name in sorted(os.listdir(TENSORS)):
        if name.endswith(".json"):
            with open(os.path.join(TENSORS, name)) as file:
                yield json.load(file)


class Values(CliCase):
    def tensor(self, case):
        path = os.path.join(TENSORS, case["name"] + ".hrry")
        if os.path.exists(path):
            return path
        with gzip.open(path + ".gz") as file:
            return self.write(case["name"] + ".hrry", file.read())

    def cat(self, case, *args):
        return self.ok("cat", self.tensor(case), case["tensor"], *args)

    def leaves(self, case, *args):
        """In JSON a complex number is a pair, which is no dimension."""
        leaves = flat(strict_json(self.cat(case, "--format", "json", *args).text))
        if case["value_type"].startswith("complex"):
            return [leaves[k:k + 2] for k in range(0, len(leaves), 2)]
        return leaves

    def test_values(self):
        count = 0
        for case in cases():
            if "refuse" in case:
                self.fails(1, "cat", self.tensor(case), case["tensor"])
                continue
            with self.subTest(case["name"]):
                count += 1
                self.check(case, self.leaves(case), case["values"])
                if "stored" in case:
                    self.check(case, self.leaves(case, "--stored"), case["stored"])
                if "raw" in case:
                    raw = self.cat(case, "--format", "raw").out
                    self.assertEqual(self.bits(case, raw), self.bits(case, bytes.fromhex(case["raw"])))
                shape = read_npy(self.hurray("cat", self.tensor(case), case["tensor"], "--format", "npy").out)[1]
                self.assertEqual(list(shape), case["shape"])
                for region in case.get("regions", []):
                    self.check(case, self.leaves(case, "--region", region["region"]), region["values"])
        self.assertGreater(count, 150)

    def bits(self, case, raw):
        """Quantized values are told apart by their bits, but the format does not say which NaN it is."""
        if not case["scheme"]:
            return raw
        values = struct.unpack("<%df" % (len(raw) // 4), raw)
        return [raw[4 * k:4 * k + 4] if value == value else "NaN" for k, value in enumerate(values)]

    def check(self, case, got, want):
        digits = 17 if case["value_type"] in ("float64", "float128", "complex128") else 9
        def rounded(value):
            if isinstance(value, list):
                return list(map(rounded, value))
            return float("%.*g" % (digits, value)) if isinstance(value, float) else value
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, rounded(want)):
            self.assertTrue(same(a, b), (a, b))


if __name__ == "__main__":
    if not os.path.isdir(TENSORS):
        print("skipped: no conformance data at %s" % TENSORS)
        sys.exit(77)
    unittest.main()
