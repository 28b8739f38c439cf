"""Arrays as the tests of values see them: lists in row-major order, cut and packed by Python's own means."""

import itertools
import json
import math
import struct

from cli_case import hrry


def cut(shape, values, region):
    """values[region] for a tuple of slices and integers, as NumPy has it: (shape, values)."""
    axes, out_shape = [], []
    for k, size in enumerate(shape):
        part = region[k] if k < len(region) else slice(None)
        if isinstance(part, slice):
            axes.append(range(*part.indices(size)))
            out_shape.append(len(axes[-1]))
        else:
            axes.append([range(size)[part]])
    strides = [math.prod(shape[k + 1:]) for k in range(len(shape))]
    return tuple(out_shape), [values[sum(i * s for i, s in zip(at, strides))] for at in itertools.product(*axes)]


def nest(shape, values):
    if not shape:
        return values[0]
    size = math.prod(shape[1:])
    return [nest(shape[1:], values[k * size:(k + 1) * size]) for k in range(shape[0])]


def flat(nested):
    """All leaves of nested lists."""
    return [leaf for item in nested for leaf in flat(item)] if isinstance(nested, list) else [nested]


def region_text(region):
    def one(part):
        if not isinstance(part, slice):
            return str(part)
        text = "%s:%s" % tuple("" if x is None else x for x in (part.start, part.stop))
        return text if part.step is None else "%s:%d" % (text, part.step)
    return ",".join(map(one, region))


def pack(bits, codes):
    """Codes of less than a byte, from the lowest bit on; groups of three bytes for 6 bits."""
    number = sum(code << (bits * k) for k, code in enumerate(codes))
    nbytes = -(-len(codes) // 4) * 3 if bits == 6 else -(-len(codes) * bits // 8)
    return number.to_bytes(nbytes, "little")


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def f32_text(value):
    return "%.9g" % value


def same(a, b):
    """Equal values, with the sign of zeros and NaN as itself; the strings of JSON stand for what they name."""
    if isinstance(a, list) or isinstance(b, list):
        return isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (str, bool)) or isinstance(b, (str, bool)) or a is None:
        return a == b and isinstance(a, bool) == isinstance(b, bool)
    return a == b and math.copysign(1, a) == math.copysign(1, b)


def read_npy(data):
    """(descr, shape, the bytes after the header) of a .npy file."""
    assert data[:8] == b"\x93NUMPY\1\0", data[:8]
    length = int.from_bytes(data[8:10], "little")
    assert (10 + length) % 64 == 0 and data[10 + length - 1:10 + length] == b"\n"
    header = eval(data[10:10 + length], {"__builtins__": {}}, {})  # a literal, by NumPy's own definition
    assert list(header) == ["descr", "fortran_order", "shape"] and header["fortran_order"] is False, header
    return header["descr"], header["shape"], data[10 + length:]


def strict_json(text):
    def refuse(name):
        raise ValueError(name)
    return json.loads(text, parse_constant=refuse)


def codes_of(values, bits):
    return [value & (1 << bits) - 1 for value in values]


def model_of(*tensors, **more):
    """A container of (name, type, shape, data) rows."""
    return hrry.container([(name, *hrry.dense(type, shape, data)) for name, type, shape, data in tensors], **more)
