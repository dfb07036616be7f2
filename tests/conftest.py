"""Before any test module imports NumPy."""

import os

# Tests run side by side; threads of linear algebra would wait for each other on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
