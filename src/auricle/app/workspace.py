"""The runs folder and the other folders the app may read.

Every path that comes from a user or a run is resolved first and must be inside one of these folders; symbolic links and
`..` cannot lead elsewhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from auricle.core.errors import DataError, SpecError
from auricle.core.files import sounds_folder
from auricle.media import Audio
from auricle.runs.documents import MAX_BYTES
from auricle.runs.progress import PROGRESS_FILE, read_progress
from auricle.runs.run_summary import find_run_folders

WORKSPACE_VARIABLE = "AURICLE_UI_WORKSPACE"
AUDIO_SUFFIXES = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".m4a", ".aac", ".webm", ".mp4")
DEMO_AUDIO_FOLDER = Path(__file__).resolve().parents[1] / "tasks" / "demo" / "demo_speech"
MAX_SPEC_BYTES = 4_000_000
"""Size limit for `spec.json`, `perf.json` and `progress.json`."""


class Workspace:
    """The runs folder, the folders from which audio, data and code may be read, and usable environment variables."""

    def __init__(
        self, root: Path | str, allowed_folders: Iterable[Path | str] = (), allowed_variables: Iterable[str] = ()
    ) -> None:
        self.root = Path(root).resolve()
        self.allowed_folders = tuple(Path(folder).resolve() for folder in allowed_folders)
        self.allowed_variables = tuple(allowed_variables)

    def find_run_folders(self) -> Iterator[Path]:
        """Yield the folders of all runs and load tests, including broken ones."""
        return find_run_folders(self.root)

    def resolve_run(self, name: str) -> Path:
        """Return the folder of a run by its name relative to the runs folder.

        Raises:
            SpecError: If the name leads out of the runs folder.
            DataError: If there is no such run, or one of its files is a symbolic link to another place.
        """
        path = (self.root / name).resolve() if "\0" not in name else self.root
        if path == self.root or not path.is_relative_to(self.root):
            raise SpecError(f"{name!r} is not in the runs folder.")
        if not path.is_dir():
            raise DataError(f"Run not found: {name!r}.")
        for file in path.iterdir():
            if file.is_symlink() and not file.resolve().is_relative_to(self.root):
                raise DataError(
                    f"Cannot open {name!r}: {file.name} is a symbolic link to a path outside the runs folder."
                )
        return path

    def run_name(self, path: Path) -> str:
        """Return the name of a run from its folder; the path itself if it is not in the runs folder."""
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)

    def resolve_audio(self, path: str | Path) -> Path | None:
        """Return the resolved path of an audio file, or None if it is not one the app may read."""
        resolved = self.resolve_path(path, DEMO_AUDIO_FOLDER, sounds_folder().resolve())
        return resolved if resolved and resolved.suffix.lower() in AUDIO_SUFFIXES else None

    def resolve_recording(self, audio: Audio) -> Audio | None:
        """Return a recording of a sample with resolved paths, or None if it needs a file that the app may not read."""
        file = self.resolve_audio(audio.uri) if audio.uri else None
        if file is None:
            return None
        chain = audio.perturbation
        if chain is not None:
            others = [resolved for other in chain.others if (resolved := self.resolve_recording(other)) is not None]
            if len(others) < len(chain.others):
                return None
            chain = replace(chain, others=tuple(others))
        return Audio(str(file), audio.start, audio.end, perturbation=chain)

    def resolve_path(self, path: str | Path, *extra_folders: Path) -> Path | None:
        """Return the resolved path of a file or folder, or None if it is not one the app may read."""
        try:
            resolved = Path(path).expanduser().resolve(strict=True)
        except (OSError, ValueError, RuntimeError):  # missing, a NUL byte, a loop of symbolic links
            return None
        folders = (self.root, *self.allowed_folders, *extra_folders)
        is_allowed = any(resolved.is_relative_to(folder) for folder in folders)
        return resolved if is_allowed and (resolved.is_file() or resolved.is_dir()) else None


def current_workspace() -> Workspace:
    """Return the workspace of the running app, from the environment that `auricle ui` sets."""
    return Workspace(**json.loads(os.environ.get(WORKSPACE_VARIABLE) or '{"root": "runs"}'))


def workspace_environment(workspace: Workspace) -> dict[str, str]:
    """Return the environment variable from which `current_workspace` rebuilds the workspace in another process."""
    folders = [str(folder) for folder in workspace.allowed_folders]
    fields = {"root": str(workspace.root), "allowed_folders": folders, "allowed_variables": workspace.allowed_variables}
    return {WORKSPACE_VARIABLE: json.dumps(fields)}


def is_run_finished(path: Path) -> bool:
    """Return whether `progress.json` marks the run as complete."""
    check_run_file(path / PROGRESS_FILE, MAX_SPEC_BYTES)
    return read_progress(path).complete


def is_file_inside_run(file: Path) -> bool:
    """Return whether the file exists and is not a symbolic link to a place outside its folder."""
    try:
        is_linked = file.is_symlink()
        return file.is_file() and (not is_linked or file.resolve().is_relative_to(file.parent.resolve()))
    except OSError:
        return False


def check_run_file(file: Path, max_bytes: int = MAX_BYTES) -> None:
    """Raise `DataError` if a file of a run is too large, or something else than a file in its folder."""
    if not os.path.lexists(file):
        return
    if not is_file_inside_run(file):
        raise DataError(f"{file.name} is not a file inside the run.")
    if file.stat().st_size > max_bytes:
        raise DataError(f"{file.name} is larger than {max_bytes // 1_000_000} MB, too large for the app.")
