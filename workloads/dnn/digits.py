"""Handwritten digits: the 1797 images of 8x8 pixels inside scikit-learn, scaled to 28x28.

Source of the data: Alpaydin and Kaynak, "Optical Recognition of Handwritten Digits" (UCI, 1998,
DOI 10.24432/C50P49), the test part, as scikit-learn ships it. These are not MNIST images.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from workloads.dnn.plain import divide_rounded

Integers = NDArray[np.int64]

SIDE = 28
PIXEL_MAX = 16
TEST_SHARE = 0.2
SPLIT_SEED = 0
"""The split does not follow the seed of a run: committed weights must not meet their training
images in a test."""


@dataclass(frozen=True)
class Digits:
    """Images (count, 1, 28, 28) as unsigned activations, labels (count,); train and test."""

    train_images: Integers
    train_labels: Integers
    test_images: Integers
    test_labels: Integers


def load(activation_bits: int) -> Digits:
    """Return the digits with pixels quantized to ``activation_bits``."""
    raw = load_digits()
    images = quantize(raw.images.astype(np.int64), activation_bits)[:, None]
    labels = raw.target.astype(np.int64)
    order = np.random.default_rng(SPLIT_SEED).permutation(len(labels))
    test, train = np.split(order, [round(TEST_SHARE * len(order))])
    return Digits(images[train], labels[train], images[test], labels[test])


def quantize(images: Integers, activation_bits: int) -> Integers:
    """Scale (count, 8, 8) images to (count, 28, 28) bilinearly and to the full activation range.

    Corner pixels stay corner pixels. Output pixel u lies at input position 7 u / 27, so with all
    weights in units of 1/27 the interpolation, too, is exact in integers.
    """
    side = images.shape[-1]
    unit = SIDE - 1
    left, right_weight = np.divmod(np.arange(SIDE) * (side - 1), unit)
    matrix = np.zeros((SIDE, side), dtype=np.int64)
    matrix[np.arange(SIDE), left] += unit - right_weight
    matrix[np.arange(SIDE), np.minimum(left + 1, side - 1)] += right_weight
    scaled = matrix @ images @ matrix.T
    return divide_rounded(scaled * ((1 << activation_bits) - 1), PIXEL_MAX * unit**2)
