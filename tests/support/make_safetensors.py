#!/usr/bin/env python3
"""Make safetensors files for tests, sound ones and broken ones.

As a module:
    build([Tensor("w", "F32", [2, 3])], {"key": "value"})   -> the bytes of a file
    write("big.safetensors", [Tensor("w", "F32", [1 << 28])])  streams, whatever the size
    frame(header, data, length)                             -> any header, right or wrong

As a command:
    make_safetensors.py file OUT --tensor NAME:DTYPE:2x3 ... [--meta KEY=VALUE ...] [--many N] [--align N]
    make_safetensors.py list            the ready-made cases: name, verdict, what they show
    make_safetensors.py case NAME OUT
    make_safetensors.py cases DIR       all of them but the large, with cases.tsv
The cases and the meaning of their verdicts stand in safetensors_cases.py.
"""

import argparse
import json
import os
import random
import struct
import sys
from dataclasses import dataclass
from typing import Optional, Sequence

# Bits of an element.
DTYPES = {
    "BOOL": 8,
    "F4": 4,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "U8": 8,
    "I8": 8,
    "F8_E5M2": 8,
    "F8_E4M3": 8,
    "F8_E8M0": 8,
    "I16": 16,
    "U16": 16,
    "F16": 16,
    "BF16": 16,
    "I32": 32,
    "U32": 32,
    "F32": 32,
    "C64": 64,
    "I64": 64,
    "U64": 64,
    "F64": 64,
}
# Known to safetensors, without a counterpart in Hurray.
FNUZ = {"F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8}

# Not a power of two, so that a block copied to a wrong place shows.
PATTERN_BLOCK = 1000003


@dataclass
class Tensor:
    """data None stands for pattern bytes, which are the same for the same name, dtype and size."""

    name: str
    dtype: str
    shape: Sequence[int]
    data: Optional[bytes] = None

    def size(self):
        return byte_size(self.dtype, self.shape)

    def chunks(self):
        if self.data is not None:
            yield self.data
            return
        left = self.size()
        block = pattern(f"{self.name}/{self.dtype}", self.dtype, min(left, PATTERN_BLOCK))
        while left:
            yield block[:left]
            left -= min(left, len(block))


def byte_size(dtype, shape):
    bits = DTYPES.get(dtype) or FNUZ[dtype]
    for extent in shape:
        bits *= extent
    if bits % 8:
        raise ValueError(f"{dtype} {list(shape)} does not fill whole bytes")
    return bits // 8


def pattern(seed, dtype, size):
    """Bytes that are legal elements of dtype: any bits do, except in BOOL and F8_E8M0."""
    raw = random.Random(seed).randbytes(size)
    if dtype == "BOOL":
        return bytes(byte & 1 for byte in raw)
    if dtype == "F8_E8M0":
        return bytes(byte % 254 + 1 for byte in raw)
    return raw


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def header_for(tensors, metadata=None, data_order=None):
    """The header, keys in the order of tensors; data_order lists the indices in the order of the data."""
    offsets, at = {}, 0
    for index in data_order or range(len(tensors)):
        offsets[index] = (at, at + tensors[index].size())
        at = offsets[index][1]
    header = {} if metadata is None else {"__metadata__": dict(metadata)}
    for index, tensor in enumerate(tensors):
        if tensor.name in header:
            raise ValueError(f"{tensor.name} twice; frame() takes such a header as text")
        header[tensor.name] = entry(tensor.dtype, tensor.shape, *offsets[index])
    return header


def encode(header, align=8):
    """Header bytes, padded with spaces so that the data begin at a multiple of align."""
    if isinstance(header, dict):
        header = json.dumps(header, separators=(",", ":"), ensure_ascii=False)
    raw = header if isinstance(header, bytes) else header.encode("utf-8")
    return raw + b" " * (-(8 + len(raw)) % align)


def frame(header, data=b"", length=None, align=8):
    """A file of a header (dict, str or bytes, taken as it is) and data; length overrides the true length."""
    raw = encode(header, align)
    return struct.pack("<Q", len(raw) if length is None else length) + raw + data


def build(tensors, metadata=None, align=8, data_order=None):
    order = data_order or range(len(tensors))
    data = b"".join(chunk for index in order for chunk in tensors[index].chunks())
    return frame(header_for(tensors, metadata, data_order), data, align=align)


def write(path, tensors, metadata=None, align=8):
    with open(path, "wb") as stream:
        stream.write(frame(header_for(tensors, metadata), align=align))
        for tensor in tensors:
            for chunk in tensor.chunks():
                stream.write(chunk)


def parse_tensor(text):
    name, dtype, shape = text.rsplit(":", 2)
    if dtype not in DTYPES and dtype not in FNUZ:
        raise argparse.ArgumentTypeError(f"unknown dtype {dtype}")
    return Tensor(name, dtype, [int(extent) for extent in shape.split("x")] if shape else [])


def parse_meta(text):
    key, _, value = text.partition("=")
    return key, value


def command_file(args):
    tensors = list(args.tensor)
    tensors += [Tensor(f"layer.{i}.weight", "F32", [4]) for i in range(args.many)]
    write(args.out, tensors, dict(args.meta) if args.meta else None, args.align)


def command_list(args):
    for case in args.cases.values():
        print(case.name, case.verdict, case.about, sep="\t")


def command_case(args):
    if args.name not in args.cases:
        sys.exit(f"no case {args.name}")
    with open(args.out, "wb") as stream:
        stream.write(args.cases[args.name].make())


def command_cases(args):
    os.makedirs(args.dir, exist_ok=True)
    with open(os.path.join(args.dir, "cases.tsv"), "w", encoding="utf-8") as table:
        for case in args.cases.values():
            if case.large:
                continue
            print(case.name, case.verdict, case.about, sep="\t", file=table)
            with open(os.path.join(args.dir, case.name + ".safetensors"), "wb") as stream:
                stream.write(case.make())


def main():
    parser = argparse.ArgumentParser(description="make safetensors files for tests")
    commands = parser.add_subparsers(required=True)
    file = commands.add_parser("file", help="a file of the given tensors, filled with pattern bytes")
    file.add_argument("out")
    file.add_argument("--tensor", type=parse_tensor, action="append", default=[], metavar="NAME:DTYPE:2x3")
    file.add_argument("--many", type=int, default=0, metavar="N", help="N small tensors more")
    file.add_argument("--meta", type=parse_meta, action="append", metavar="KEY=VALUE")
    file.add_argument("--align", type=int, default=8, help="where the data begin; 1 leaves the header unpadded")
    file.set_defaults(run=command_file)
    commands.add_parser("list").set_defaults(run=command_list)
    case = commands.add_parser("case")
    case.add_argument("name")
    case.add_argument("out")
    case.set_defaults(run=command_case)
    every = commands.add_parser("cases")
    every.add_argument("dir")
    every.set_defaults(run=command_cases)
    args = parser.parse_args()
    # Imported here because the cases are built with this module.
    from safetensors_cases import CASES

    args.cases = CASES
    args.run(args)


if __name__ == "__main__":
    main()
