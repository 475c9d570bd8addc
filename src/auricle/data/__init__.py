"""Read samples from JSONL, CSV, TSV and Parquet files and from Hugging Face datasets."""

from auricle.data.manifest import ColumnMapping, Manifest
from auricle.data.row_files import Row, read_rows

__all__ = ["ColumnMapping", "Manifest", "Row", "read_rows"]
