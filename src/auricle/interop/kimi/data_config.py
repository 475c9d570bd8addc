"""Find the evalkit's data: paths from its `config.yaml`, and the default locations."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.core.yaml_files import read_yaml
from auricle.data.file_formats import Row, read_rows
from auricle.interop.kimi.datasets import Dataset

CONFIG_VARIABLE = "PROJECT_CONFIG_PATH"
CONFIG_FILE = "config.yaml"
DATASETS_SECTION = "DATASETS"
PEEK_ROWS = 20
"""Rows read to find the folder of their audio."""


@dataclass(frozen=True, slots=True)
class DataConfig:
    """A `config.yaml`; its relative paths are resolved against its folder."""

    path: Path
    root: Path | None
    dataset_files: Mapping[str, Path]

    @classmethod
    def read(cls, config_file: Any = None) -> DataConfig:
        """Read the file given as argument or in the evalkit's environment variable, or search for it."""
        path = _find_config(config_file)
        section = read_yaml(path).get(DATASETS_SECTION)
        if not isinstance(section, Mapping):
            raise SpecError(f"{path}: missing section {DATASETS_SECTION} with dataset_root or datasets.")
        folder, root = path.parent, section.get("dataset_root")
        files = section.get("datasets") or {}
        return cls(
            path,
            folder / Path(root).expanduser() if root else None,
            {str(name).casefold(): folder / Path(str(location)).expanduser() for name, location in files.items()},
        )

    def find_data_file(self, dataset: Dataset) -> Path:
        """Return the file with a dataset's rows, or raise `DataError` with the places searched."""
        if configured := self.dataset_files.get(dataset.name.casefold()):
            if configured.is_file():
                return configured
            raise DataError(f"There is no file {configured}, which {self.path} gives for {dataset.name}.")
        candidates = self._default_paths(dataset)
        for path in candidates:
            if path.is_file():
                return path
        searched = " or ".join(map(str, candidates)) or "the config: it has no dataset_root"
        raise DataError(
            f"{dataset.name} not found in {searched}. Add it under `datasets:` in {self.path}, or pass -T data=FILE."
        )

    def _default_paths(self, dataset: Dataset) -> list[Path]:
        name, series = dataset.name, dataset.series
        if self.root is None:
            return []
        relative_paths = (f"{name}/{name}.jsonl", f"{series}/{name}.jsonl", f"{series}/{name}/{name}.jsonl")
        return [self.root / path for path in dict.fromkeys(relative_paths)]

    def find_audio_root(self, data: Path) -> Path:
        """Return the folder that audio paths are relative to; the evalkit uses its working directory."""
        return find_audio_root(data, (self.path.parent, Path.cwd(), data.parent))


def find_audio_root(data: Path, folders: Sequence[Path]) -> Path:
    """Return the first folder that contains a recording of the first rows, else the last folder."""
    for row in islice(read_rows(data), PEEK_ROWS):
        paths = row.values.get("audio_path") if isinstance(row, Row) else None
        path = paths[0] if isinstance(paths, list) and paths else paths
        for folder in folders:
            if isinstance(path, str) and (folder / path).is_file():
                return folder
    return folders[-1]


def _find_config(config_file: Any) -> Path:
    configured = config_file or os.environ.get(CONFIG_VARIABLE)
    if configured:
        path = Path(str(configured)).expanduser()
        if not path.is_file():
            raise SpecError(f"There is no file {path}, given as the evalkit's {CONFIG_FILE}.")
        return path.resolve()
    working_directory = Path.cwd()
    for folder in (working_directory, *working_directory.parents):
        if (folder / CONFIG_FILE).is_file():
            return folder / CONFIG_FILE
    raise SpecError(
        f"Data not found. Pass the evalkit's config with -T config={CONFIG_FILE} or ${CONFIG_VARIABLE}, "
        "or a file with rows with -T data=FILE."
    )
