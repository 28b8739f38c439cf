"""Ready-made safetensors files, each with the verdict that a reader owes it.

good     a sound file; converting it to Hurray and back gives the same names, dtypes, shapes,
         tensor bytes and metadata
refused  a sound file that Hurray cannot carry, to be refused by the name of what cannot be carried
bad      not a safetensors file
edge     readers differ: an answer and no crash is all that is owed
"""

from dataclasses import dataclass
from typing import Callable

from make_safetensors import DTYPES, FNUZ, Tensor, build, encode, entry, frame, header_for

FOUR = bytes(range(1, 17))  # four F32 elements


@dataclass
class Case:
    name: str
    verdict: str
    about: str
    make: Callable[[], bytes]
    large: bool = False  # about 100 MB: made on request only


CASES = {}


def add(name, about, make, large=False):
    assert name not in CASES, name
    CASES[name] = Case(name, name.split("_")[0], about, make, large)


def one(data=FOUR, name='"w"', dtype='"F32"', shape="[4]", offsets="[0,16]", more=""):
    """A file of one tensor whose header parts are JSON text, so that any of them can be wrong."""
    return frame(f'{{{name}:{{"dtype":{dtype},"shape":{shape},"data_offsets":{offsets}{more}}}}}', data)


def pair(first, second, size):
    """Two F32 tensors [4] with the given data_offsets over size bytes of data."""
    return frame({"a": entry("F32", [4], *first), "b": entry("F32", [4], *second)}, bytes(size))


def odd_header():
    tensors = [Tensor("first", "F32", [5]), Tensor("wide", "F64", [3])]
    text = encode(header_for(tensors), align=1)
    data = b"".join(chunk for tensor in tensors for chunk in tensor.chunks())
    return frame(text if len(text) % 2 else text + b" ", data, align=1)


def add_good():
    for dtype in DTYPES:
        add(f"good_{dtype.lower()}", f"{dtype} [4, 8]", lambda d=dtype: build([Tensor("w", d, [4, 8])]))
    every = [Tensor(f"t.{d}", d, [3, 8]) for d in DTYPES]
    add("good_all_dtypes", "every dtype, so most data are unaligned", lambda: build(every, {"made by": "test"}))
    wide = [d for d, bits in DTYPES.items() if bits >= 8]
    add("good_rank_0", "scalars of each dtype of whole bytes", lambda: build([Tensor(d, d, []) for d in wide]))
    add("good_empty", "empty tensors of each dtype", lambda: build([Tensor(d, d, [0, 3]) for d in DTYPES]))
    add(
        "good_empty_between",
        "an empty tensor where two others meet",
        lambda: build([Tensor("a", "F32", [4]), Tensor("b", "F32", [2, 0]), Tensor("c", "F32", [4])]),
    )
    add("good_no_tensors", "no tensor, no metadata", lambda: frame("{}"))
    add("good_only_metadata", "metadata and no tensor", lambda: build([], {"a": "1", "b": "2"}))
    add("good_empty_metadata", "metadata without a key", lambda: build([Tensor("w", "U8", [3])], {}))
    add(
        "good_metadata_text",
        "escapes, an empty value, a long value, letters beyond the first plane",
        lambda: build(
            [Tensor("w", "U8", [3])],
            {"quote\"back\\": "line\nline\ttab", "empty": "", "long": "x" * 70000, "ключ": "值 \U0001f600", "nul": "a\0b"},
        ),
    )
    add(
        "good_metadata_escaped",
        "the same letters as \\u escapes, with a surrogate pair",
        lambda: frame(r'{"__metadata__":{"\u006b":"\u5024 \ud83d\ude00 \/"}}'),
    )
    add("good_metadata_last", "__metadata__ after the tensors", lambda: frame(
        '{"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"__metadata__":{"k":"v"}}', FOUR))
    add("good_key_order", "data_offsets first, dtype last", lambda: frame(
        '{"w":{"data_offsets":[0,16],"shape":[4],"dtype":"F32"}}', FOUR))
    add("good_spaces", "white space wherever JSON allows it", lambda: frame(
        '{ "w" :\n{ "dtype":\t"F32" , "shape" : [ 4 ] ,\r\n"data_offsets": [ 0 , 16 ] } }\n\n', FOUR))
    add(
        "good_data_order",
        "data in another order than the names",
        lambda: build([Tensor(n, "F32", [4]) for n in "cab"], data_order=[2, 0, 1]),
    )
    add("good_odd_header", "the data begin at an odd offset", odd_header)
    add(
        "good_unaligned",
        "three bytes before wide elements",
        lambda: build([Tensor("a", "U8", [3]), Tensor("b", "F64", [2]), Tensor("c", "F16", [1]), Tensor("d", "C64", [2])]),
    )
    add("good_rank_64", "64 dimensions", lambda: build([Tensor("w", "U8", [1] * 62 + [2, 3])]))
    add(
        "good_names",
        "slashes, dots, spaces, control and foreign letters in names",
        lambda: build([Tensor(n, "U8", [1]) for n in ("a/b", "../c", "d e", "\x1b[31m", "имя", "é", "e\u0301", "__metadata")]),
    )
    add("good_name_65535", "the longest name a container holds", lambda: build([Tensor("n" * 65535, "U8", [1])]))
    add("good_many", "10,000 tensors", lambda: build([Tensor(f"t{i}", "U8", [1], b"x") for i in range(10000)]))
    add("good_wide_padding", "a header with 1 MiB of trailing spaces", lambda: frame(
        '{"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}' + " " * (1 << 20), FOUR))


