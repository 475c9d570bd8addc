"""The website of the workspace as a ZIP archive."""

import io
import zipfile
from pathlib import Path

import pytest

from auricle.app.website import build_website
from auricle.studies.leaderboards.site import SiteOptions
from tests.support.site_runs import make_site_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_site_runs(tmp_path_factory.mktemp("runs"), 8)


def test_the_archive_has_the_pages_in_one_folder_and_no_sound(runs: list[Path]) -> None:
    with zipfile.ZipFile(io.BytesIO(build_website(runs, SiteOptions()))) as archive:
        names = archive.namelist()
        pages = [archive.read(name) for name in names]
    assert {name.partition("/")[0] for name in names} == {"leaderboard"}
    assert "leaderboard/index.html" in names
    assert sum(name.startswith("leaderboard/runs/") for name in names) == 4
    assert not any(b"<audio" in page for page in pages)


def test_files_outside_the_run_are_not_read(runs: list[Path], tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    for file in runs[0].iterdir():
        (linked / file.name).symlink_to(file)
    with zipfile.ZipFile(io.BytesIO(build_website([linked, tmp_path / "none", runs[1]], SiteOptions()))) as archive:
        assert sum(name.startswith("leaderboard/runs/") for name in archive.namelist()) == 1
