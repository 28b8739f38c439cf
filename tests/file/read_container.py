"""Reads a container to the letter of the format, with the standard library alone: what our writer is judged by."""

import struct


class Wrong(Exception):
    pass


def need(condition, message):
    if not condition:
        raise Wrong(message)


def crc32c(data):
    table = crc32c.table
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def crc_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ 0x82F63B78 if i & 1 else i >> 1
        table.append(i)
    return table


crc32c.table = crc_table()


def align_up(offset, align):
    return (offset + align - 1) // align * align


def read_scalar(tag, data, at):
    if tag in (1, 6):
        (n,) = struct.unpack_from("<I", data, at)
        need(at + 4 + n <= len(data), "string past the end")
        raw = bytes(data[at + 4:at + 4 + n])
        return (raw.decode("utf-8") if tag == 1 else raw), at + 4 + n
    if tag == 5:
        need(data[at] in (0, 1), "bool")
        return bool(data[at]), at + 1
    return struct.unpack_from({2: "<q", 3: "<Q", 4: "<d"}[tag], data, at)[0], at + 8


def read_kv(data):
    (count,), at, items = struct.unpack_from("<I", data), 4, {}
    for _ in range(count):
        (n,) = struct.unpack_from("<H", data, at)
        need(n >= 1, "empty key")
        key, tag, at = bytes(data[at + 2:at + 2 + n]).decode("utf-8"), data[at + 2 + n], at + 3 + n
        need(key not in items and 1 <= tag <= 7, "key or tag")
        if tag == 7:
            element, length = struct.unpack_from("<BI", data, at)
            at, values = at + 5, []
            for _ in range(length):
                value, at = read_scalar(element, data, at)
                values.append(value)
            items[key] = (7, element, values)
        else:
            value, at = read_scalar(tag, data, at)
            items[key] = (tag, value)
    need(at == len(data), "bytes after the last KV entry")
    return items


def read_descriptor(data):
    """The fixed header, the shape, and the buffer table of layouts whose fields have a known length."""
    magic, major, minor, length, flags, type_tag, layout, rank = struct.unpack_from("<4sBBIIBBI", data)
    need(magic == b"HRRY" and (major, minor) == (1, 0) and length == len(data), "descriptor header")
    shape = struct.unpack_from(f"<{rank}Q", data, 20)
    at = 28 + 8 * rank
    at += {1: 0, 2: 0, 3: 8 * rank, 5: 4 * rank, 6: 16, 7: 16, 8: 16, 9: 16 + 4 * rank, 11: 8, 0x40: 8}[layout]
    buffers = [struct.unpack_from("<QIBBBB", data, at + 1 + 16 * k) for k in range(data[at])]
    return {"type": type_tag, "layout": layout, "flags": flags, "shape": shape, "buffers": buffers,
            "member_count": struct.unpack_from("<I", data, at - 4)[0] if layout == 11 else 0}


def read_index(data, sorted_index):
    (count,), at, entries = struct.unpack_from("<Q", data), 8, []
    for _ in range(count):
        (n,) = struct.unpack_from("<H", data, at)
        need(n >= 1, "empty name")
        name = bytes(data[at + 2:at + 2 + n])
        name.decode("utf-8")
        fields = struct.unpack_from("<QIQQI", data, at + 2 + n)
        need(fields[4] == 0, "entry flags")
        entries.append((name,) + fields[:4])
        at += 34 + n
    need(at == len(data), "bytes after the last entry")
    names = [e[0] for e in entries]
    need(len(set(names)) == len(names), "a name twice")
    need(not sorted_index or names == sorted(names), "names out of order")
    return entries


def read(data):
    """Everything in a container, or Wrong: as a strict reader, and as strict about what a writer must do."""
    need(len(data) >= 112 and data[:8] == b"HRRYFILE" and data[8:12] == b"\1\0\0\0", "header")
    flags, align, first, hint = struct.unpack_from("<IIQQ", data, 12)
    need(flags & ~7 == 0 and flags & 4, "flags")
    need(align & (align - 1) == 0 and 4096 <= align <= 2 << 20 and first == 64 and not any(data[36:64]), "header fields")
    index_offset, index_length, kv_offset, kv_length, crc, zero, magic = struct.unpack("<QQQII4s4s", data[-40:])
    need(magic == b"HRRY" and zero == bytes(4), "trailer")
    need(index_offset % 8 == 0 and index_offset + index_length == len(data) - 40, "index place")
    need(crc == crc32c(data[index_offset:index_offset + index_length]), "CRC-32C")
    need(bool(flags & 1) == bool(kv_offset) == bool(kv_length), "HAS_KV_METADATA")
    kv, end = {}, index_offset
    if kv_offset:
        kv = read_kv(data[kv_offset:kv_offset + kv_length])
        need(kv_offset % 8 == 0 and align_up(kv_offset + kv_length, 8) == index_offset, "KV place")
        need(not any(data[kv_offset + kv_length:index_offset]), "padding after the KV section")
        end = kv_offset
    entries = read_index(data[index_offset:index_offset + index_length], flags & 2)
    need(hint in (len(entries), 2**64 - 1), "count hint")
    tensors, at = {}, 64
    for name, offset, length, data_offset, data_length in sorted(entries, key=lambda e: e[1]):
        need(offset == at, "descriptor is not where the last tensor ends")
        d = read_descriptor(data[offset:offset + length])
        at = offset + length
        where = align_up(at, align if d["buffers"] else 8)
        need(data_offset == where, "data_offset")
        d["data"] = []
        for size, alignment, *rest in d["buffers"]:
            where = align_up(where, align)
            need(not any(data[at:where]), "padding before a buffer")
            need(alignment <= align and rest == [0, 0, 0, 0], "buffer handle")
            d["data"].append(bytes(data[where:where + size]))
            at = where = where + size
        need(where - data_offset == data_length, "data_length")
        at = align_up(where, 8)
        need(not any(data[where:at]), "padding after a tensor")
        tensors[name.decode("utf-8")] = d
    need(at == end, "the tensor region does not end where the next section starts")
    return {"alignment": align, "flags": flags, "kv": kv, "order": [e[0].decode("utf-8") for e in entries],
            "tensors": tensors}


def dump(container):
    """One line for each thing, in a form that is easy to expect."""
    yield f"alignment {container['alignment']} flags {container['flags']}"
    for key, value in container["kv"].items():
        yield f"kv {key!a} {value[0]} {value[1]!a}" + (f" {value[2]!a}" if len(value) > 2 else "")
    yield "order " + " ".join(name if len(name) < 100 else f"({len(name)})" for name in container["order"])
    for name, t in container["tensors"].items():
        data = " ".join(b.hex() if len(b) < 64 else f"({len(b)})" for b in t["data"])
        name = name if len(name) < 100 else f"({len(name)})"
        yield f"tensor {name} type {t['type']} layout {t['layout']} shape {list(t['shape'])} data {data}".rstrip()


if __name__ == "__main__":
    import sys

    with open(sys.argv[1], "rb") as f:
        try:
            for line in dump(read(f.read())):
                print(line)
        except (Wrong, struct.error, UnicodeDecodeError, IndexError, KeyError) as e:
            sys.exit(f"{sys.argv[1]}: {type(e).__name__}: {e}")
