"""Find the evalkit's data with its `config.yaml`, and read it with Auricle's reader or the dataset class's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SampleError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.core.user_code import wrap_errors
from auricle.core.yaml_files import read_yaml
from auricle.data.file_formats import Row, read_rows
from auricle.data.manifest import Manifest
from auricle.frameworks.kimi.datasets import CustomLoader, Dataset

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
        name, series = dataset.name, dataset.series
        default_paths = (f"{name}/{name}.jsonl", f"{series}/{name}.jsonl", f"{series}/{name}/{name}.jsonl")
        candidates = [self.root / path for path in dict.fromkeys(default_paths)] if self.root else []
        if path := next((path for path in candidates if path.is_file()), None):
            return path
        searched = " or ".join(map(str, candidates)) or "the config: it has no dataset_root"
        raise DataError(
            f"{dataset.name} not found in {searched}. Add it under `datasets:` in {self.path}, or pass -T data=FILE."
        )


def audio_folders(dataset: Dataset, config: DataConfig) -> list[Path]:
    """Return the folders that audio paths of a dataset may be relative to, the most likely first."""
    folders = [config.path.parent, Path.cwd()]
    with suppress(DataError):  # the rows may be in another file
        folders.append(config.find_data_file(dataset).parent)
    return [*folders, config.root] if config.root else folders


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
    if configured := config_file or os.environ.get(CONFIG_VARIABLE):
        path = Path(str(configured)).expanduser()
        if not path.is_file():
            raise SpecError(f"There is no file {path}, given as the evalkit's {CONFIG_FILE}.")
        return path.resolve()
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / CONFIG_FILE).is_file():
            return folder / CONFIG_FILE
    raise SpecError(
        f"Data not found. Pass the evalkit's config with -T config={CONFIG_FILE} or ${CONFIG_VARIABLE}, "
        "or a file with rows with -T data=FILE."
    )


@dataclass(frozen=True)
class EvalkitManifest(Manifest):
    """A manifest that also stores each row's `meta` separately, because models receive nothing else."""

    dataset: Dataset | None = None

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        loader = self.dataset.custom_loader if self.dataset else None
        if loader is None:
            return super().__iter__()
        return (self.make_sample(index, row) for index, row in self.select_rows(self._read_custom(loader)))

    def __len__(self) -> int:
        if self.dataset and self.dataset.custom_loader:
            raise TypeError("the size of a dataset that reads its own data is unknown until it is read")
        return super().__len__()

    def notes(self) -> list[str]:
        return list(self.dataset.notes) if self.dataset else []

    def _build_sample(self, index: int, row: Row) -> Sample:
        sample = super()._build_sample(index, row)
        row_meta = row.values.get("meta")
        if not isinstance(row_meta, Mapping) or not row_meta:
            return sample
        return replace(sample, meta={**sample.meta, "meta": dict(row_meta)})

    def _read_custom(self, loader: CustomLoader) -> Iterator[Row | RejectedRow]:
        dataset_object, size = self._instantiate(loader)
        for index in range(size):
            origin = f"{self.path.name}:{index + 1}"
            try:
                with loader.modules.activate(), redirect_stdout(sys.stderr):
                    values = self._row_values(loader, dataset_object, index)
            except SampleError as error:
                yield RejectedRow(origin, str(error))
            else:
                yield Row(origin, values)

    def _instantiate(self, loader: CustomLoader) -> tuple[Any, int]:
        """Create the object without its constructor, which would search for a config, and load its data."""
        assert self.dataset
        with wrap_errors(loader.dataset_class.__name__), loader.modules.activate(), redirect_stdout(sys.stderr):
            dataset_object = object.__new__(loader.dataset_class)
            dataset_object.dataset_file, dataset_object.demo = str(self.path), False
            dataset_object.data = dataset_object.load_data(str(self.path))
            dataset_object.meta = dict(self.dataset.task_metadata)
            dataset_object.post_build()
        return dataset_object, len(dataset_object.data)

    def _row_values(self, loader: CustomLoader, dataset_object: Any, index: int) -> dict[str, Any]:
        """Return a row of the class; if the class builds prompts, with the text and audio of its prompt."""
        with wrap_errors(f"row {index + 1} of {loader.dataset_class.__name__}", SampleError):
            values = dict(dataset_object.data[index])
        if "build_prompt" not in loader.hooks:
            return values
        assert self.dataset
        dataset_object.meta = dict(self.dataset.task_metadata)
        with wrap_errors(f"build_prompt of {loader.dataset_class.__name__}", SampleError):
            built = dataset_object.build_prompt(index)
            shared_fields = {*self.dataset.task_metadata, "subset"}
            meta = {name: value for name, value in built["meta"].items() if name not in shared_fields}
            return {**values, "question": built["text"], "audio_path": list(built["audio"]), "meta": meta}
