#!/usr/bin/env python3
"""stats: against Python's own statistics and the conformance tensors."""

import gzip
import json
import math
import os
import random
import statistics
import unittest

from cli_case import CliCase, SHARED, floats, hrry
from values_case import f32, model_of

KEYS = ["name", "nnz", "sparsity_ratio", "value_min", "value_max", "value_abs_max", "value_mean", "value_stddev",
        "nm_n", "nm_m", "has_nan", "has_inf"]
TENSORS = os.path.join(SHARED, "conformance", "tensors")


class Stats(CliCase):
    def setUp(self):
        super().setUp()
        rng = random.Random(8)
        self.values = [f32(rng.gauss(1, 3)) if k % 5 else 0.0 for k in range(1000)]
        self.write("m.hrry", model_of(("w", "float32", (10, 100), floats(*self.values)),
                                      ("odd", "float32", (4,), floats(float("nan"), float("inf"), -math.inf, 1)),
                                      ("none", "float32", (0,), b"")))

    def stats(self, *args):
        doc = self.ok("stats", "--json", *args).json()
        return {tensor["name"]: tensor for tensor in doc["tensors"]}

    def check(self, got, values):
        self.assertEqual(list(got), KEYS)
        self.assertEqual((got["nnz"], got["value_min"], got["value_max"]),
                         (sum(x != 0 for x in values), min(values), max(values)))
        self.assertAlmostEqual(got["sparsity_ratio"], 1 - got["nnz"] / len(values))
        self.assertEqual(got["value_abs_max"], max(map(abs, values)))
        self.assertAlmostEqual(got["value_mean"], statistics.fmean(values), places=12)
        self.assertAlmostEqual(got["value_stddev"], statistics.pstdev(values), places=12)

    def test_json(self):
        stats = self.stats("m.hrry")
        self.check(stats["w"], self.values)
        self.assertEqual(stats, self.stats("m.hrry", "-j", "2"))
        odd = stats["odd"]
        self.assertEqual([odd[key] for key in ("value_min", "value_max", "value_mean", "has_nan", "has_inf")],
                         ["-Infinity", "Infinity", None, True, True])
        self.assertEqual((stats["none"]["nnz"], stats["none"]["value_max"]), (0, None))
        self.assertEqual(list(self.stats("m.hrry", "--include", "w")), ["w"])

    def test_text(self):
        lines = self.ok("stats", "m.hrry").lines
        self.assertEqual(len(lines), 4)
        odd = next(line for line in lines if "odd" in line)
        self.assertIn("-Infinity", odd)
        self.assertTrue(odd.endswith("odd  NaN  Infinity"), odd)

    def test_histogram(self):
        h = self.stats("m.hrry", "--histogram", "--include", "w")["w"]["histogram"]
        low, high, bins = min(self.values), max(self.values), len(h["counts"])
        self.assertEqual((h["lo"], h["hi"], sum(h["counts"])), (low, high, 1000))
        counts = [0] * bins
        for x in self.values:
            counts[min(int((x - low) / (high - low) * bins), bins - 1)] += 1
        self.assertEqual(h["counts"], counts)
        lines = self.ok("stats", "m.hrry", "--histogram", "--include", "w").lines
        self.assertEqual([int(line.split()[-1]) for line in lines[2:]], counts)

    def test_written(self):
        before = self.read("m.hrry")
        self.ok("stats", "m.hrry", "--write", "-o", "out.hrry")
        self.assertEqual(self.read("m.hrry"), before)
        self.ok("check", "--lint", "out.hrry")
        tensors = {t["name"]: t for t in self.ok("info", "--json", "out.hrry").json()["tensors"]}
        self.check({**dict.fromkeys(KEYS), **tensors["w"]["statistics"]}, self.values)
        self.assertEqual(self.ok("cat", "out.hrry", "w").out, self.ok("cat", "m.hrry", "w").out)
        self.fails(2, "stats", "m.hrry", "--write")
        self.fails(2, "stats", "m.hrry", "-o", "new.hrry")
        self.fails(2, "stats", "m.hrry", "--write", "-o", "out.safetensors")
        self.fails(2, "stats", "m.hrry", "--write", "-o", "out.hrry")

    def test_false_statistics_change_nothing(self):
        false = hrry.statistics(0x3F, nnz=1, ratio=0.5, low=-9, high=9, abs_max=9, mean=3, stddev=1)
        self.write("f.hrry", hrry.container([("w", *hrry.dense("float32", (2,), floats(5, 7), statistics=false))]))
        self.check(self.stats("f.hrry")["w"], [5, 7])
        self.assertEqual(self.ok("cat", "f.hrry", "w").text, "5\n7\n")

    def test_refused(self):
        private = hrry.descriptor(0xF3, (2,), buffers=[4], extension_type=hrry.extension_type(16))
        self.write("p.hrry", hrry.container([("p", private, [b"abcd"]), ("i", *hrry.dense("int8", (1,), b"\1"))]))
        result = self.fails(1, "stats", "p.hrry", "--permissive", "--json")
        self.assertEqual([t["name"] for t in result.json()["tensors"]], ["i"])

    @unittest.skipUnless(os.path.isdir(TENSORS), "no conformance data")
    def test_conformance(self):
        count = 0
        for name in sorted(os.listdir(TENSORS)):
            if not name.endswith(".json"):
                continue
            with open(os.path.join(TENSORS, name)) as file:
                case = json.load(file)
            if "refuse" in case or not case.get("statistics"):
                continue
            path = os.path.join(TENSORS, case["name"] + ".hrry")
            if not os.path.exists(path):
                with gzip.open(path + ".gz") as file:
                    path = self.write(case["name"] + ".hrry", file.read())
            got = self.stats(path)[case["tensor"]]
            for key, want in case["statistics"].items():
                if isinstance(want, float) and isinstance(got[key], float):
                    self.assertTrue(math.isclose(got[key], want, rel_tol=1e-9), (case["name"], key, got[key], want))
                else:
                    self.assertEqual(got[key], want, (case["name"], key))
            count += 1
        self.assertGreater(count, 100)


if __name__ == "__main__":
    unittest.main()
