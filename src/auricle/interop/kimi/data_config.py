"""Where the evalkit's data is: what its `config.yaml` says, and where it looks otherwise."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.core.yaml_files import read_yaml
from auricle.data.row_files import Row, read_rows
from auricle.interop.kimi.datasets import Dataset

CONFIG_VARIABLE = "PROJECT_CONFIG_PATH"
CONFIG_FILE = "config.yaml"
DATASETS_SECTION = "DATASETS"
PEEK_ROWS = 20  # rows read to find out where their sounds are


@dataclass(frozen=True, slots=True)
class DataConfig:
    """One `config.yaml`; what it says of paths is meant from the folder it is in."""

    path: Path
    root: Path | None
    dataset_files: Mapping[str, Path]

    @classmethod
    def read(cls, config_file: Any = None) -> DataConfig:
        """From the file that is named, by an argument or by the evalkit's variable, or found."""
        path = _find_config(config_file)
        section = read_yaml(path).get(DATASETS_SECTION)
        if not isinstance(section, Mapping):
            raise SpecError(f"{path} says nothing of {DATASETS_SECTION}: no dataset_root, and no datasets.")
        base, root = path.parent, section.get("dataset_root")
        files = section.get("datasets") or {}
        return cls(
            path,
            base / Path(root).expanduser() if root else None,
            {str(name).casefold(): base / Path(str(at)).expanduser() for name, at in files.items()},
        )

    def find_data_file(self, dataset: Dataset) -> Path:
        """The dataset's rows, or where they were looked for."""
        if named := self.dataset_files.get(dataset.name.casefold()):
            if named.is_file():
                return named
            raise DataError(f"There is no {named}, where {self.path} says {dataset.name} is.")
        looked = self._default_paths(dataset)
        for each in looked:
            if each.is_file():
                return each
        where = " or ".join(map(str, looked)) or "a dataset_root, as there is none"
        raise DataError(
            f"{dataset.name} is not in {where}. Say where it is under `datasets:` in {self.path}, or with -T data=FILE."
        )

    def _default_paths(self, dataset: Dataset) -> list[Path]:
        name, series = dataset.name, dataset.series
        if self.root is None:
            return []
        inside = (f"{name}/{name}.jsonl", f"{series}/{name}.jsonl", f"{series}/{name}/{name}.jsonl")
        return [self.root / each for each in dict.fromkeys(inside)]

    def find_audio_root(self, data: Path) -> Path:
        """The folder that paths of sounds are meant from: the evalkit means the one it runs in."""
        return find_audio_root(data, (self.path.parent, Path.cwd(), data.parent))


def find_audio_root(data: Path, folders: Sequence[Path]) -> Path:
    """The first folder in which a sound of the first rows is; the last, if it is in none."""
    for row in islice(read_rows(data), PEEK_ROWS):
        given = row.values.get("audio_path") if isinstance(row, Row) else None
        first = given[0] if isinstance(given, list) and given else given
        for folder in folders:
            if isinstance(first, str) and (folder / first).is_file():
                return folder
    return folders[-1]


def _find_config(config_file: Any) -> Path:
    told = config_file or os.environ.get(CONFIG_VARIABLE)
    if told:
        path = Path(str(told)).expanduser()
        if not path.is_file():
            raise SpecError(f"There is no {path}, named as the evalkit's {CONFIG_FILE}.")
        return path.resolve()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / CONFIG_FILE).is_file():
            return folder / CONFIG_FILE
    raise SpecError(
        f"Where is the data? Give the evalkit's file, -T config={CONFIG_FILE}, or ${CONFIG_VARIABLE}; "
        "or the rows themselves, -T data=FILE."
    )
