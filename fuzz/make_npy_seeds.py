"""Writes the seeds of fuzz_npy: small files of every type, order and version, and some that are refused."""

import os
import struct

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def npy(header, data=b"", version=1, pad=64):
    text_at = 10 if version == 1 else 12
    text = header.encode()
    text += b" " * (-(text_at + len(text) + 1) % pad) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + data


def usual(descr, shape="(2, 3)", order="False", count=6, **more):
    size = int("".join(c for c in descr if c.isdigit()) or 1)
    data = bytes(1 - i % 2 if descr[-2:] == "b1" else (i * 37) % 256 for i in range(count * size))
    return npy(f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}", data, **more)


SEEDS = {
    "f4": usual("<f4"),
    "f8_big": usual(">f8", order="True"),
    "c16_big": usual(">c16", "(3,)", count=3, version=2),
    "bools": usual("|b1", "(19,)", count=19, version=3),
    "bools_fortran": usual("|b1", "(5, 3)", "True", 15),
    "scalar": usual("<i8", "()", count=1, pad=16),
    "empty": usual("<u2", "(4, 0)", count=0),
    "trailing": usual("<i2") + b"more",
    "python_2": usual("<i4", "(2L, 3L)"),
    "objects": usual("|O", count=0),
    "records": npy("{'descr': [('x', '<f4'), ('y', '<i2')], 'fortran_order': False, 'shape': (1,), }", b"123456"),
    "quotes": npy('{"shape":(1,),"descr":"|u1","fortran_order":True}', b"1"),
}

if __name__ == "__main__":
    folder = os.path.join(TOP, "fuzz", "corpus", "npy")
    os.makedirs(folder, exist_ok=True)
    for name, data in SEEDS.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
