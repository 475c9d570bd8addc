"""Lazily read rows of the evalkit, with Auricle's reader or with the dataset class's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Any

from auricle.core.errors import SampleError, describe
from auricle.core.types import RejectedRow, Sample
from auricle.data.file_formats import Row
from auricle.data.manifest import Manifest
from auricle.interop.kimi.datasets import CustomLoader, Dataset
from auricle.interop.user_classes import wrap_errors


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
        values = dict(dataset_object.data[index])
        if "build_prompt" not in loader.hooks:
            return values
        assert self.dataset
        dataset_object.meta = dict(self.dataset.task_metadata)
        try:
            built = dataset_object.build_prompt(index)
            meta = {k: v for k, v in built["meta"].items() if k not in {*self.dataset.task_metadata}}
            return {
                **values,
                "question": built["text"],
                "audio_path": list(built["audio"]),
                "meta": {k: v for k, v in meta.items() if k != "subset"},
            }
        except (Exception, SystemExit) as error:
            raise SampleError(
                f"build_prompt of {loader.dataset_class.__name__} raised {type(error).__name__}: {describe(error)}"
            ) from error
