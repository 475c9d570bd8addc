"""Rows from files and from Hugging Face, and what in a row is a sample's."""

from auricle.data.manifest import ColumnMapping, Manifest
from auricle.data.row_files import Row, read_rows

__all__ = ["ColumnMapping", "Manifest", "Row", "read_rows"]
