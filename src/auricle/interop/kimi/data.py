"""Rows of the evalkit, lazily: read here, or by a class that has its own way to read them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Any

from auricle.core.errors import AuricleError, SampleError, SpecError, told
from auricle.core.types import Rejected, Sample
from auricle.data.manifest import Manifest
from auricle.data.rows import Row
from auricle.interop.kimi.datasets import Dataset, Own


@dataclass(frozen=True)
class Rows(Manifest):
    """A manifest whose rows keep their `meta` apart, too: models are told that, and no more."""

    dataset: Dataset | None = None

    def __iter__(self) -> Iterator[Sample | Rejected]:
        own = self.dataset.own if self.dataset else None
        if own is None:
            return super().__iter__()
        return (self.sample(at, row) for at, row in self.taken(self._read(own)))

    def __len__(self) -> int:
        if self.dataset and self.dataset.own:
            raise TypeError("a class that reads its own data tells how much there is when it has")
        return super().__len__()

    def notes(self) -> list[str]:
        return list(self.dataset.notes) if self.dataset else []

    def _sample(self, at: int, row: Row) -> Sample:
        sample = super()._sample(at, row)
        own = row.values.get("meta")
        if not isinstance(own, Mapping) or not own:
            return sample
        return replace(sample, meta={**sample.meta, "meta": dict(own)})

    def _read(self, own: Own) -> Iterator[Row | Rejected]:
        made, size = self._made(own)
        for at in range(size):
            origin = f"{self.path.name}:{at + 1}"
            try:
                with own.shelf.open(), redirect_stdout(sys.stderr):
                    values = self._values(own, made, at)
            except SampleError as error:
                yield Rejected(origin, str(error))
            else:
                yield Row(origin, values)

    def _made(self, own: Own) -> tuple[Any, int]:
        """The class's object with its data; not by its constructor, which looks for a config."""
        assert self.dataset
        try:
            with own.shelf.open(), redirect_stdout(sys.stderr):
                made = object.__new__(own.made)
                made.dataset_file, made.demo = str(self.path), False
                made.data = made.load_data(str(self.path))
                made.meta = dict(self.dataset.about)
                made.post_build()
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            name = own.made.__name__
            raise SpecError(f"{name} raised {type(error).__name__}: {told(error)}") from error
        return made, len(made.data)

    def _values(self, own: Own, made: Any, at: int) -> dict[str, Any]:
        """A row as the class has it; where it builds prompts, with what it would send."""
        values = dict(made.data[at])
        if "build_prompt" not in own.hooks:
            return values
        assert self.dataset
        made.meta = dict(self.dataset.about)
        try:
            built = made.build_prompt(at)
            meta = {k: v for k, v in built["meta"].items() if k not in {*self.dataset.about}}
            return {
                **values,
                "question": built["text"],
                "audio_path": list(built["audio"]),
                "meta": {k: v for k, v in meta.items() if k != "subset"},
            }
        except (Exception, SystemExit) as error:
            raise SampleError(
                f"build_prompt of {own.made.__name__} raised {type(error).__name__}: {told(error)}"
            ) from error
