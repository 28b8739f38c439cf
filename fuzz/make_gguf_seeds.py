"""Writes the seeds of fuzz_gguf: small GGUF files of every kind, and records as such files leave them behind."""
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
# id: (elements, bytes) of a block
TYPES = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
         10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66),
         20: (32, 18), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56),
         30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18), 42: (64, 18)}


class Maker:
    def __init__(self, order="<"):
        self.order = order

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def string(self, text):
        return self.pack("Q", len(text)) + text

    def key(self, key, type, value):
        return self.string(key) + self.pack("I", type) + value

    def file(self, keys, tensors, version=3, alignment=32, padded=True):
        out = b"GGUF" + self.pack("IQQ", version, len(tensors), len(keys)) + b"".join(keys)
        data = b""
        for name, type, dims, payload in tensors:
            data += bytes(-len(data) % alignment)
            out += self.string(name) + self.pack("I", len(dims)) + self.pack(f"{len(dims)}Q", *dims)
            out += self.pack("IQ", type, len(data))
            data += payload
        if padded:
            data += bytes(-len(data) % alignment)
        return out + bytes(-len(out) % alignment if data else 0) + data

    def metadata(self):
        p = self.pack
        return [self.key(b"general.architecture", 8, self.string(b"none")), self.key(b"u8", 0, p("B", 1)),
                self.key(b"i16", 3, p("h", -2)), self.key(b"f", 6, p("f", 0.5)), self.key(b"b", 7, p("B", 2)),
                self.key(b"a", 9, p("IQ3i", 5, 3, 1, -2, 3)), self.key(b"u", 9, p("IQ2B", 0, 2, 9, 8)),
                self.key(b"s", 9, p("IQ", 8, 2) + self.string(b"x") + self.string(b"\xe9")),
                self.key(b"n", 9, p("IQIQH", 9, 1, 2, 1, 7)), self.key(b"w", 10, p("Q", 1 << 40)),
                self.key(b"d", 12, p("d", 0.1)), self.key(b"general.alignment", 4, p("I", 32))]


def blocks(id, count=1):
    elements, nbytes = TYPES[id]
    one = bytes((k * 37 + 11) % 61 for k in range(nbytes))
    return b"t%d" % id, id, (elements * count, ), one * count


def record(entries, tensors=()):
    out = struct.pack("<IIQQ", 1, 3, 0, len(entries)) + b"".join(entries)
    m = Maker()
    return out + struct.pack("<Q", len(tensors)) + b"".join(m.string(n) + struct.pack("<I", t) for n, t in tensors)


def seeds():
    little, big = Maker(), Maker(">")
    yield "empty", little.file([], [])
    yield "metadata", little.file(little.metadata(), [])
    yield "metadata_big", big.file(big.metadata(), [])
    yield "version_2", little.file(little.metadata()[:2], [blocks(0, 3)], version=2)
    yield "unpadded", little.file([], [blocks(24, 5)], padded=False)
    yield "scalar", little.file([], [(b"s", 0, (), bytes(4)), (b"e", 0, (0, 7), b"")])
    yield "aligned_64", little.file([little.key(b"general.alignment", 4, little.pack("I", 64))],
                                    [blocks(8), blocks(0)], alignment=64)
    yield "split", little.file([little.key(b"split.no", 2, little.pack("H", 0)),
                                little.key(b"split.count", 2, little.pack("H", 1))], [blocks(0)])
    for id in TYPES:
        yield f"type_{id}", little.file([], [blocks(id, 2)])
    yield "mixed_big", big.file(big.metadata()[:1], [blocks(id) for id in (1, 8, 14, 15, 23, 39)])
    zeros = [(b"z%d" % id, id, (TYPES[id][0], ), bytes(TYPES[id][1])) for id in (2, 6, 8, 20, 39, 40, 41, 42)]
    yield "zeros", little.file([], zeros)
    infinite = struct.pack("<H", 0x7C00) + bytes(32)
    yield "infinite", little.file([], [(b"q", 8, (32, ), infinite), (b"m", 39, (32, ), b"\0" + b"\1" * 16)])
    kept = little.string(b"n") + struct.pack("<IIB", 9, 9, 1) + little.string(struct.pack("<IQIQH", 9, 1, 2, 1, 7))
    odd = little.string(b"b") + struct.pack("<IB", 7, 1) + little.string(b"\2")
    wide = little.string(b"u") + struct.pack("<IB", 4, 0)
    text = little.string(b"s") + struct.pack("<IB", 8, 0)
    yield "record", record([kept, odd, wide, text], [(b"t", 6)])
    yield "record_empty", record([])


def main():
    folder = os.path.join(HERE, "corpus", "gguf")
    os.makedirs(folder, exist_ok=True)
    for name, data in seeds():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


main()
