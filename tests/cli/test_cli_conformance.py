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


def read(path):
    """A conformance file, None for one that has no bytes of its own."""
    path = os.path.join(CONFORMANCE, path)
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if path.endswith(".gz") else data


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
            items.append((row["name"], self.write(row["name"] + ".hrry", read(row["path"]))))
        self.assertGreater(len(items), 50)
        docs = self.ok("info", "--json", *[path for _, path in items]).json()
        for (name, path), doc in zip(items, docs):
            expected = {"file": path, **without(by_contract(want[name]), "name")}
            self.assertEqual(json.dumps(doc), json.dumps(expected), name)

    def test_descriptor_verdicts(self):
        items = {"yes": [], "no": []}
        for row in rows("descriptors.tsv"):
            data = bytes.fromhex(row["hex"]) if row["hex"] != "-" else b""
            whole = len(data) >= 10 and int.from_bytes(data[6:10], "little") == len(data)
            if whole and data[:8] != b"HRRYFILE":
                items[row["private"] if row["private"] == "yes" else "no"].append((row, self.write(row["name"], data)))
        for private, rows_ in items.items():
            args = ["--allow-private"] if private == "yes" else []
            docs = self.hurray("check", "--json", "--lint", *args, *[path for _, path in rows_]).json()
            for (row, _), doc in zip(rows_, docs):
                self.judge(row, doc)

    def test_file_verdicts(self):
        items = []
        for row in rows("files.tsv"):
            data = read(row["path"])
            if data is not None:
                items.append((row, self.write(row["name"] + ".hrry", data)))
        docs = self.hurray("check", "--json", "--lint", *[path for _, path in items]).json()
        self.assertEqual(len(docs), len(items))
        for (row, _), doc in zip(items, docs):
            self.judge(row, doc)

    def test_reported_cases(self):
        with open(os.path.join(CONFORMANCE, "cases", "cases.tsv")) as table:
            cases = [line.split("\t")[:3] for line in table if line.split("\t")[0].endswith(".hrry")]
        self.assertGreater(len(cases), 100)
        docs = self.hurray("check", "--json", *[os.path.join(CONFORMANCE, "cases", case[0]) for case in cases]).json()
        wrong = [name for (name, _, verdict), doc in zip(cases, docs) if doc["valid"] == (verdict == "reject")]
        self.assertEqual(wrong, [])

    def judge(self, row, doc):
        rules = [violation["rule"] for violation in doc["violations"]]
        if row["verdict"] == "reject":
            self.assertIs(doc["valid"], False, row["name"])
            self.assertIn(rules[0], [row["rule"], *row["also"].split(",")], row["name"])
        else:
            self.assertEqual((doc["valid"], rules), (True, []), row["name"])
        if row["verdict"] == "lint":
            self.assertIn(row["rule"], [lint["rule"] for lint in doc["lint"]], row["name"])


if __name__ == "__main__":
    if not os.path.isdir(CONFORMANCE):
        print("skipped: no conformance data at %s" % CONFORMANCE)
        sys.exit(77)
    unittest.main()
