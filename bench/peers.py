"""What NumPy and SciPy take for a job of the benchmarks: peers.py JOB prints the peer's name and its rate, bytes or
entries a second as the benchmark counts them. Destinations were touched before, where the peer can be given one."""

import os
import sys
import time

try:
    import numpy as np
except ImportError:
    # Debian's NumPy belongs to Debian's Python, which may not be the first one found.
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    sys.exit(1)

chance = np.random.default_rng(1)


def seconds(job):
    samples = []
    for _ in range(6):
        start = time.perf_counter()
        job()
        samples.append(time.perf_counter() - start)
    return sorted(samples[1:])[2]  # the first one warms up


def floats(*shape):
    return chance.standard_normal(shape, dtype=np.float32)


def moved(source):
    """Bytes of an array made of a view."""
    target = np.empty(source.shape, source.dtype)
    target[...] = source
    return "NumPy", source.nbytes / seconds(lambda: np.copyto(target, source))


def transpose():
    side = 8192
    return moved(floats(side, side).T)


def to_tiles():
    side, tile = 8192, 64
    tiles = floats(side, side).reshape(side // tile, tile, side // tile, tile).transpose(0, 2, 1, 3)
    return moved(tiles)


def from_tiles():
    side, tile = 8192, 64
    tiles = floats(side // tile, side // tile, tile, tile).transpose(0, 2, 1, 3)
    return moved(tiles)


def to_nhwc():
    return moved(floats(32, 64, 112, 112).transpose(0, 2, 3, 1))


def int8_to_float32():
    codes = chance.integers(-128, 128, 1 << 26, dtype=np.int8)
    target = np.zeros(codes.shape, np.float32)
    return "NumPy", target.nbytes / seconds(lambda: np.multiply(codes, np.float32(0.01), out=target))


def float16_to_float32():
    halves = floats(1 << 26).astype(np.float16)
    target = np.zeros(halves.shape, np.float32)
    return "NumPy", target.nbytes / seconds(lambda: np.copyto(target, halves))


def float32_to_int8():
    x = floats(1 << 26)
    room, codes = np.zeros_like(x), np.zeros(x.shape, np.int8)

    def job():
        np.divide(x, np.float32(0.05), out=room)
        np.rint(room, out=room)
        np.clip(room, -127, 127, out=room)
        np.copyto(codes, room, casting="unsafe")

    return "NumPy", x.nbytes / seconds(job)


def statistics():
    x = floats(1 << 26)

    def job():
        return (np.count_nonzero(x), x.min(), x.max(), np.abs(x).max(), x.mean(dtype=np.float64),
                x.std(dtype=np.float64), np.isnan(x).any(), np.isinf(x).any())

    return "NumPy", x.nbytes / seconds(job)


def entries(rows, columns, count):
    """Sorted places without equal ones, 64-bit indices, float32 values."""
    import scipy.sparse
    places = np.unique(chance.integers(0, rows * columns, count))
    values = floats(len(places))
    coo = scipy.sparse.coo_matrix((values, (places // columns, places % columns)), shape=(rows, columns))
    coo.row, coo.col = coo.row.astype(np.int64), coo.col.astype(np.int64)
    return coo


def csr_check():
    csr = entries(1 << 20, 1 << 20, 20_000_000).tocsr()
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return "SciPy", csr.nnz / seconds(lambda: csr.check_format(full_check=True))


def csr_to_csc():
    csr = entries(1 << 20, 1 << 20, 20_000_000).tocsr()
    return "SciPy", csr.nnz / seconds(csr.tocsc)


def coo_to_csr():
    import scipy.sparse
    coo = entries(1 << 20, 1 << 20, 20_000_000)
    order = chance.permutation(coo.nnz)
    shuffled = scipy.sparse.coo_matrix((coo.data[order], (coo.row[order], coo.col[order])), shape=coo.shape)

    def job():
        shuffled.tocsr().sort_indices()

    return "SciPy", coo.nnz / seconds(job)


def csr_to_dense():
    csr = entries(8192, 8192, 8192 * 8192 // 10).tocsr()
    target = np.zeros(csr.shape, np.float32)
    return "SciPy", target.nbytes / seconds(lambda: csr.toarray(out=target))


def dense_to_csr():
    import scipy.sparse
    dense = entries(8192, 8192, 8192 * 8192 // 10).toarray()
    return "SciPy", dense.nbytes / seconds(lambda: scipy.sparse.csr_matrix(dense))


JOBS = [transpose, to_tiles, from_tiles, to_nhwc, int8_to_float32, float16_to_float32, float32_to_int8, statistics,
        csr_check, csr_to_csc, coo_to_csr, csr_to_dense, dense_to_csr]

for job in JOBS:
    if sys.argv[1:] == [job.__name__]:
        try:
            peer, rate = job()
        except ImportError:
            sys.exit(1)
        print(peer, f"{rate:.0f}")
        sys.exit(0)
sys.exit(f"usage: peers.py {'|'.join(job.__name__ for job in JOBS)}")
