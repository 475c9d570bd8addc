"""A website of runs: its files, their names and links."""

import json
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from auricle.core.errors import SpecError
from auricle.core.redaction import SECRETS
from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts
from auricle.studies.leaderboards.site import SiteOptions, write_site
from tests.support.report_pages import assert_policy_admits_only_the_page, visible_text
from tests.support.site_runs import load_runs, make_site_runs


class LinkReader(HTMLParser):
    """Collect the links and the ids of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "a":
            self.links.append(str(values["href"]))
        if values.get("id"):
            self.ids.add(str(values["id"]))


@cache
def read_links(page: Path) -> LinkReader:
    return LinkReader(page)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_site_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def site(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "site"
    written = write_site(load_runs(runs), folder)
    assert (written.index, written.runs) == (folder / "index.html", 4)
    assert written.size == sum(path.stat().st_size for path in folder.rglob("*.*"))
    return folder


def list_pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_a_site_has_an_index_and_a_page_per_column_and_run(site: Path) -> None:
    assert [len(list((site / folder).iterdir())) for folder in ("tasks", "samples", "runs")] == [2, 2, 4]
    assert sorted(path.name for path in site.iterdir()) == [
        "averages.html",
        "badges",
        "index.html",
        "leaderboard.csv",
        "leaderboard.json",
        "runs",
        "samples",
        "tasks",
    ]


def test_every_link_leads_to_a_file_or_an_anchor_of_the_site(site: Path) -> None:
    for page in list_pages(site):
        for link in read_links(page).links:
            address, _, anchor = link.partition("#")
            target = (page.parent / unquote(address)) if address else page
            assert target.is_file(), (page, link)
            assert not anchor or anchor in read_links(target).ids, (page, link)


def test_pages_load_nothing_and_run_only_their_own_script(site: Path) -> None:
    for page in list_pages(site):
        assert_policy_admits_only_the_page(page.read_text(encoding="utf-8"))


def test_pages_contain_no_path_of_this_machine(site: Path, runs: list[Path]) -> None:
    for page in (site / "index.html", site / "leaderboard.csv", site / "leaderboard.json", *(site / "tasks").iterdir()):
        assert str(runs[0].parent) not in page.read_text(encoding="utf-8")


def test_each_sample_has_an_address(site: Path) -> None:
    page = next((site / "runs").glob("*asr*"))
    assert "sample-u003" in LinkReader(page).ids


def test_results_can_be_downloaded_with_their_ranks(site: Path) -> None:
    document = json.loads((site / "leaderboard.json").read_text(encoding="utf-8"))
    assert (document["format"], document["version"], len(document["columns"])) == ("auricle-leaderboard", 1, 2)
    results = document["results"]
    assert {result["column"] for result in results} == {column["key"] for column in document["columns"]}
    assert all((site / column["page"]).is_file() for column in document["columns"])
    assert [(result["rank"], result["rank_low"]) for result in results] == [(1, 1), (2, 2), (3, 3), (1, None)]
    assert all((site / result["run"]).is_file() for result in results)
    assert (site / "leaderboard.csv").read_text(encoding="utf-8").count("\n") == 1 + len(results)


def test_sound_is_included_only_if_asked_for(runs: list[Path], site: Path, tmp_path: Path) -> None:
    write_site(load_runs(runs[:1]), tmp_path / "site", SiteOptions(audio=True))
    (run,) = (tmp_path / "site" / "runs").iterdir()
    sample = next((tmp_path / "site" / "samples").rglob("*.html"))
    assert all("<audio" in page.read_text(encoding="utf-8") for page in (run, sample))
    assert not any("<audio" in path.read_text(encoding="utf-8") for path in list_pages(site))


def test_names_of_pages_do_not_depend_on_the_other_runs(runs: list[Path], site: Path, tmp_path: Path) -> None:
    write_site(load_runs(runs[1:2]), tmp_path / "site")
    names = {path.relative_to(site).as_posix() for path in list_pages(site)}
    assert {path.relative_to(tmp_path / "site").as_posix() for path in list_pages(tmp_path / "site")} < names


def test_a_site_can_be_written_again_without_runs_that_left(runs: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / ".git").mkdir(parents=True)
    write_site(load_runs(runs), folder)
    write_site(load_runs(runs[:2]), folder)
    assert len(list((folder / "runs").iterdir())) == 2
    assert len(list((folder / "tasks").iterdir())) == 1
    assert (folder / ".git").is_dir()


def test_the_number_of_samples_with_a_page_can_be_chosen(runs: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "site"
    for count in (3, 0):
        write_site(load_runs(runs[:2]), folder, SiteOptions(samples=count))
        assert len(list((folder / "samples").rglob("*.html"))) == count
    (task,) = (folder / "tasks").iterdir()
    assert "#samples" not in read_links(task).links


def test_every_result_has_a_badge(site: Path) -> None:
    results = json.loads((site / "leaderboard.json").read_text(encoding="utf-8"))["results"]
    for ending in (".svg", ".json"):
        assert len([path for path in (site / "badges").rglob("*") if path.suffix == ending]) == len(results)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(SpecError, match=r"already contains other files, such as index\.html"):
        write_site([], tmp_path)
    with pytest.raises(SpecError, match="is not a folder"):
        write_site([], tmp_path / "index.html")
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine"


def test_an_older_run_of_a_model_keeps_its_page(runs: list[Path], tmp_path: Path) -> None:
    write_site([*load_runs(runs[:1]), *load_runs(runs[:1])], tmp_path / "site")
    names = sorted(path.stem for path in (tmp_path / "site" / "runs").iterdir())
    assert names[0] + "-2" == names[1]
    index = tmp_path / "site" / "index.html"
    assert "Other runs" in visible_text(index.read_text(encoding="utf-8"))
    assert {f"runs/{name}.html" for name in names} <= {*LinkReader(index).links}


def test_runs_without_numbers_or_scores_have_a_page(runs: list[Path], tmp_path: Path) -> None:
    empty = Metrics(task=TaskFacts("none"), model=ModelFacts("nothing"))
    (_, metrics), *_ = load_runs(runs)
    write_site([(tmp_path, empty), (tmp_path, metrics)], tmp_path / "site")
    texts = [visible_text(page.read_text(encoding="utf-8")) for page in sorted((tmp_path / "site" / "runs").iterdir())]
    assert "No number" in texts[0]
    assert "The samples cannot be shown" in texts[1]


def test_a_run_that_cannot_be_shown_is_named_and_the_others_are_written(runs: list[Path], tmp_path: Path) -> None:
    (_, metrics), *others = load_runs(runs[:2])
    number = replace(metrics.numbers[0], details={**metrics.numbers[0].details, "substitutions": "many"})
    site = write_site([(runs[0], replace(metrics, numbers=(number,))), *others], tmp_path / "site")
    assert site.runs == 1
    (reason,) = site.skipped
    assert "on asr-speech: TypeError" in reason
    assert f"Not shown: {reason}" in visible_text(site.index.read_text(encoding="utf-8"))


def test_an_empty_site_states_that_it_has_no_results(tmp_path: Path) -> None:
    write_site([], tmp_path / "site")
    assert "No run has a result that can be compared." in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_secrets_are_replaced(runs: list[Path], tmp_path: Path) -> None:
    secret = "sk-" + "0a9b8c7d6e5f" * 3
    ((path, metrics),) = load_runs(runs[:1])
    SECRETS.add([secret])
    try:
        write_site([(path, replace(metrics, notes=(f"sent with {secret}",)))], tmp_path / "site")
    finally:
        SECRETS.clear()
    (page,) = (tmp_path / "site" / "runs").iterdir()
    assert "sent with" in page.read_text(encoding="utf-8")
    assert secret not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("licence", "is_silent"),
    [("", False), ("CC BY-NC 4.0", False), ("research only, by signed form", True), ("by application", True)],
)
def test_sound_is_left_out_where_the_licence_restricts_it(
    runs: list[Path], tmp_path: Path, licence: str, is_silent: bool
) -> None:
    ((path, metrics),) = load_runs(runs[:1])
    metrics = replace(metrics, task=replace(metrics.task, licence=licence))
    made = write_site([(path, metrics)], tmp_path / "site", SiteOptions(audio=True, samples=1))
    pages = [page.read_text(encoding="utf-8") for page in list_pages(tmp_path / "site")]
    assert any("<audio" in page for page in pages) is not is_silent
    assert bool(made.silent) is is_silent
    assert any("Without sound: " in page for page in pages) is is_silent
