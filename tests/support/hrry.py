"""Hurray descriptors and containers as bytes, sound and unsound, made from the format's text alone.

Nothing here checks anything: whoever wants a broken file gets it, by giving a field another value or by patching the
bytes that come back.
"""

import struct

MAGIC = b"HRRY"
FILE_MAGIC = b"HRRYFILE"

TYPES = {
    "float16": 0x01, "bfloat16": 0x02, "float32": 0x03, "float64": 0x04,
    "int8": 0x10, "uint8": 0x11, "int16": 0x12, "uint16": 0x13, "int32": 0x14, "uint32": 0x15, "int64": 0x16,
    "uint64": 0x17, "bool": 0x20, "float8_e4m3": 0x40, "float8_e5m2": 0x41, "float8_e8m0": 0x42,
    "float4_e2m1": 0x43, "float6_e2m3": 0x44, "float6_e3m2": 0x45, "float128": 0x46, "int4": 0x48, "uint4": 0x49,
    "int2": 0x4A, "uint2": 0x4B, "complex64": 0x50, "complex128": 0x51,
}

ROW_MAJOR, COLUMN_MAJOR, STRIDED, TILED, MORTON, COO, CSR, CSC, CSF, BLOCK_PAGED, COMPOSITE = range(0x01, 0x0C)
HILBERT = 0x40
DYNAMIC = 0xFFFFFFFFFFFFFFFF


def u8s(*values):
    return bytes(values)


def u32s(*values):
    return struct.pack("<%dI" % len(values), *values)


def u64s(*values):
    return struct.pack("<%dQ" % len(values), *values)


def i64s(*values):
    return struct.pack("<%dq" % len(values), *values)


def buffer(size, alignment=64, device=0, sync=0, memory=0, reserved=0):
    """A row of the buffer table."""
    return struct.pack("<QIBBBB", size, alignment, device, sync, memory, reserved)


def shard(parent_shape, shard_offset):
    return u64s(*parent_shape) + u64s(*shard_offset)


def statistics(mask, nnz=0, ratio=0.0, low=0.0, high=0.0, abs_max=0.0, mean=0.0, stddev=0.0, n=0, m=0, nan=0, inf=0):
    return struct.pack("<IIQ6d4B4x", mask, 0, nnz, ratio, low, high, abs_max, mean, stddev, n, m, nan, inf)


def extension_type(bits=16, packing=1, is_float=0, is_signed=1, sign=0, exponent=0, mantissa=0, bias=0, nan=0, inf=0):
    return struct.pack("<I6B2xIBB2x", bits, packing, is_float, is_signed, sign, exponent, mantissa, bias, nan, inf)


def per_tensor(scale, zero_point):
    return struct.pack("<BBHfi4x", 1, 1, 0, scale, zero_point)


def per_channel(axis, scales, zero_points=0xFFFFFFFF, flags=None):
    flags = (zero_points == 0xFFFFFFFF) if flags is None else flags
    return struct.pack("<BBHIIIB3x", 2, 1, flags, axis, scales, zero_points, 3)


def per_block(axis, block, scales, zero_points=0xFFFFFFFF, scale_type=3, flags=None):
    flags = (zero_points == 0xFFFFFFFF) if flags is None else flags
    return struct.pack("<BBHIIIIB3x", 3, 1, flags, axis, block, scales, zero_points, scale_type)


def nf4(axis, block, scales):
    return struct.pack("<BBHIII", 4, 1, 0, axis, block, scales)


def mxfp(axis, block, scales):
    return struct.pack("<BBHIII", 5, 1, 0, axis, block, scales)


def descriptor(type="float32", shape=(), layout=ROW_MAJOR, fields=b"", byte_offset=0, buffers=(), quantization=None,
               shard=None, statistics=None, extension_type=None, role=None, version=(1, 0), tail=b"", length=None,
               flags=None):
    """An encoded descriptor. buffers are byte sizes or rows made by buffer(); length and flags override what follows
    from the rest; tail is appended within descriptor_length."""
    tag = TYPES[type] if isinstance(type, str) else type
    present = ((quantization is not None) | (shard is not None) << 1 | (extension_type is not None) << 2
               | (statistics is not None) << 3 | (role is not None) << 4)
    rows = [buffer(row) if isinstance(row, int) else row for row in buffers]
    body = u64s(*shape) + u64s(byte_offset) + fields + u8s(len(rows)) + b"".join(rows)
    if quantization is not None:
        body += u32s(len(quantization)) + quantization
    body += (shard or b"") + (statistics or b"") + (extension_type or b"")
    if role is not None:
        body += u8s(role) + bytes(15)
    body += tail
    total = 20 + len(body) if length is None else length
    return (MAGIC + u8s(*version) + u32s(total) + u32s(present if flags is None else flags)
            + u8s(tag, layout) + u32s(len(shape)) + body)


