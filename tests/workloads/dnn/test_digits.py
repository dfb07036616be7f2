"""The digits: scaled like SciPy does, quantized over the full range, split without overlap."""

import numpy as np
import pytest
from scipy.ndimage import zoom
from sklearn.datasets import load_digits

from workloads.dnn import digits


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_scaling_is_scipys_linear_zoom_rounded(bits):
    raw = load_digits().images[:40]
    top = 2**bits - 1
    expected = np.stack([zoom(image, 28 / 8, order=1) for image in raw]) / 16 * top
    found = digits.quantize(raw.astype(np.int64), bits)
    assert np.abs(found - expected).max() <= 0.5 + 1e-9
    assert found.min() == 0
    assert found.max() == top


def test_train_and_test_share_no_image():
    data = digits.load(4)
    assert len(data.train_labels) + len(data.test_labels) == 1797
    assert data.test_images.shape[1:] == (1, 28, 28)
    train = {image.tobytes() for image in data.train_images}
    assert not any(image.tobytes() in train for image in data.test_images)
    again = digits.load(4)
    np.testing.assert_array_equal(again.test_labels, data.test_labels)
