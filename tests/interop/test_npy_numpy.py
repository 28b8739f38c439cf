"""NumPy's arrays to containers and back, by the command: the same values, whatever type, order and version."""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    # Debian's NumPy belongs to Debian's Python, which may not be the first one found.
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skipped: no NumPy here")
    sys.exit(77)

HURRAY = os.environ.get("HURRAY")
if not HURRAY or not os.environ.get("HURRAY_INTEROP"):
    print("skipped: no command that reads .npy files here")
    sys.exit(77)

KINDS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(), (1,), (184,), (2, 3), (3, 1, 5), (4, 0, 2), (17, 9)]


def array(kind, shape, seed):
    random = np.random.default_rng(seed)
    count = int(np.prod(shape, dtype=np.int64))
    if kind == "?":
        return random.integers(0, 2, count).astype(bool).reshape(shape)
    whole = np.frombuffer(random.bytes(count * np.dtype(kind).itemsize), dtype=kind).reshape(shape)
    return whole.copy()


def run(*arguments):
    return subprocess.run([HURRAY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def same(got, want):
    native = want.astype(want.dtype.newbyteorder("="))
    return got.dtype == native.dtype and got.shape == want.shape and np.array_equal(
        np.ascontiguousarray(got).reshape(-1).view(np.uint8), np.ascontiguousarray(native).reshape(-1).view(np.uint8))


def there_and_back(folder, name, want, version):
    source, middle, back = (os.path.join(folder, "x" + ending) for ending in (".npy", ".hrry", ".back.npy"))
    with open(source, "wb") as file:
        np.lib.format.write_array(file, want, version=version, allow_pickle=False)
    for arguments in (("convert", source, middle), ("convert", middle, back)):
        done = run(*arguments)
        if done.returncode:
            return f"{name}: {' '.join(arguments)}: {done.stderr}"
    got = np.load(back, allow_pickle=False)
    for path in (source, middle, back):
        os.remove(path)
    return None if same(got, want) else f"{name}: {got!r} instead of {want!r}"


def refused(folder, name, value, words):
    path = os.path.join(folder, "bad.npy")
    np.save(path, value, allow_pickle=True)
    done = run("info", path)
    if done.returncode == 0 or words not in done.stderr:
        return f"{name}: not refused as \"{words}\": {done.stderr}"
    return None


def main():
    faults, cases = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for k, kind in enumerate(KINDS):
            for s, shape in enumerate(SHAPES):
                value = array(kind, shape, 100 * k + s)
                order = np.dtype(kind).newbyteorder(">" if (k + s) % 3 == 0 else "<")
                value = np.array(value, dtype=order, order="F" if (k + s) % 2 else "C")
                version = (1 + (k + s) % 3, 0)
                faults.append(there_and_back(folder, f"{order.str} {shape} version {version[0]}", value, version))
                cases += 1
        records = np.zeros(3, dtype=[("x", "<f4"), ("y", "<i2")])
        for name, value, words in [("objects", np.array([{}, 1], dtype=object), "objects"),
                                   ("records", records, "structured"),
                                   ("strings", np.array(["a", "bc"]), "strings"),
                                   ("bytes", np.array([b"a", b"bc"]), "byte strings"),
                                   ("dates", np.array(["2020-01-01"], dtype="M8[D]"), "dates"),
                                   ("long double", np.zeros(2, dtype=np.longdouble), "depends on the machine")]:
            if name == "long double" and np.dtype(np.longdouble).itemsize == 8:
                continue
            faults.append(refused(folder, name, value, words))
            cases += 1
    faults = [fault for fault in faults if fault]
    print("\n".join(faults) or f"{cases} arrays")
    return 1 if faults else 0


sys.exit(main())
