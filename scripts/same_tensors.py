"""same_tensors.py A B: compares two safetensors files by names, types, shapes, bytes and metadata. Exits 1 on any difference.

It reads the files by itself, so that it is a witness of its own.
"""
import json
import struct
import sys


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = (entry["dtype"], entry["shape"], data[begin:end])
    return metadata, tensors


def main(one, other):
    metadata, tensors = load(one)
    metadata_back, tensors_back = load(other)
    faults = [f"only in one of them: {name}" for name in sorted(set(tensors) ^ set(tensors_back))]
    faults += [f"differs: {name}" for name in tensors if name in tensors_back and tensors[name] != tensors_back[name]]
    if list(tensors) != list(tensors_back) and not faults:
        faults.append("the order of names differs")
    if metadata != metadata_back:
        faults.append("the metadata differs")
    if faults:
        sys.exit("\n".join(faults))
    size = sum(len(tensor[2]) for tensor in tensors.values())
    print(f"{len(tensors)} tensors, {size} bytes of data, {len(metadata)} metadata entries: all identical")


main(*sys.argv[1:])
