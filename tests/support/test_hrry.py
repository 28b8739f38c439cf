#!/usr/bin/env python3
"""The assembler of test inputs, against the bytes that the format's text gives."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hrry  # noqa: E402


class Bytes(unittest.TestCase):
    def test_crc_check_value(self):
        self.assertEqual(hrry.crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(hrry.crc32c(bytes(8)), 0x8C28B28A)

    def test_row_major_dump(self):
        want = bytes.fromhex("48525259" "0100" "3d000000" "00000000" "03" "01" "02000000"
                             "0300000000000000" "0400000000000000" "0000000000000000"
                             "01" "c000000000000000" "40000000" "00000000")
        self.assertEqual(hrry.descriptor("float32", (3, 4), buffers=[192]), want)

    def test_per_block_dump(self):
        got = hrry.descriptor("int4", (128, 128), buffers=[8192, 256],
                              quantization=hrry.per_block(1, 128, 1, scale_type=1))
        self.assertEqual(len(got), 105)
        self.assertEqual(got[77:].hex(), "18000000" "03010100" "01000000" "80000000" "01000000" "ffffffff" "01000000")

    def test_overlay_member_dump(self):
        got = hrry.descriptor("float32", (4, 4), buffers=[64], shard=hrry.shard((4, 4), (0, 0)), role=1)
        self.assertEqual(len(got), 109)
        self.assertEqual(got[10], 0x12)
        self.assertEqual(got[93:], b"\1" + bytes(15))

    def test_smallest_container(self):
        got = hrry.container()
        self.assertEqual(len(got), 112)
        self.assertEqual(got[12:16].hex(), "04000000")
        self.assertEqual(got[64:72], bytes(8))
        self.assertEqual(got[72:].hex(), "4000000000000000" "0800000000000000" + "00" * 12 + "8ab2288c" "00000000"
                         "48525259")

    def test_statistics_and_extension_sizes(self):
        self.assertEqual(len(hrry.statistics(0)), 72)
        self.assertEqual(len(hrry.extension_type()), 20)
        self.assertEqual([len(q) for q in (hrry.per_tensor(1, 0), hrry.per_channel(0, 1), hrry.per_block(0, 2, 1),
                                           hrry.nf4(0, 8, 1), hrry.mxfp(0, 32, 1))], [16, 20, 24, 16, 16])


if __name__ == "__main__":
    unittest.main()
