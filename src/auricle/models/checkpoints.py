"""Find checkpoints that were downloaded before, in the caches of Hugging Face and ModelScope.

Only folders and small files are read: neither hub is asked, and none of their packages is imported.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from auricle.models.listing import ModelListing

WEIGHT_SUFFIXES = (".safetensors", ".bin", ".pt", ".onnx", ".gguf")
MAX_CONFIG_BYTES = 1_000_000
HUB_FOLDER_PREFIX = "models--"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A downloaded checkpoint."""

    name: str
    """Name on the hub, such as `openai/whisper-tiny`."""
    folder: Path

    @property
    def architectures(self) -> tuple[str, ...]:
        """The network classes that its configuration names."""
        try:
            with (self.folder / "config.json").open("rb") as file:
                names = json.loads(file.read(MAX_CONFIG_BYTES)).get("architectures")
        except (OSError, ValueError, AttributeError):
            return ()
        return tuple(map(str, names)) if isinstance(names, list) else ()

    def suits(self, listing: ModelListing) -> bool:
        """Return whether a model can load it, judging by its files and its configuration."""
        has_files = all((self.folder / name).exists() for name in listing.weight_files)
        is_suitable = not listing.architectures or any(
            name.endswith(listing.architectures) for name in self.architectures
        )
        return has_files and is_suitable


def list_checkpoints() -> list[Checkpoint]:
    """List the downloaded checkpoints by name."""
    checkpoints = {item.name: item for item in (*_list_huggingface(), *_list_modelscope())}
    return [checkpoints[name] for name in sorted(checkpoints)]


def _list_huggingface() -> Iterator[Checkpoint]:
    home = Path(os.environ.get("HF_HOME") or Path("~/.cache/huggingface").expanduser())
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    for folder in _list_folders(cache):
        if folder.name.startswith(HUB_FOLDER_PREFIX):
            name = folder.name.removeprefix(HUB_FOLDER_PREFIX).replace("--", "/")
            snapshots = [snapshot for snapshot in _list_folders(folder / "snapshots") if _has_weights(snapshot)]
            if snapshots:
                yield Checkpoint(name, snapshots[-1])


def _list_modelscope() -> Iterator[Checkpoint]:
    cache = Path(os.environ.get("MODELSCOPE_CACHE") or Path("~/.cache/modelscope").expanduser())
    for root in (cache / "hub" / "models", cache / "hub", cache / "models"):
        for owner in _list_folders(root):
            for folder in _list_folders(owner):
                if _has_weights(folder):
                    yield Checkpoint(f"{owner.name}/{folder.name}", folder)


def _list_folders(path: Path) -> list[Path]:
    try:
        return sorted(item for item in path.iterdir() if item.is_dir() and not item.name.startswith("."))
    except OSError:
        return []


def _has_weights(folder: Path) -> bool:
    """Return whether a folder has weights; an interrupted download leaves links to nothing."""
    try:
        return any(file.suffix in WEIGHT_SUFFIXES and file.exists() for file in folder.iterdir())
    except OSError:
        return False
