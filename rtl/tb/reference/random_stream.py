"""What the random generator and the samplers make, from the official BLAKE3 package and NumPy.

A block is 64 bytes, used from its low end; a request of samples starts on a fresh block.
"""

import itertools
from collections.abc import Iterator

import gmpy2
import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

BLOCK_BYTES = 64
TERNARY_GROUP = 8
STANDARD_DEVIATION = gmpy2.mpq(32, 10)
MAX_DEVIATION = gmpy2.mpq(192, 10)
LARGEST_ERROR = 19

# IV, order of the message words and domain flags: BLAKE3 paper, Tables 1 to 3.
INITIAL_VALUE = (
    *(0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A),
    *(0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19),
)
CHUNK_START, CHUNK_END, PARENT, ROOT, KEYED_HASH = 1, 2, 4, 8, 16


def random_blocks(seed: bytes, nonce: int, first: int, count: int) -> NDArray[np.uint8]:
    """Return blocks ``first`` to ``first + count`` of a stream: (count, 64)."""
    stream = blake3(nonce.to_bytes(8, "little"), key=seed)
    data = stream.digest(length=count * BLOCK_BYTES, seek=first * BLOCK_BYTES)
    return np.frombuffer(data, dtype=np.uint8).reshape(count, BLOCK_BYTES)


def ternary(blocks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """All samples of ``blocks``: groups of eight bytes without a zero byte, by thirds."""
    groups = blocks.reshape(-1, TERNARY_GROUP)
    kept = groups[(groups != 0).all(axis=1)].astype(np.int64)
    return (3 * kept // 256 - 1).reshape(-1)


def centered_binomial(blocks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Twelve samples a block: ones among 21 bits less ones among the next 21."""
    bits = np.unpackbits(blocks, axis=1, bitorder="little")[:, : 12 * 42]
    ones = bits.reshape(-1, 2, 21).sum(axis=2, dtype=np.int64)
    return ones[:, 0] - ones[:, 1]


def clipped_normal(blocks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Eight samples a block: 63 bits against the cumulative table, one bit of sign."""
    words = np.ascontiguousarray(blocks).view("<u8").reshape(-1)
    thresholds = np.array(normal_thresholds(), dtype=np.uint64)
    size = np.searchsorted(thresholds, words & np.uint64(2**63 - 1), side="right")
    return np.where(words >> np.uint64(63) == 1, -size, size)


def normal_thresholds() -> list[int]:
    """round(2^63 P(|v| < m) / P(|v| <= 19.2)) for m = 1..19, v normal with deviation 3.2."""
    with gmpy2.context(precision=200):
        total = _within(MAX_DEVIATION)
        share = [_within(gmpy2.mpq(m)) / total for m in range(1, LARGEST_ERROR + 1)]
        return [int(gmpy2.rint(2**63 * part)) for part in share]


def _within(bound: gmpy2.mpq) -> gmpy2.mpfr:
    return gmpy2.erf(gmpy2.mpfr(bound / STANDARD_DEVIATION) / gmpy2.sqrt(gmpy2.mpfr(2)))


def ternary_probabilities() -> dict[int, float]:
    """Uniform over -1, 0, 1."""
    return dict.fromkeys((-1, 0, 1), 1 / 3)


def centered_binomial_probabilities() -> dict[int, float]:
    """P(n) = C(42, 21 + n) / 2^42."""
    return {n: float(gmpy2.mpq(gmpy2.bincoef(42, 21 + n), 2**42)) for n in range(-21, 22)}


def clipped_normal_probabilities() -> dict[int, float]:
    """The integer part of a normal of deviation 3.2 that is within 19.2: computed from erf."""
    with gmpy2.context(precision=200):
        total = _within(MAX_DEVIATION)
        edges = [_within(gmpy2.mpq(m)) / total for m in range(LARGEST_ERROR + 1)] + [gmpy2.mpfr(1)]
        size = [float(above - below) for below, above in itertools.pairwise(edges)]
    return {n: size[0] if n == 0 else size[abs(n)] / 2 for n in range(-LARGEST_ERROR, 20)}


class Samples:
    """Requests served one after the other from one stream, as the hardware serves them."""

    def __init__(self, seed: bytes, nonce: int, *, clipped: bool = False) -> None:
        self.seed = seed
        self.nonce = nonce
        self.errors = clipped_normal if clipped else centered_binomial
        self.next_block = 0

    def ternary(self, count: int) -> NDArray[np.int64]:
        """The next ``count`` ternary samples, a multiple of eight."""
        groups: list[NDArray[np.int64]] = []
        held = 0
        while held < count:
            samples = ternary(random_blocks(self.seed, self.nonce, self.next_block, 1))
            self.next_block += 1
            groups.append(samples)
            held += len(samples)
        return np.concatenate(groups)[:count]

    def error(self, count: int) -> NDArray[np.int64]:
        """The next ``count`` error samples, a multiple of eight."""
        a_block = len(self.errors(np.zeros((1, BLOCK_BYTES), dtype=np.uint8)))
        used = -(-count // a_block)
        blocks = random_blocks(self.seed, self.nonce, self.next_block, used)
        self.next_block += used
        return self.errors(blocks)[:count]


def tree_compressions(message: bytes, key: bytes | None) -> Iterator[tuple]:
    """Walk BLAKE3's tree: yields (chain, block, counter, length, flags), is sent 16 output words.

    The last compression yielded is the root's first output block. The compression itself is not
    done here: whoever drives the generator answers each request, which is how hardware that has
    only the compression function is held against the official hash of a whole message.
    """
    chain = INITIAL_VALUE if key is None else tuple(np.frombuffer(key, "<u4").tolist())
    mode = 0 if key is None else KEYED_HASH
    chunks = [message[at : at + 1024] for at in range(0, len(message), 1024)] or [b""]
    node = yield from _subtree(chunks, 0, chain, mode)
    return (yield (*node[:4], node[4] | ROOT))


def _subtree(chunks: list[bytes], first: int, key: tuple, mode: int) -> Iterator[tuple]:
    """Yield all compressions below a node; return the node's own, not yet done."""
    if len(chunks) == 1:
        blocks = [chunks[0][at : at + 64] for at in range(0, len(chunks[0]), 64)] or [b""]
        chain = key
        for index, block in enumerate(blocks):
            flags = mode | (CHUNK_START if index == 0 else 0)
            if index == len(blocks) - 1:
                return (chain, _words(block), first, len(block), flags | CHUNK_END)
            output = yield (chain, _words(block), first, 64, flags)
            chain = tuple(output[:8])
    left_size = 1 << (len(chunks) - 1).bit_length() - 1
    children = []
    for part, start in ((chunks[:left_size], first), (chunks[left_size:], first + left_size)):
        node = yield from _subtree(part, start, key, mode)
        output = yield node
        children += output[:8]
    return (key, tuple(children), 0, 64, mode | PARENT)


def _words(block: bytes) -> tuple[int, ...]:
    return tuple(np.frombuffer(block.ljust(64, b"\0"), "<u4").tolist())
