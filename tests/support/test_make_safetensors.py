#!/usr/bin/env python3
"""The ready-made safetensors cases deserve their verdicts.

judge() is a strict reader of its own, which shares no code with the maker.
"""

import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from make_safetensors import Tensor, build, write  # noqa: E402
from safetensors_cases import CASES  # noqa: E402

BITS = {"4": 4, "6": 6, "8": 8, "16": 16, "32": 32, "64": 64}
NAMES = (
    "BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16 I32 U32 F32 "
    "C64 I64 U64 F64"
).split()
HEADER_LIMIT = 100000000


def bits_of(dtype):
    if dtype not in NAMES:
        raise ValueError("dtype")
    return 8 if dtype == "BOOL" else BITS["".join(c for c in dtype.split("_")[0] if c.isdigit())]


def unique(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("duplicate key")
    for key, value in pairs:
        for text in (key, value):
            if isinstance(text, str):
                text.encode("utf-8")
    return dict(pairs)


def natural(value):
    if type(value) is not int or not 0 <= value < 1 << 64:
        raise ValueError("number")
    return value


def judge(raw):
    """The header of a sound file; ValueError, RecursionError or struct.error for any other."""
    (length,) = struct.unpack_from("<Q", raw)
    if length > HEADER_LIMIT or length > len(raw) - 8:
        raise ValueError("header length")
    text = raw[8 : 8 + length].decode("utf-8")
    if not text.startswith("{"):
        raise ValueError("start")
    header = json.loads(text, object_pairs_hook=unique)
    metadata = header.pop("__metadata__", {})
    if type(metadata) is not dict or any(type(v) is not str for v in metadata.values()):
        raise ValueError("metadata")
    at = 0
    parts = []
    for info in header.values():
        if type(info) is not dict or set(info) != {"dtype", "shape", "data_offsets"}:
            raise ValueError("fields")
        if type(info["shape"]) is not list or type(info["data_offsets"]) is not list:
            raise ValueError("lists")
        begin, end = map(natural, info["data_offsets"])
        if bits_of(info["dtype"]) * math.prod(map(natural, info["shape"])) != 8 * (end - begin):
            raise ValueError("size")
        parts.append((begin, end))
    for begin, end in sorted(parts):
        if begin != at:
            raise ValueError("hole or overlap")
        at = end
    if at != len(raw) - 8 - length:
        raise ValueError("data length")
    return header


class Cases(unittest.TestCase):
    def test_sound_cases_are_sound(self):
        for case in CASES.values():
            if case.verdict in ("good", "refused"):
                with self.subTest(case.name):
                    judge(case.make())

    def test_bad_cases_are_bad(self):
        for case in CASES.values():
            if case.verdict == "bad" and not case.large:
                with self.subTest(case.name), self.assertRaises((ValueError, RecursionError, struct.error)):
                    judge(case.make())

    def test_every_dtype_is_there(self):
        seen = {info["dtype"] for info in judge(CASES["good_all_dtypes"].make()).values()}
        self.assertEqual(seen, {name for name in NAMES if not name.endswith("FNUZ")})

    def test_unaligned_cases_are_unaligned(self):
        raw = CASES["good_odd_header"].make()
        self.assertEqual(struct.unpack_from("<Q", raw)[0] % 2, 1)
        header = judge(CASES["good_unaligned"].make())
        self.assertTrue(any(info["data_offsets"][0] % 8 for info in header.values() if info["dtype"] == "F64"))

    def test_same_call_same_bytes_and_write_equals_build(self):
        tensors = [Tensor("a", "F32", [600, 700]), Tensor("b", "BOOL", [9])]
        raw = build(tensors, {"k": "v"})
        self.assertEqual(raw, build(tensors, {"k": "v"}))
        self.assertLessEqual(set(raw[-9:]), {0, 1})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x")
            write(path, tensors, {"k": "v"})
            with open(path, "rb") as stream:
                self.assertEqual(raw, stream.read())

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x")
            tool = [sys.executable, os.path.join(HERE, "make_safetensors.py")]
            subprocess.run(tool + ["file", path, "--tensor", "a:b:F16:2x3", "--tensor", "s:I64:", "--meta", "k=v=w"], check=True)
            with open(path, "rb") as stream:
                header = judge(stream.read())
            self.assertEqual([(n, i["dtype"], i["shape"]) for n, i in header.items()], [("a:b", "F16", [2, 3]), ("s", "I64", [])])
            subprocess.run(tool + ["cases", folder], check=True)
            names = {case.name + ".safetensors" for case in CASES.values() if not case.large}
            self.assertEqual(set(os.listdir(folder)), names | {"x", "cases.tsv"})


if __name__ == "__main__":
    unittest.main()