def add_refused():
    for dtype in FNUZ:
        add(f"refused_{dtype.lower()}", f"{dtype} has no Hurray type", lambda d=dtype: build([Tensor("w", d, [4])]))
    add("refused_fnuz_among_others", "one FNUZ tensor after a sound one", lambda: build(
        [Tensor("ok", "F32", [4]), Tensor("fnuz.weight", "F8_E4M3FNUZ", [4])]))
    add("refused_rank_65", "65 dimensions", lambda: build([Tensor("w", "U8", [1] * 65)]))
    add("refused_name_empty", "a tensor without a name", lambda: build([Tensor("", "U8", [1])]))
    add("refused_name_65536", "a name too long by one byte", lambda: build([Tensor("n" * 65536, "U8", [1])]))
    add("refused_metadata_empty_key", "a metadata key without a letter", lambda: build([], {"": "v"}))
    add("refused_metadata_key_65536", "a metadata key too long by one byte", lambda: build([], {"k" * 65536: "v"}))


def add_bad_frame():
    good = one()
    for size in range(8):
        add(f"bad_size_{size}", f"{size} bytes in all", lambda n=size: good[:n])
    add("bad_header_cut", "the file ends inside the header", lambda: good[:40])
    add("bad_header_length_0", "header length 0", lambda: frame(b"", FOUR, 0))
    add("bad_header_length_plus_1", "header length one beyond the file", lambda: frame("{}", length=9, align=8))
    for exponent in (31, 32, 62, 63):
        add(f"bad_header_length_2e{exponent}", f"header length 2^{exponent}", lambda n=1 << exponent: frame("{}", length=n))
    for short in (1, 8, 9):
        add(f"bad_header_length_wraps_{short}", f"header length 2^64 - {short}", lambda n=(1 << 64) - short: frame("{}", length=n))
    add("bad_header_length_short", "header length stops inside the JSON", lambda: good.replace(good[:8], bytes([16, 0, 0, 0, 0, 0, 0, 0]), 1))
    add("bad_header_length_into_data", "header length reaches into the data", lambda: frame(encode(
        {"w": entry("U8", [4], 0, 4)}), b"abcdefgh", len(encode({"w": entry("U8", [4], 0, 4)})) + 4))
    add("bad_data_cut", "the last data byte is missing", lambda: good[:-1])
    add("bad_data_missing", "no data at all", lambda: good[:-16])
    add("bad_data_trailing", "one byte after the data", lambda: good + b"\0")
    add("bad_no_tensors_trailing", "no tensor, yet data", lambda: frame("{}", b"12345678"))
    add("bad_huge_header", "a true header of 100,000,001 bytes, beyond what the format's readers take", lambda: frame(
        '{"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}'.ljust(100000001), FOUR, align=1), large=True)


