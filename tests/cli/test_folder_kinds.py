"""Folders of features in place of runs: how a kind of them is found and used."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.cli.folder_kinds import FOLDER_KINDS, FolderKind
from auricle.cli.output import echo
from auricle.core.errors import ExitStatus


@pytest.fixture
def album(tmp_path: Path) -> Path:
    """A folder of a kind that is registered for one test."""

    @FOLDER_KINDS("album")
    class Album(FolderKind):
        def matches(self, folder: Path) -> bool:
            return (folder / "album.txt").is_file()

        def compare(self, a: Path, b: Path, *, html: Path | None, as_json: bool, **options: Any) -> ExitStatus:
            echo(f"{a.name} is as long as {b.name}")
            return ExitStatus.OK

        def gate(self, baseline: Path, candidate: Path, *, as_json: bool, **options: Any) -> ExitStatus:
            return ExitStatus.GATE

        def update_page(self, folder: Path) -> Path:
            return folder / "cover.html"

    folder = tmp_path / "album"
    folder.mkdir()
    (folder / "album.txt").touch()
    return folder


def test_a_kind_compares_gates_and_opens_its_folders(album: Path) -> None:
    words = [str(album), str(album.parent)]  # one folder of the kind is enough
    compared = CliRunner().invoke(cli, ["compare", *words])
    assert (compared.exit_code, compared.output.splitlines()) == (0, [f"album is as long as {album.parent.name}"])
    assert CliRunner().invoke(cli, ["gate", *words]).exit_code == ExitStatus.GATE
    opened = CliRunner().invoke(cli, ["open", str(album), "--print"])
    assert opened.output.strip() == str(album / "cover.html")
