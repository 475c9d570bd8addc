"""The wheel and the sdist: what they contain, and that they install and run without this repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import paths
from tests.support.extras import require_extra
from tests.support.uv_settings import run_uv

require_extra("packaging")
require_extra("dev")
pytestmark = pytest.mark.slow
PACKAGE = paths.ROOT / "src" / "auricle"
REPOSITORY = "https://example.org/us/it"


class Distribution(NamedTuple):
    """The two files of a release."""

    sdist: Path
    wheel: Path

    @property
    def version(self) -> str:
        return self.wheel.name.split("-")[1]


def build(folder: Path, source: Path, *options: str, **variables: str) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(folder), str(source)]
    environment = {**os.environ, "REPOSITORY_URL": "", **variables}
    process = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert not process.returncode, process.stdout + process.stderr


@pytest.fixture(scope="module")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Distribution:
    """Build the sdist from the repository, and the wheel from the sdist, as for a release."""
    folder = tmp_path_factory.mktemp("dist")
    build(folder, paths.ROOT, REPOSITORY_URL=REPOSITORY)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Distribution(sdist, wheel)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist()}


def metadata_of(wheel: Path) -> Message:
    (text,) = [content for name, content in contents(wheel).items() if name.endswith(".dist-info/METADATA")]
    return Parser().parsestr(text.decode())


def test_an_index_accepts_both_files(distribution: Distribution) -> None:
    command = [sys.executable, "-m", "twine", "check", "--strict", str(distribution.sdist), str(distribution.wheel)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not process.returncode, process.stdout


def test_the_wheel_has_the_package_and_nothing_else(distribution: Distribution) -> None:
    names = set(contents(distribution.wheel))
    written = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    expected = {f"auricle/{path.relative_to(PACKAGE).as_posix()}" for path in written}
    about = f"auricle-{distribution.version}.dist-info/"
    assert {name for name in names if not name.startswith(about)} == expected
    assert f"{about}licenses/LICENSE" in names
    assert {"auricle/py.typed", "auricle/tasks/demo/demo_speech/manifest.jsonl"} <= names
    assert any(name.startswith("auricle/report/templates/") for name in names)
    assert any(name.startswith("auricle/metrics/rubrics/") for name in names)


def test_the_sdist_has_what_tests_need_and_no_pictures(distribution: Distribution) -> None:
    with tarfile.open(distribution.sdist) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {"PKG-INFO", "LICENSE", "requirements.lock", "scripts/lock.py", "tests/conftest.py", "docs/api.md"} <= names
    assert not [name for name in names if name.startswith((".venv", ".ci", ".github", "docs/images", "dist"))]


def test_the_metadata_has_addresses_that_work_on_an_index(distribution: Distribution) -> None:
    metadata = metadata_of(distribution.wheel)
    addresses = dict(text.split(", ", 1) for text in metadata.get_all("Project-URL", []))
    assert addresses["Source"] == REPOSITORY
    assert all(address.startswith(REPOSITORY) for address in addresses.values())
    readme = str(metadata.get_payload())
    assert f"({REPOSITORY}/blob/" in readme
    assert not re.findall(r"\]\((?!https?://|#)[^)]*\)", readme)


def test_an_sdist_builds_the_same_wheel_without_git(distribution: Distribution, tmp_path: Path) -> None:
    with tarfile.open(distribution.sdist) as file:
        file.extractall(tmp_path, filter="data")
    (source,) = tmp_path.glob("auricle-*")
    build(tmp_path / "dist", source, "--wheel", PATH="/nonexistent")
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert wheel.name == distribution.wheel.name
    assert contents(wheel) == contents(distribution.wheel)


def test_uvx_runs_the_demo_from_the_wheel(distribution: Distribution, tmp_path: Path) -> None:
    requirement = f"auricle[demo] @ {distribution.wheel.as_uri()}"
    words = ("tool", "run", "--python", sys.executable, "--from", requirement, "auricle")
    uvx = partial(run_uv, tmp_path, *words)
    assert uvx("--version") == f"auricle {distribution.version}\n"
    output = uvx("demo", "--limit", "1")
    assert "moonshine" in output
    assert "pocketsphinx" in output
    assert (tmp_path / "runs" / "demo").is_dir()
    shutil.rmtree(tmp_path / "uv")  # hundreds of megabytes
