"""`auricle open`: which page is opened, when it is written first, and what happens without a browser."""

import json
import os
import webbrowser
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.cli.open_ import find_page, open_page
from auricle.core.errors import SpecError
from tests.support.cli_types import RunAuricle


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect what is opened on a machine with a desktop."""
    addresses: list[str] = []

    def open_address(address: str) -> bool:
        addresses.append(address)
        return True

    monkeypatch.setattr(webbrowser, "open", open_address)
    monkeypatch.setenv("DISPLAY", ":0")
    return addresses


@pytest.fixture
def no_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "a b.html"
    path.write_text("<p>")
    return path


@pytest.mark.usefixtures("finished")
def test_report_is_written_again_if_it_is_missing_or_outdated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = Path("run")
    page = run / "report.html"
    written = page.read_bytes()
    assert find_page(run) == page
    page.unlink()
    find_page(run)
    assert page.read_bytes() == written
    (run / "metrics.json").unlink()
    page.write_text("old")
    find_page(run)
    assert page.read_bytes() == written


def test_report_of_a_suite_is_written_again(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "--perturb", "no-audio", "-o", "suite")
    assert done.returncode == 3, done.stderr  # no request is left without its question
    page = tmp_path / "suite" / "report.html"
    page.unlink()
    assert find_page(tmp_path / "suite") == page
    assert page.is_file()


def test_report_of_a_load_test_is_written_again(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    done = auricle("perf", quiz, "--as", "qa", "-m", "fake-api", "--load", "closed:1", "--count", "3", "-o", "load")
    assert done.returncode in (0, 3), done.stderr
    page = tmp_path / "load" / "report.html"
    page.unlink()
    assert find_page(tmp_path / "load") == page
    assert page.is_file()


def test_websites_and_pages_are_opened_as_they_are(tmp_path: Path, page: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<p>")
    assert find_page(tmp_path / "site") == tmp_path / "site" / "index.html"
    assert find_page(page) == page


def test_folder_without_a_page_is_an_error_with_the_runs_in_it_or_near_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished: CompletedProcess[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        SpecError, match=r"Not the folder of a run, a load test or a website: .*\. Did you mean .*/run\?"
    ):
        find_page(tmp_path)
    (tmp_path / "run").rename(tmp_path / "runs")
    (tmp_path / "runs").rename(tmp_path / "quiz-echo")
    (tmp_path / "runs").mkdir()
    (tmp_path / "quiz-echo").rename(tmp_path / "runs" / "quiz-echo")
    with pytest.raises(SpecError, match=r"There is no folder runs/quiz-ecko\. Did you mean runs/quiz-echo\?"):
        find_page(Path("runs/quiz-ecko"))
    with pytest.raises(SpecError, match=r"There is no folder z\. `auricle runs FOLDER` lists"):
        find_page(Path("z"))


def test_page_is_opened_by_its_address(opened: list[str], page: Path) -> None:
    result = CliRunner().invoke(cli, ["open", str(page)])
    assert opened == [page.as_uri()]
    assert result.output == f"Opened {page}\n"


def test_only_the_path_is_printed(opened: list[str], page: Path) -> None:
    assert CliRunner().invoke(cli, ["open", str(page), "--print"]).output == f"{page}\n"
    assert opened == []


def test_json_names_the_path_and_whether_it_was_opened(opened: list[str], page: Path) -> None:
    result = CliRunner().invoke(cli, ["open", str(page), "--json"])
    assert json.loads(result.output) == {"path": str(page), "opened": True}


@pytest.mark.usefixtures("no_desktop")
def test_without_a_desktop_the_path_is_printed_with_how_to_copy_it(page: Path) -> None:
    assert not open_page(page)
    output = CliRunner().invoke(cli, ["open", str(page)]).output
    assert f"The page is here:\n  {page}\n" in output
    assert "scp -r '" in output
    assert f":{page}' .\n" in output


@pytest.mark.usefixtures("no_desktop")
def test_browser_of_the_environment_is_used(opened: list[str], page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    assert "DISPLAY" not in os.environ
    assert not open_page(page)
    monkeypatch.setenv("BROWSER", "surf")
    assert open_page(page)


@pytest.mark.skipif(os.name == "nt", reason="BROWSER is a shell command")
def test_what_a_browser_prints_is_not_part_of_the_json(
    auricle: RunAuricle, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", "echo %s")
    done = auricle("open", str(page), "--json")
    assert json.loads(done.stdout) == {"path": str(page), "opened": True}
    assert page.as_uri() in done.stderr