def add_bad_json():
    for name, about, header in (
        ("nothing", "spaces only", "        "),
        ("array", "an array", "[]"),
        ("string", "a string", '"w"'),
        ("null", "null", "null"),
        ("open", "an object without end", '{"a":'),
        ("twice", "two documents", "{}{}"),
        ("comma", "a comma before the end", '{"__metadata__":{},}'),
        ("comment", "a comment", "{/* */}"),
        ("single_quotes", "single quotes", "{'__metadata__':{}}"),
        ("nul", "a NUL byte as padding", b"{}\0\0\0\0\0\0"),
        ("control", "a raw line feed in a string", '{"__metadata__":{"a":"\n"}}'),
        ("utf8", "FF FE in a metadata value", b'{"__metadata__":{"a":"\xff\xfe"}}'),
        ("utf8_overlong", "C0 80 in a metadata value", b'{"__metadata__":{"a":"\xc0\x80"}}'),
        ("utf8_surrogate", "ED A0 80 in a metadata value", b'{"__metadata__":{"a":"\xed\xa0\x80"}}'),
        ("utf8_cut", "a string that ends inside a letter", b'{"__metadata__":{"a":"\xe2\x82"}}'),
        ("lone_surrogate", "half of a surrogate pair as an escape", r'{"__metadata__":{"a":"\ud800"}}'),
        ("escape", "an unknown escape", r'{"__metadata__":{"a":"\x41"}}'),
        ("bom", "a byte order mark", b"\xef\xbb\xbf{}"),
        ("utf16", "UTF-16", "{}".encode("utf-16-le")),
        ("metadata_number", "a number as metadata value", '{"__metadata__":{"a":1}}'),
        ("metadata_null", "null as metadata value", '{"__metadata__":{"a":null}}'),
        ("metadata_nested", "an object as metadata value", '{"__metadata__":{"a":{"b":"c"}}}'),
        ("metadata_string", "metadata that is a string", '{"__metadata__":"a"}'),
        ("metadata_list", "metadata that is an array", '{"__metadata__":["a"]}'),
        ("metadata_twice", "two __metadata__", '{"__metadata__":{"a":"1"},"__metadata__":{"b":"2"}}'),
        ("metadata_key_twice", "one metadata key twice", '{"__metadata__":{"a":"1","a":"2"}}'),
        ("tensor_number", "a tensor that is a number", '{"w":1}'),
        ("tensor_empty", "a tensor without a field", '{"w":{}}'),
        ("nest_array", "100,000 open brackets", "[" * 100000),
        ("nest_object", "100,000 objects in each other", '{"a":' * 100000 + "1" + "}" * 100000),
    ):
        add(f"bad_json_{name}", about, lambda h=header: frame(h))
    deep = "[" * 100000 + "]" * 100000
    add("bad_json_nest_shape", "a shape nested 100,000 deep", lambda: one(shape=deep))
    add("bad_json_nest_extra", "an unknown field nested 100,000 deep", lambda: one(more=f',"extra":{deep}'))
    add("bad_json_nest_metadata", "metadata nested 100,000 deep", lambda: frame(f'{{"__metadata__":{{"a":{deep}}}}}'))
    same = '"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}'
    add("bad_name_twice", "one name, two tensors", lambda: frame(
        f'{{{same},{same.replace("[0,16]", "[16,32]")}}}', FOUR * 2))
    add("bad_name_twice_same", "one name and the same data twice", lambda: frame(f"{{{same},{same}}}", FOUR))
    add("bad_name_twice_escaped", "one name, once written as an escape", lambda: frame(
        f'{{{same},{same.replace("[0,16]", "[16,32]").replace("w", chr(92) + "u0077", 1)}}}', FOUR * 2))
    add("bad_name_utf8", "FF in a name", lambda: one(name='"X"').replace(b'"X"', b'"\xff"'))
    add("bad_tensor_named_metadata", "a tensor named __metadata__", lambda: one(name='"__metadata__"'))


