"""Where the evalkit's data is: what its `config.yaml` says, and where it looks otherwise."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.data.rows import Row, rows
from auricle.data.yaml_file import read_yaml
from auricle.interop.kimi.datasets import Dataset

VARIABLE = "PROJECT_CONFIG_PATH"
CONFIG = "config.yaml"
SECTION = "DATASETS"
LOOKED_AT = 20  # rows read to find out where their sounds are


@dataclass(frozen=True, slots=True)
class Places:
    """One `config.yaml`; what it says of paths is meant from the folder it is in."""

    config: Path
    root: Path | None
    files: Mapping[str, Path]

    @classmethod
    def read(cls, given: Any = None) -> Places:
        """From the file that is named, by an argument or by the evalkit's variable, or found."""
        path = _config(given)
        section = read_yaml(path).get(SECTION)
        if not isinstance(section, Mapping):
            raise SpecError(f"{path} says nothing of {SECTION}: no dataset_root, and no datasets.")
        base, root = path.parent, section.get("dataset_root")
        files = section.get("datasets") or {}
        return cls(
            path,
            base / Path(root).expanduser() if root else None,
            {str(name).casefold(): base / Path(str(at)).expanduser() for name, at in files.items()},
        )

    def find(self, dataset: Dataset) -> Path:
        """The dataset's rows, or where they were looked for."""
        if named := self.files.get(dataset.name.casefold()):
            if named.is_file():
                return named
            raise DataError(f"There is no {named}, where {self.config} says {dataset.name} is.")
        looked = self._usual(dataset)
        for each in looked:
            if each.is_file():
                return each
        where = " or ".join(map(str, looked)) or "a dataset_root, as there is none"
        raise DataError(
            f"{dataset.name} is not in {where}. Say where it is under `datasets:` in "
            f"{self.config}, or with -T data=FILE."
        )

    def _usual(self, dataset: Dataset) -> list[Path]:
        name, series = dataset.name, dataset.series
        if self.root is None:
            return []
        inside = (f"{name}/{name}.jsonl", f"{series}/{name}.jsonl", f"{series}/{name}/{name}.jsonl")
        return [self.root / each for each in dict.fromkeys(inside)]

    def base(self, data: Path) -> Path:
        """The folder that paths of sounds are meant from: the evalkit means the one it runs in."""
        return sounds_from(data, (self.config.parent, Path.cwd(), data.parent))


def sounds_from(data: Path, folders: Sequence[Path]) -> Path:
    """The first folder in which a sound of the first rows is; the last, if it is in none."""
    for row in islice(rows(data), LOOKED_AT):
        given = row.values.get("audio_path") if isinstance(row, Row) else None
        first = given[0] if isinstance(given, list) and given else given
        for folder in folders:
            if isinstance(first, str) and (folder / first).is_file():
                return folder
    return folders[-1]


def _config(given: Any) -> Path:
    told = given or os.environ.get(VARIABLE)
    if told:
        path = Path(str(told)).expanduser()
        if not path.is_file():
            raise SpecError(f"There is no {path}, named as the evalkit's {CONFIG}.")
        return path.resolve()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / CONFIG).is_file():
            return folder / CONFIG
    raise SpecError(
        f"Where is the data? Give the evalkit's file, -T config={CONFIG}, or ${VARIABLE}; "
        "or the rows themselves, -T data=FILE."
    )
