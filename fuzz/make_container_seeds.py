"""Writes the seeds of the container targets: small files of every shape, packed as packed.h says."""

import os
import struct
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests", "file"))
from read_container import crc32c  # noqa: E402


def pack(data):
    out, i = bytearray(), 0
    while i < len(data):
        run = 0
        while i + run < len(data) and data[i + run] == 0 and run < 0xFFFF:
            run += 1
        if run > 16:
            out += b"\xF5" + struct.pack("<H", run)
            i += run
        else:
            out.append(data[i])
            i += 1
    return bytes(out)


def descriptor(type_tag=3, shape=(2, 2), layout=1, fields=b"", buffers=(16,), flags=0, sections=b"", handle=64):
    body = struct.pack(f"<{len(shape)}QQ", *shape, 0) + fields + bytes([len(buffers)])
    body += b"".join(struct.pack("<QII", size, handle, 0) for size in buffers) + sections
    return struct.pack("<4sBBIIBBI", b"HRRY", 1, 0, 20 + len(body), flags, type_tag, layout, len(shape)) + body


def shard(parent, offset, role=None):
    section = struct.pack(f"<{2 * len(parent)}Q", *parent, *offset)
    return section + (bytes([role]) + bytes(15) if role is not None else b"")


def kv_section(*entries):
    return struct.pack("<I", len(entries)) + b"".join(
        struct.pack("<H", len(key)) + key + bytes([tag]) + value for key, tag, value in entries)


def container(tensors, kv=None, flags=4, align=4096, names_sorted=False, minor=0, hint=2**64 - 1, pad_to=8):
    out = bytearray(b"HRRYFILE" + bytes([1, minor, 0, 0])
                    + struct.pack("<IIQQ", flags | (2 if names_sorted else 0), align, 64, hint) + bytes(28))

    def fill(to):
        out.extend(bytes(-len(out) % to))
    entries = []
    for name, desc, buffers in tensors:
        at = len(out)
        out += desc
        fill(align if buffers else 8)
        data = len(out)
        for b in buffers:
            fill(align)
            out += b
        entries.append((name, at, len(desc), data, len(out) - data))
        fill(pad_to)
    kv_at = len(out) if kv is not None else 0
    if kv is not None:
        out += kv
        fill(8)
    index_at = len(out)
    order = sorted(entries) if names_sorted else entries
    index = struct.pack("<Q", len(order)) + b"".join(
        struct.pack("<H", len(e[0])) + e[0] + struct.pack("<QIQQI", *e[1:], 0) for e in order)
    out += index
    out += struct.pack("<QQQII4s4s", index_at, len(index), kv_at, len(kv) if kv is not None else 0,
                       crc32c(index) if flags & 4 else 0, bytes(4), b"HRRY")
    return bytes(out)


FLOATS = struct.pack("<4f", 1, 2, 3, 4)
STRING = struct.pack("<I", 3) + b"abc"
KV_ALL = kv_section(
    (b"s", 1, STRING), (b"i", 2, struct.pack("<q", -5)), (b"u", 3, struct.pack("<Q", 2**64 - 1)),
    (b"f", 4, struct.pack("<d", 0.5)), (b"b", 5, b"\1"), (b"y", 6, STRING),
    (b"as", 7, b"\1" + struct.pack("<I", 2) + STRING + STRING), (b"ab", 7, b"\5" + struct.pack("<I", 2) + b"\0\1"),
    (b"ai", 7, b"\2" + struct.pack("<Iq", 1, 7)), (b"ae", 7, b"\6" + struct.pack("<I", 0)))
KV_ONE = kv_section((b"key", 1, STRING))


def head(rule, count, shape=(4, 4), op=0, **more):
    return descriptor(shape=shape, layout=11, fields=struct.pack("<BBHI", rule, op, 0, count), buffers=(), **more)


def member(shape, parent, offset, role=None, flags=2):
    return descriptor(shape=shape, buffers=(4 * shape[0] * shape[1],), sections=shard(parent, offset, role),
                      flags=flags)


def files():
    plain, empty = descriptor(), descriptor(shape=(0, 2), buffers=(0,))
    csr = descriptor(type_tag=0x11, layout=7, fields=struct.pack("<QQ", 1, 0), buffers=(1, 8, 24))
    csr_data = [b"\7", struct.pack("<Q", 1), struct.pack("<3Q", 0, 1, 1)]
    half = bytes(32)
    partition = [(b"h", head(1, 2), []), (b"h#0", member((2, 4), (4, 4), (0, 0)), [half]),
                 (b"h#1", member((2, 4), (4, 4), (2, 0)), [half])]
    yield "no_tensors", container([])
    yield "one", container([(b"w", plain, [FLOATS])])
    yield "two_with_metadata", container([(b"w", plain, [FLOATS]), (b"bias", plain, [FLOATS])], KV_ONE, flags=5)
    yield "metadata_of_all_types", container([], KV_ALL, flags=5)
    yield "sorted", container([(b"z", plain, [FLOATS]), (b"a", plain, [FLOATS]), (b"m", plain, [FLOATS])],
                              names_sorted=True)
    yield "without_crc", container([(b"w", plain, [FLOATS])], flags=0)
    yield "empty_first_and_last", container([(b"e", empty, [b""]), (b"w", plain, [FLOATS]), (b"f", empty, [b""])])
    yield "three_buffers", container([(b"s", csr, csr_data)], hint=1)
    yield "newer_minor", container([(b"w", plain, [FLOATS])], KV_ONE, flags=5, minor=1)
    yield "padded_tails", container([(b"w", plain, [FLOATS]), (b"x", plain, [FLOATS])], pad_to=4096)
    yield "padded_head", container(partition, pad_to=4096)
    yield "partition", container(partition)
    yield "partition_sorted", container([(b"z", partition[0][1], [])] + partition[1:], names_sorted=True)
    yield "overlay", container([(b"o", head(2, 2, op=1), []), (b"b", member((4, 4), (4, 4), (0, 0), 1, 18), [bytes(64)]),
                                (b"c", member((2, 4), (4, 4), (1, 0), 0, 18), [half])])
    yield "nested_groups", container([(b"g", head(3, 1), []), (b"i", head(3, 1), []), (b"w", plain, [FLOATS])])
    yield "torn", container(partition[:2])
    yield "large_alignment", container([(b"w", plain, [FLOATS])], align=65536)
    yield "data_like_descriptors", container([(b"w", descriptor(type_tag=0x11, shape=(64,), buffers=(64,)),
                                               [b"HRRY" * 16]), (b"x", plain, [FLOATS])])


def kv_seeds():
    for name, section in (("all_types", KV_ALL), ("one", KV_ONE), ("none", kv_section())):
        for mode in range(4):
            yield f"{name}_{mode}", bytes([mode]) + section + (b"tail" if mode & 1 else b"")
    yield "private", b"\2" + kv_section((b"p", 0xF0, b"anything"))


def write(target, seeds):
    folder = os.path.join(TOP, "fuzz", "corpus", target)
    os.makedirs(folder, exist_ok=True)
    for name, data in seeds:
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    for target in ("file", "scan"):
        write(target, ((name, pack(data)) for name, data in files()))
    write("kv", kv_seeds())