def composite(rule, op, members, type="float32", shape=(1,), **more):
    return descriptor(type, shape, COMPOSITE, u8s(rule, op, 0, 0) + u32s(members), **more)


def _crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


_TABLE = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


class Typed:
    """A metadata value of a type that Python's does not tell: Typed("uint64", 3)."""

    def __init__(self, type, value):
        self.type, self.value = type, value


KV_TAGS = {"string": 1, "int64": 2, "uint64": 3, "float64": 4, "bool": 5, "bytes": 6, "array": 7}


def _kv_type(value):
    if isinstance(value, Typed):
        return value.type, value.value
    for python, name in ((bool, "bool"), (str, "string"), (int, "int64"), (float, "float64"), (bytes, "bytes"),
                         (list, "array")):
        if isinstance(value, python):
            return name, value
    raise TypeError(value)


def _kv_payload(type, value):
    if type == "string":
        value = value.encode() if isinstance(value, str) else value
        return u32s(len(value)) + value
    if type == "bytes":
        return u32s(len(value)) + value
    if type == "bool":
        return u8s(value)
    if type == "array":
        element = _kv_type(value[0])[0] if value else "int64"
        return (u8s(KV_TAGS[element]) + u32s(len(value))
                + b"".join(_kv_payload(*_kv_type(item)) for item in value))
    return struct.pack({"int64": "<q", "uint64": "<Q", "float64": "<d"}[type], value)


def kv_section(pairs):
    out = u32s(len(pairs))
    for key, value in pairs:
        key = key.encode() if isinstance(key, str) else key
        type, value = _kv_type(value)
        out += struct.pack("<H", len(key)) + key + u8s(KV_TAGS[type]) + _kv_payload(type, value)
    return out


def align_up(value, alignment):
    return (value + alignment - 1) // alignment * alignment


def container(tensors=(), kv=None, alignment=4096, sorted_index=False, crc=True, flags=None, hint=DYNAMIC,
              version=(1, 0), pad_head=False):
    """A container. tensors: (name, descriptor, buffers), in write order; a composite head has no buffers. kv: pairs,
    None for no section."""
    present = (kv is not None) | sorted_index << 1 | crc << 2
    out = bytearray(FILE_MAGIC + u8s(*version) + bytes(2) + u32s(present if flags is None else flags)
                    + u32s(alignment) + u64s(64, hint) + bytes(28))
    entries = []

    def pad(to):
        out.extend(bytes(align_up(len(out), to) - len(out)))

    for name, desc, buffers in tensors:
        pad(8)
        at = len(out)
        out += desc
        data = align_up(len(out), alignment if buffers or pad_head else 8)
        if buffers or pad_head:
            pad(alignment)
        for k, part in enumerate(buffers):
            if k:
                pad(alignment)
            out += part
        end = len(out) if buffers else data
        name = name.encode() if isinstance(name, str) else name
        entries.append((name, at, len(desc), data, end - data))
    pad(8)
    kv_offset = kv_length = 0
    if kv is not None:
        section = kv_section(kv)
        kv_offset, kv_length = len(out), len(section)
        out += section
        pad(8)
    if sorted_index:
        entries.sort()
    index_offset = len(out)
    index = u64s(len(entries))
    for name, at, length, data, size in entries:
        index += struct.pack("<H", len(name)) + name + struct.pack("<QIQQI", at, length, data, size, 0)
    out += index
    out += (u64s(index_offset, len(index), kv_offset) + u32s(kv_length, crc32c(index) if crc else 0, 0) + MAGIC)
    return bytes(out)


def dense(type, shape, data, **more):
    """(descriptor, buffers) of a row-major tensor, to be put behind a name."""
    return descriptor(type, shape, buffers=[len(data)], **more), [data]
