"""Read samples from JSONL, JSON, CSV, TSV and Parquet files and from Hugging Face datasets."""

from auricle.data.file_formats import Row, read_rows
from auricle.data.manifest import ColumnMapping, Manifest

__all__ = ["ColumnMapping", "Manifest", "Row", "read_rows"]
