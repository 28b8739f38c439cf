#!/usr/bin/env python3
"""info --json against the decoded conformance data, for every descriptor and container that is accepted.

Where that data and the command's contract differ in form, the contract holds: an unused buffer index is null, bytes in
metadata are base64.
"""

import base64
import gzip
import json
import os
import sys
import unittest

from cli_case import CliCase, SHARED

CONFORMANCE = os.path.join(SHARED, "conformance")


def rows(name):
    with open(os.path.join(CONFORMANCE, name)) as table:
        lines = [line.rstrip("\n").split("\t") for line in table]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def decoded(name):
    with open(os.path.join(CONFORMANCE, name)) as table:
        return {doc["name"]: doc for doc in map(json.loads, table)}


def by_contract(value, key=""):
    if isinstance(value, dict):
        if value.get("type") == "bytes":
            return dict(value, value=base64_of(value["value"]))
        if value.get("type") == "array" and value.get("element_type") == "bytes":
            return dict(value, value=[base64_of(item) for item in value["value"]])
        return {name: by_contract(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [by_contract(item) for item in value]
    return None if key.endswith("_buffer_index") and value == 0xFFFFFFFF else value


def base64_of(text):
    return base64.b64encode(bytes.fromhex(text)).decode()


def without(tensor, *keys):
    return {key: value for key, value in tensor.items() if key not in keys}


class Conformance(CliCase):
    def test_descriptors(self):
        want = decoded("descriptors.jsonl")
        calls = {"yes": [], "no": []}
        for row in rows("descriptors.tsv"):
            data = bytes.fromhex(row["hex"])
            whole = len(data) >= 10 and int.from_bytes(data[6:10], "little") == len(data)
            if row["verdict"] != "reject" and whole:
                calls["yes" if row["private"] == "yes" else "no"].append((row["name"], self.write(row["name"], data)))
        self.assertGreater(len(calls["no"]), 500)
        self.assertGreater(len(calls["yes"]), 10)
        for private, items in calls.items():
            args = ["--allow-private"] if private == "yes" else []
            docs = self.ok("info", "--json", *args, *[path for _, path in items]).json()
            for (name, _), doc in zip(items, docs):
                got = without(doc["tensors"][0], "name", "descriptor_offset", "data_offset", "data_length")
                expected = by_contract(want[name]["tensor"])
                self.assertEqual(got, expected, name)
                self.assertEqual(list(got), list(expected), name)

    def test_files(self):
        want = decoded("files.jsonl")
        items = []
        for row in rows("files.tsv"):
            if row["verdict"] == "reject" or row["name"] not in want:
                continue
            with open(os.path.join(CONFORMANCE, row["path"]), "rb") as file:
                data = file.read()
            data = gzip.decompress(data) if row["path"].endswith(".gz") else data
            items.append((row["name"], self.write(row["name"] + ".hrry", data)))
        self.assertGreater(len(items), 50)
        docs = self.ok("info", "--json", *[path for _, path in items]).json()
        for (name, path), doc in zip(items, docs):
            expected = {"file": path, **without(by_contract(want[name]), "name")}
            self.assertEqual(json.dumps(doc), json.dumps(expected), name)


if __name__ == "__main__":
    if not os.path.isdir(CONFORMANCE):
        print("skipped: no conformance data at %s" % CONFORMANCE)
        sys.exit(77)
    unittest.main()
