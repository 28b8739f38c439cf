#!/usr/bin/env python3
"""The sample model is what samples/README.md and its own metadata say it is.

Reads the file and runs the network with the standard library alone, so the counts
that other tests compare with do not come from the library that is under test.
"""

import json
import os
import struct
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATH = os.path.join(ROOT, "samples", "digits.safetensors")
SIZE_LIMIT = 200 * 1024
ITEM = {"F32": ("f", 4), "U8": ("B", 1)}
SHAPES = {
    "fc1.weight": ("F32", [128, 64]),
    "fc1.bias": ("F32", [128]),
    "fc2.weight": ("F32", [64, 128]),
    "fc2.bias": ("F32", [64]),
    "fc3.weight": ("F32", [10, 64]),
    "fc3.bias": ("F32", [10]),
    "test.inputs": ("U8", [360, 64]),
    "test.labels": ("U8", [360]),
}


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("duplicate key")
    return dict(pairs)


def product(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def rows(values, width):
    return [values[i : i + width] for i in range(0, len(values), width)]


def dense(weight, bias, vector):
    return [sum(map(float.__mul__, row, vector), start) for row, start in zip(weight, bias)]


class Sample(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(PATH, "rb") as stream:
            cls.file = stream.read()
        (cls.length,) = struct.unpack_from("<Q", cls.file)
        text = cls.file[8 : 8 + cls.length]
        cls.header = json.loads(text.decode("utf-8"), object_pairs_hook=no_duplicates)
        cls.metadata = cls.header.pop("__metadata__")
        cls.data = cls.file[8 + cls.length :]

    def values(self, name):
        info = self.header[name]
        code, _ = ITEM[info["dtype"]]
        begin, _ = info["data_offsets"]
        return list(struct.unpack_from(f"<{product(info['shape'])}{code}", self.data, begin))

    def test_size_and_header(self):
        self.assertLess(len(self.file), SIZE_LIMIT)
        self.assertEqual(self.length % 8, 0)
        self.assertEqual(self.file[8:9], b"{")
        self.assertEqual({k: (v["dtype"], v["shape"]) for k, v in self.header.items()}, SHAPES)
        self.assertTrue(all(isinstance(v, str) for v in self.metadata.values()))

    def test_data_is_covered_without_hole_or_overlap(self):
        at = 0
        for name, info in self.header.items():
            begin, end = info["data_offsets"]
            self.assertEqual(begin, at, name)
            self.assertEqual(end - begin, product(info["shape"]) * ITEM[info["dtype"]][1], name)
            at = end
        self.assertEqual(at, len(self.data))

    def test_inputs_and_labels_in_range(self):
        self.assertEqual(set(self.values("test.inputs")), set(range(17)))
        self.assertEqual(set(self.values("test.labels")), set(range(10)))

    def test_accuracy_is_what_the_metadata_says(self):
        scale = float(self.metadata["input_scale"])
        layers = []
        for layer in self.metadata["layers"].split(","):
            _, width = self.header[layer + ".weight"]["shape"]
            layers.append((rows(self.values(layer + ".weight"), width), self.values(layer + ".bias")))
        correct, margin = 0, float("inf")
        labels = self.values("test.labels")
        for row, label in zip(rows(self.values("test.inputs"), 64), labels):
            vector = [pixel * scale for pixel in row]
            for i, (weight, bias) in enumerate(layers):
                vector = dense(weight, bias, vector)
                if i + 1 < len(layers):
                    vector = [max(x, 0.0) for x in vector]
            second, best = sorted(vector)[-2:]
            correct += vector.index(best) == label
            margin = min(margin, best - second)
        self.assertEqual(str(len(labels)), self.metadata["test_count"])
        self.assertEqual(str(correct), self.metadata["test_correct"])
        self.assertEqual(f"{correct / len(labels):.6f}", self.metadata["test_accuracy"])
        self.assertGreater(correct / len(labels), 0.96)
        # Whoever adds in another order or in float32 must get the same count.
        self.assertGreater(margin, 0.05)


if __name__ == "__main__":
    unittest.main()
