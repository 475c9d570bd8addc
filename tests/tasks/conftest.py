"""Corpora as they lie on people's disks."""

from tests.support.corpus_files import corpus  # noqa: F401
