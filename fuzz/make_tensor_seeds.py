"""Writes the seeds of the targets sparse, region, relayout and quantize: small tensors of every layout as tensor_input.h reads them."""

import os
import random
import struct
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
import hrry  # noqa: E402

chance = random.Random(1)


def write(target, name, descriptor, *buffers):
    """To relayout and quantize as well, which take both."""
    seed = struct.pack("<Q", chance.getrandbits(64)) + descriptor + b"".join(buffers)
    for folder in target, "relayout", "quantize":
        folder = os.path.join(TOP, "fuzz", "corpus", folder)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(seed)


def tensor(target, name, layout, fields, shape, buffers, type="float32", **more):
    rows = [hrry.buffer(len(data)) for data in buffers]
    write(target, name, hrry.descriptor(type, shape, layout, fields, buffers=rows, **more), *buffers)


def data(nbytes):
    return bytes(chance.getrandbits(8) for _ in range(nbytes))


def sparse():
    coo = struct.pack("<QB7x", 3, 1)
    tensor("sparse", "coo", hrry.COO, coo, (4, 4), [data(12), hrry.u64s(0, 1, 2, 0, 3, 3)])
    tensor("sparse", "coo_unsorted", hrry.COO, struct.pack("<QB7x", 3, 0), (4, 4, 2),
           [data(6), hrry.u64s(3, 3, 1, 0, 1, 0, 2, 0, 1)], type="float16")
    tensor("sparse", "coo_duplicate", hrry.COO, struct.pack("<QB7x", 2, 0), (9,), [data(2), hrry.u64s(7, 7)],
           type="int8")
    compressed = struct.pack("<Q8x", 5)
    tensor("sparse", "csr", hrry.CSR, compressed, (4, 5),
           [data(20), hrry.u64s(0, 3, 2, 1, 4), hrry.u64s(0, 2, 3, 5, 5)])
    tensor("sparse", "csc", hrry.CSC, compressed, (4, 5),
           [data(3), hrry.u64s(0, 2, 1, 0, 2), hrry.u64s(0, 1, 2, 3, 4, 5)], type="int4")
    tensor("sparse", "csr_falls", hrry.CSR, compressed, (4, 5),
           [data(20), hrry.u64s(0, 3, 2, 1, 4), hrry.u64s(0, 5, 3, 5, 5)])
    tree = [data(16), hrry.u64s(0, 2), hrry.u64s(0, 1), hrry.u64s(0, 2, 3), hrry.u64s(0, 2, 1),
            hrry.u64s(0, 1, 2, 4), hrry.u64s(1, 3, 0, 2)]
    for name, order in ("csf", (0, 1, 2)), ("csf_021", (0, 2, 1)):
        fields = hrry.u64s(4) + hrry.u32s(*order) + bytes(8)
        tensor("sparse", name, hrry.CSF, fields, (2, 3, 4) if name == "csf" else (2, 4, 3), tree)
    for wide in 0, 1:
        pack = hrry.u64s if wide else hrry.u32s
        fields = struct.pack("<IQIIBIB6x", 4, 5, 0, 2, 0, 3, wide)
        tensor("sparse", f"paged_{64 if wide else 32}", hrry.BLOCK_PAGED, fields, (9, 2, 1),
               [data(40), pack(0, 1, 0), pack(0, 2, 3)], type="uint8")
    fields = struct.pack("<IQIIBIB6x", 2, 3, 0, 1, 1, 0, 0)
    tensor("sparse", "paged_one", hrry.BLOCK_PAGED, fields, (3, 1, 2),
           [data(24), hrry.u32s(2, 1), hrry.u32s(0, 2)], type="float16")


def region():
    for type, bits in ("float32", 32), ("bool", 1), ("float6_e2m3", 6), ("int4", 4), ("float128", 128):
        size = 24 * bits // 8
        tensor("region", f"row_{type}", hrry.ROW_MAJOR, b"", (2, 3, 4), [data(size)], type=type)
        tensor("region", f"column_{type}", hrry.COLUMN_MAJOR, b"", (2, 3, 4), [data(size)], type=type)
    tensor("region", "scalar", hrry.ROW_MAJOR, b"", (), [data(4)])
    tensor("region", "strided", hrry.STRIDED, hrry.i64s(-8, 2), (3, 4), [data(100)], byte_offset=64)
    tensor("region", "broadcast", hrry.STRIDED, hrry.i64s(0, 1), (50, 4), [data(2)], type="int4")
    tile = hrry.u64s(2, 4)
    tensor("region", "tiled", hrry.TILED, tile + hrry.u8s(1, 2, 0, 0), (5, 7), [data(96)], type="int16")
    tensor("region", "tiled_strided", hrry.TILED, tile + hrry.u8s(3, 3, 0, 0) + hrry.i64s(1, 3) + hrry.i64s(1, 2),
           (6, 8), [data(48)], type="int8")
    tensor("region", "nested", hrry.TILED, tile + hrry.u8s(1, 4, 0, 0) + hrry.u64s(1, 2) + hrry.u8s(2, 1, 0, 0),
           (6, 8), [data(6)], type="bool")
    tensor("region", "morton", hrry.MORTON, hrry.u32s(3, 3), (5, 7), [data(128)], type="float16")
    tensor("region", "morton_unequal", hrry.MORTON, hrry.u32s(1, 3), (2, 7), [data(64)], type="uint2")
    tensor("region", "hilbert", hrry.HILBERT, hrry.u32s(3, 2), (8, 8), [data(48)], type="float6_e3m2")
    tensor("region", "hilbert_3", hrry.HILBERT, hrry.u32s(2, 3), (4, 4, 4), [data(64)], type="int8")
    tensor("region", "per_block", hrry.ROW_MAJOR, b"", (3, 8), [data(12), struct.pack("<6f", *[0.5] * 6)], type="int4",
           quantization=hrry.per_block(1, 4, 1))


sparse()
region()
