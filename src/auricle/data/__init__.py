"""Rows from files and from Hugging Face, and what in a row is a sample's."""

from auricle.data.manifest import Fields, Manifest
from auricle.data.rows import Row, rows

__all__ = ["Fields", "Manifest", "Row", "rows"]
