"""The version is the tag of the commit, and the readme of the package needs no files beside it."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.support import paths
from tests.support.extras import require_extra

require_extra("dev")
SCRIPT = paths.ROOT / "scripts" / "package_metadata.py"
NEEDED_TO_BUILD = ("pyproject.toml", "README.md", "LICENSE", ".git_archival.txt", ".gitattributes", ".gitignore")
RELATIVE_LINK = re.compile(r"\]\((?!https?://|#)[^)]*\)")


@pytest.fixture(scope="module")
def script() -> Any:
    return runpy.run_path(str(SCRIPT))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Copy what decides the version and the metadata."""
    folder = tmp_path / "project"
    (folder / "src" / "auricle").mkdir(parents=True)
    (folder / "src" / "auricle" / "__init__.py").touch()
    (folder / "scripts").mkdir()
    for name in (*NEEDED_TO_BUILD, "scripts/package_metadata.py"):
        shutil.copy(paths.ROOT / name, folder / name)
    return folder


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def version_of(folder: Path, **variables: str) -> str:
    command = [sys.executable, "-m", "hatchling", "version"]
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent), **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_a_copy_without_git_has_a_version(project: Path) -> None:
    assert version_of(project) == "0.1.dev0"


def test_the_version_of_a_clone_is_its_tag_or_the_commits_since(project: Path, tmp_path: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "one")
    assert re.fullmatch(r"0\.1\.dev1\+g[0-9a-f]+", version_of(project))
    git(project, "tag", "v0.1.0")
    assert version_of(project) == "0.1.0"
    archive = tmp_path / "archive.tar"
    git(project, "archive", "-o", str(archive), "HEAD")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path / "archive", filter="data")
    assert version_of(tmp_path / "archive") == "0.1.0"
    assert version_of(tmp_path / "archive", PATH="/nonexistent") == "0.1.0"
    git(project, "commit", "-q", "--allow-empty", "-m", "two")
    assert re.fullmatch(r"0\.1\.1\.dev1\+g[0-9a-f]+", version_of(project))


def test_links_lead_to_the_files_of_this_version(script: Any) -> None:
    text = "[a](docs/a.md#b), [c](https://example.org/c), [![d](docs/d.png)](docs/d.md), [e](#e)\n"
    repository = "https://example.org/us/it"
    assert script["render_readme"](text, repository, "v1.0") == (
        f"[a]({repository}/blob/v1.0/docs/a.md#b), [c](https://example.org/c), "
        f"[![d]({repository}/raw/v1.0/docs/d.png)]({repository}/blob/v1.0/docs/d.md), [e](#e)\n"
    )


def test_without_a_repository_links_become_text(script: Any) -> None:
    text = "[`a`](docs/a.md), [c](https://example.org/c), [![d](docs/d.png)](docs/d.md), [e](#e)\n"
    assert script["render_readme"](text, "", "v1.0") == "`a`, [c](https://example.org/c), , [e](#e)\n"


@pytest.mark.parametrize("repository", ["", "https://example.org/us/it"])
def test_no_link_of_the_readme_is_relative(script: Any, repository: str) -> None:
    text = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    assert RELATIVE_LINK.search(text)
    assert not RELATIVE_LINK.findall(script["render_readme"](text, repository, "HEAD"))


@pytest.mark.parametrize(("number", "ref"), [("0.1.0", "v0.1.0"), ("0.2.0rc1", "v0.2.0rc1"), ("0.1.dev7+gab", "HEAD")])
def test_a_release_links_to_its_tag(script: Any, number: str, ref: str) -> None:
    assert script["ref_of"](number) == ref


def test_the_command_prints_the_version_of_the_package(auricle: Any) -> None:
    assert auricle("--version").stdout == f"auricle {version('auricle')}\n"
