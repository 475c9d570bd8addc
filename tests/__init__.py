"""Tests. Libraries compute with one thread, also in processes that tests start: test processes share the cores."""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
