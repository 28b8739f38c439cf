#!/usr/bin/python3
"""Train the sample network and write samples/digits.safetensors.

Needs Debian's python3-sklearn (for the data) and numpy, which comes with it.
Nothing else in the project needs this script: its result is kept in the tree.

    /usr/bin/python3 samples/make_digits.py [OUTPUT]
"""

import gzip
import json
import os
import struct
import sys

import numpy as np
import sklearn

SEED = 20
TEST_COUNT = 360
SIZES = [64, 128, 64, 10]
INPUT_SCALE = 1.0 / 16.0
EPOCHS = 60
BATCH = 32
RATE = 1e-3
DECAY = 1e-4
# A sample whose best two classes are nearer than this could change sides with the
# order of additions, and then the accuracy would depend on who computes it.
MIN_MARGIN = 1e-3


def load_digits():
    path = os.path.join(os.path.dirname(sklearn.__file__), "datasets", "data", "digits.csv.gz")
    with gzip.open(path, "rt") as stream:
        table = np.loadtxt(stream, delimiter=",")
    return table[:, :64].astype(np.uint8), table[:, 64].astype(np.uint8)


def split(count):
    # RandomState, unlike default_rng, promises the same stream in every numpy version.
    order = np.random.RandomState(SEED).permutation(count)
    return order[TEST_COUNT:], order[:TEST_COUNT]


def init_params(rng):
    params = []
    for fan_in, fan_out in zip(SIZES, SIZES[1:]):
        params.append(rng.standard_normal((fan_out, fan_in)) * np.sqrt(2.0 / fan_in))
        params.append(np.zeros(fan_out))
    return params


def forward(params, inputs):
    """The activations of every layer, the inputs first and the logits last."""
    acts = [inputs]
    last = len(params) - 2
    for i in range(0, len(params), 2):
        out = acts[-1] @ params[i].T + params[i + 1]
        acts.append(out if i == last else np.maximum(out, 0.0))
    return acts


def gradients(params, inputs, labels):
    acts = forward(params, inputs)
    delta = np.exp(acts[-1] - acts[-1].max(axis=1, keepdims=True))
    delta /= delta.sum(axis=1, keepdims=True)
    delta[np.arange(len(labels)), labels] -= 1.0
    delta /= len(labels)
    grads = [None] * len(params)
    for i in range(len(params) - 2, -1, -2):
        below = acts[i // 2]
        grads[i] = delta.T @ below + DECAY * params[i]
        grads[i + 1] = delta.sum(axis=0)
        if i:
            delta = (delta @ params[i]) * (below > 0.0)
    return grads


def train(inputs, labels):
    """Adam for a fixed number of passes: the test split decides nothing."""
    rng = np.random.RandomState(SEED + 1)
    params = init_params(rng)
    mean = [np.zeros_like(p) for p in params]
    square = [np.zeros_like(p) for p in params]
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(labels))
        for start in range(0, len(order), BATCH):
            picked = order[start : start + BATCH]
            step += 1
            for i, grad in enumerate(gradients(params, inputs[picked], labels[picked])):
                mean[i] = 0.9 * mean[i] + 0.1 * grad
                square[i] = 0.999 * square[i] + 0.001 * grad * grad
                rate = RATE * np.sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step)
                params[i] -= rate * mean[i] / (np.sqrt(square[i]) + 1e-8)
    return [p.astype("<f4") for p in params]


def measure(params, inputs, labels):
    logits = forward([p.astype(np.float64) for p in params], inputs * INPUT_SCALE)[-1]
    best = np.sort(logits, axis=1)
    return int((logits.argmax(axis=1) == labels).sum()), float((best[:, -1] - best[:, -2]).min())


def write_safetensors(path, tensors, metadata):
    header = {"__metadata__": metadata}
    offset = 0
    for name, (dtype, array) in tensors.items():
        header[name] = {
            "dtype": dtype,
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    temporary = path + ".tmp"
    with open(temporary, "wb") as stream:
        stream.write(struct.pack("<Q", len(text)))
        stream.write(text)
        for _, array in tensors.values():
            stream.write(array.tobytes())
    os.replace(temporary, path)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "digits.safetensors")
    pixels, digits = load_digits()
    train_rows, test_rows = split(len(digits))
    params = train(pixels[train_rows] * INPUT_SCALE, digits[train_rows])
    correct, margin = measure(params, pixels[test_rows], digits[test_rows])
    train_correct, _ = measure(params, pixels[train_rows], digits[train_rows])
    print(f"train {train_correct}/{len(train_rows)}, test {correct}/{len(test_rows)}, margin {margin:.4f}")
    if correct <= 0.96 * len(test_rows) or margin < MIN_MARGIN:
        sys.exit("the network is not good enough to be the sample; nothing written")

    names = [f"fc{1 + i // 2}.{('weight', 'bias')[i % 2]}" for i in range(len(params))]
    tensors = {name: ("F32", array) for name, array in zip(names, params)}
    tensors["test.inputs"] = ("U8", pixels[test_rows])
    tensors["test.labels"] = ("U8", digits[test_rows])
    write_safetensors(
        path,
        tensors,
        {
            "architecture": "mlp " + "-".join(str(size) for size in SIZES),
            "layers": "fc1,fc2,fc3",
            "activation": "relu between layers, none after the last; the largest output is the class",
            "weight_order": "out,in",
            "input_scale": repr(INPUT_SCALE),
            "test_count": str(len(test_rows)),
            "test_correct": str(correct),
            "test_accuracy": f"{correct / len(test_rows):.6f}",
            "data": "Optical recognition of handwritten digits (UCI), as shipped by python3-sklearn in Debian 12",
            "license": "see samples/README.md",
        },
    )
    print(f"{path}: {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()
