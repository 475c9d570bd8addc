"""Rows of the evalkit, lazily: read here, or by a class that has its own way to read them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Any

from auricle.core.errors import AuricleError, SampleError, SpecError, describe
from auricle.core.types import RejectedRow, Sample
from auricle.data.manifest import Manifest
from auricle.data.row_files import Row
from auricle.interop.kimi.datasets import CustomLoader, Dataset


@dataclass(frozen=True)
class EvalkitManifest(Manifest):
    """A manifest whose rows keep their `meta` apart, too: models are told that, and no more."""

    dataset: Dataset | None = None

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        own = self.dataset.custom_loader if self.dataset else None
        if own is None:
            return super().__iter__()
        return (self.make_sample(at, row) for at, row in self.select_rows(self._read_custom(own)))

    def __len__(self) -> int:
        if self.dataset and self.dataset.custom_loader:
            raise TypeError("a class that reads its own data tells how much there is when it has")
        return super().__len__()

    def notes(self) -> list[str]:
        return list(self.dataset.notes) if self.dataset else []

    def _build_sample(self, index: int, row: Row) -> Sample:
        sample = super()._build_sample(index, row)
        own = row.values.get("meta")
        if not isinstance(own, Mapping) or not own:
            return sample
        return replace(sample, meta={**sample.meta, "meta": dict(own)})

    def _read_custom(self, loader: CustomLoader) -> Iterator[Row | RejectedRow]:
        made, size = self._instantiate(loader)
        for at in range(size):
            origin = f"{self.path.name}:{at + 1}"
            try:
                with loader.modules.activate(), redirect_stdout(sys.stderr):
                    values = self._row_values(loader, made, at)
            except SampleError as error:
                yield RejectedRow(origin, str(error))
            else:
                yield Row(origin, values)

    def _instantiate(self, loader: CustomLoader) -> tuple[Any, int]:
        """The class's object with its data; not by its constructor, which looks for a config."""
        assert self.dataset
        try:
            with loader.modules.activate(), redirect_stdout(sys.stderr):
                made = object.__new__(loader.dataset_class)
                made.dataset_file, made.demo = str(self.path), False
                made.data = made.load_data(str(self.path))
                made.meta = dict(self.dataset.task_metadata)
                made.post_build()
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            name = loader.dataset_class.__name__
            raise SpecError(f"{name} raised {type(error).__name__}: {describe(error)}") from error
        return made, len(made.data)

    def _row_values(self, loader: CustomLoader, dataset_object: Any, index: int) -> dict[str, Any]:
        """A row as the class has it; where it builds prompts, with what it would send."""
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
