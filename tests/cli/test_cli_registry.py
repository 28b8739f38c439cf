#!/usr/bin/env python3
"""registry: every value of the format, by a list of its own."""

import unittest

from cli_case import CliCase, hrry

LAYOUTS = {"row-major": 1, "column-major": 2, "strided": 3, "tiled": 4, "morton": 5, "coo": 6, "csr": 7, "csc": 8,
           "csf": 9, "block-paged": 10, "composite": 11, "hilbert": 0x40}
SCHEMES = {"per-tensor-affine": 1, "per-channel-affine": 2, "per-block-affine": 3, "nf4": 4, "mxfp": 5}


class Registry(CliCase):
    def test_json(self):
        doc = self.ok("registry", "--json").json()
        self.assertEqual(doc["versions"], {"descriptor": "1.0", "container": "1.0",
                                           "schemes": {name: 1 for name in SCHEMES}})
        for key, want in [("types", hrry.TYPES), ("layouts", LAYOUTS), ("schemes", SCHEMES)]:
            self.assertEqual({row["name"]: row["tag"] for row in doc[key]}, want)
            for row in doc[key]:
                self.assertEqual((row["since"], row["deprecated_since"], row["replacement"]), ("1.0", None, None))
        for row in doc["types"] + doc["layouts"]:
            self.assertEqual(row["tier"], 1 if row["tag"] < 0x40 else 2, row)
        self.assertEqual([row["tier"] for row in doc["schemes"]], [1, 1, 1, 2, 2])
        self.assertEqual([row["tag"] for row in doc["devices"]], list(range(9)))
        self.assertEqual([row["tag"] for row in doc["memory_classes"]], list(range(4)))
        self.assertEqual([row["tag"] for row in doc["sync_modes"]], list(range(3)))
        self.assertEqual({row["name"]: row["bit"] for row in doc["file_flags"]},
                         {"HAS_KV_METADATA": 0, "SORTED_INDEX": 1, "HAS_INDEX_CRC32C": 2})
        self.assertEqual({row["name"]: row["bit"] for row in doc["descriptor_flags"]},
                         {"HAS_QUANTIZATION": 0, "HAS_SHARD": 1, "HAS_EXTENSION_TYPE": 2, "HAS_STATISTICS": 3,
                          "HAS_COMPOSITE_MEMBER": 4})
        self.assertEqual({row["name"]: row["tag"] for row in doc["kv_types"]}, hrry.KV_TAGS)
        self.assertEqual([(row["name"], row["flag_bit"]) for row in doc["sections"]],
                         [("quantization", 0), ("shard", 1), ("statistics", 3), ("extension type", 2),
                          ("composite member", 4)])

    def test_text(self):
        lines = self.ok("registry").lines
        self.assertEqual(lines[:2], ["descriptor 1.0", "container 1.0"])
        words = [line.split() for line in lines]
        for name, tag in {**hrry.TYPES, **LAYOUTS, **SCHEMES}.items():
            self.assertIn(["0x%02x" % tag, name], [[w[0], w[-1]] for w in words if len(w) > 1])


if __name__ == "__main__":
    unittest.main()