def add_bad_tensor():
    for name, about, parts in (
        ("dtype_unknown", "dtype F33", {"dtype": '"F33"'}),
        ("dtype_lower", "dtype f32", {"dtype": '"f32"'}),
        ("dtype_empty", "dtype without a letter", {"dtype": '""'}),
        ("dtype_number", "dtype 5", {"dtype": "5"}),
        ("dtype_twice", "two dtypes", {"dtype": '"F32","dtype":"I32"'}),
        ("shape_twice", "two shapes", {"shape": '[4],"shape":[4]'}),
        ("shape_null", "no shape", {"shape": "null"}),
        ("shape_number", "shape 4", {"shape": "4"}),
        ("shape_string", "an extent that is a string", {"shape": '["4"]'}),
        ("shape_negative", "negative extents whose product is right", {"shape": "[-2,-2]"}),
        ("shape_fraction", "an extent of 4.5", {"shape": "[4.5]"}),
        ("shape_2e64", "an extent of 2^64", {"shape": "[18446744073709551616]"}),
        ("shape_2e64_plus_4", "an extent of 2^64 + 4", {"shape": "[18446744073709551620]"}),
        ("shape_wraps", "2^32 * 2^32 elements", {"shape": "[4294967296,4294967296]", "offsets": "[0,0]", "data": b""}),
        ("shape_wraps_to_4", "extents whose product is 4 mod 2^64", {"shape": "[6148914691236517206,6]"}),
        ("bits_wrap", "2^62 F32 elements: 2^64 bytes", {"shape": "[4611686018427387904]", "offsets": "[0,0]", "data": b""}),
        ("bits_wrap_to_16", "2^62 + 4 F32 elements: 16 bytes mod 2^64", {"shape": "[4611686018427387908]"}),
        ("shape_small", "shape asks for less than the offsets", {"shape": "[3]"}),
        ("shape_large", "shape asks for more than the offsets", {"shape": "[5]"}),
        ("dtype_size", "F64 where four F32 are", {"dtype": '"F64"'}),
        ("shape_scalar", "no dimension, 16 bytes", {"shape": "[]"}),
        ("shape_zero", "no element, 16 bytes", {"shape": "[0]"}),
        ("offsets_twice", "two pairs of offsets", {"offsets": '[0,16],"data_offsets":[0,16]'}),
        ("offsets_one", "one offset", {"offsets": "[0]"}),
        ("offsets_three", "three offsets", {"offsets": "[0,16,16]"}),
        ("offsets_swapped", "end before begin", {"offsets": "[16,0]"}),
        ("offsets_negative", "begin at -16", {"offsets": "[-16,0]"}),
        ("offsets_fraction", "end at 16.5", {"offsets": "[0,16.5]"}),
        ("offsets_string", "end as a string", {"offsets": '[0,"16"]'}),
        ("offsets_null", "no offsets", {"offsets": "null"}),
        ("offsets_beyond", "data end after the file", {"shape": "[5]", "offsets": "[0,20]"}),
        ("offsets_far", "data end near 2^64", {"shape": "[4]", "offsets": "[18446744073709551599,18446744073709551615]"}),
        ("offsets_2e64_plus_16", "end at 2^64 + 16", {"offsets": "[0,18446744073709551632]"}),
        ("offsets_late", "a hole before the first tensor", {"offsets": "[4,20]", "data": bytes(20)}),
        ("f4_odd", "three F4 elements: 12 bits", {"dtype": '"F4"', "shape": "[3]", "offsets": "[0,2]", "data": b"ab"}),
        ("f4_scalar", "one F4 element", {"dtype": '"F4"', "shape": "[]", "offsets": "[0,1]", "data": b"a"}),
        ("f6_e2m3_bits", "five F6_E2M3 elements: 30 bits", {"dtype": '"F6_E2M3"', "shape": "[5]", "offsets": "[0,4]", "data": b"abcd"}),
        ("f6_e3m2_bits", "two F6_E3M2 elements: 12 bits", {"dtype": '"F6_E3M2"', "shape": "[2]", "offsets": "[0,2]", "data": b"ab"}),
    ):
        add(f"bad_{name}", about, lambda p=parts: one(**p))
    for field in ("dtype", "shape", "data_offsets"):
        add(f"bad_no_{field}", f"a tensor without {field}", lambda f=field: frame(
            {"w": {k: v for k, v in entry("F32", [4], 0, 16).items() if k != f}}, FOUR))
    add("bad_overlap", "two tensors share four bytes", lambda: pair((0, 16), (12, 28), 28))
    add("bad_overlap_same", "two tensors share all bytes", lambda: pair((0, 16), (0, 16), 16))
    add("bad_overlap_reversed", "an overlap, the later tensor named first", lambda: pair((12, 28), (0, 16), 28))
    add("bad_hole", "four bytes belong to nobody", lambda: pair((0, 16), (20, 36), 36))
    add("bad_hole_at_end", "the last four bytes belong to nobody", lambda: pair((0, 16), (16, 32), 36))
    add("bad_empty_inside", "an empty tensor inside another's bytes", lambda: frame(
        {"a": entry("F32", [4], 0, 16), "b": entry("F32", [0], 8, 8)}, FOUR))
    add("bad_empty_beyond", "an empty tensor after the end of the data", lambda: frame(
        {"a": entry("F32", [4], 0, 16), "b": entry("F32", [0], 24, 24)}, FOUR))


def add_edge():
    add("edge_start_space", "a space before the header's brace", lambda: frame(" {}"))
    add("edge_extra_field", "a field that the format does not name", lambda: one(more=',"note":[1,{"a":null}]'))
    add("edge_metadata_null", "__metadata__ is null", lambda: frame('{"__metadata__":null}'))
    add("edge_metadata_key_nul", "a metadata key with a NUL", lambda: build([], {"a\0b": "v"}))
    add("edge_name_nul", "a name with a NUL", lambda: build([Tensor("a\0b", "U8", [1])]))
    add("edge_float_extent", "an extent written 4.0", lambda: one(shape="[4.0]"))
    add("edge_exponent_extent", "an extent written 4e0", lambda: one(shape="[4e0]"))
    add("edge_minus_zero", "an offset written -0", lambda: one(offsets="[-0,16]"))
    add("edge_bool_2", "a BOOL byte of 2", lambda: build([Tensor("w", "BOOL", [4], b"\0\1\2\1")]))
    add("edge_e8m0_0", "F8_E8M0 bytes 00 and FF", lambda: build([Tensor("w", "F8_E8M0", [3], b"\0\x7f\xff")]))
    add("edge_empty_wraps", "no element, yet the other extents pass 2^64", lambda: one(
        b"", shape="[4294967296,4294967296,0]", offsets="[0,0]"))


add_good()
add_refused()
add_bad_frame()
add_bad_json()
add_bad_tensor()
add_edge()
