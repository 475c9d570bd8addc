"""The website of runs, opened from the disk in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.studies.leaderboards.site import SiteOptions, write_site
from tests.support.site_runs import load_runs, make_more_speech, make_site_runs

LENGTHEN_NAMES = """() => {
  const names = document.querySelectorAll("th[scope=row] bdi, option");
  for (const name of names) name.textContent += "-and-so-on".repeat(30);
}"""
"""A script that gives all models names that are longer than a line."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    runs = [*make_site_runs(folder / "runs", 12), *make_more_speech(folder / "runs", 20)]
    write_site(load_runs(runs), folder / "site", SiteOptions(audio=True, samples=4))
    return folder / "site"


@pytest.fixture
def page(context: Any, site: Path) -> Iterator[Any]:
    """Open the index; fail at the end if the browser complained about anything."""
    complaints: list[str] = []
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((site / "index.html").as_uri())
    yield page
    page.close()
    assert complaints == []


def shown_models(page: Any) -> list[str]:
    """Return the arguments of the models in the first table."""
    rows = page.locator("table.sortable").first.locator("tbody tr:visible th")
    return [text.partition("\n")[2] for text in rows.all_inner_texts()]


def test_the_address_restores_filters_and_order(page: Any) -> None:
    everything = shown_models(page)
    assert len(everything) == 4
    page.get_by_label("Columns", exact=True).fill("asr")
    page.get_by_label("Models", exact=True).fill("error_rate=0.05, 0.6")
    for _ in range(2):
        page.get_by_label("Sort by asr-speech WER").first.click()
    assert shown_models(page) == ["error_rate=0.6", "error_rate=0.05"]
    page.reload()
    assert shown_models(page) == ["error_rate=0.6", "error_rate=0.05"]
    assert page.get_by_label("Models", exact=True).input_value() == "error_rate=0.05, 0.6"
    assert page.locator("#match-count").inner_text() == "2 of 4 models, 2 of 3 columns"
    page.get_by_role("link", name="Columns").first.click()  # the anchor of a section leaves the view as it is
    assert len(shown_models(page)) == 2
    page.get_by_role("button", name="Reset").click()
    assert shown_models(page) == everything


def test_pages_fit_the_window_and_samples_have_addresses(page: Any, site: Path) -> None:
    task = page.locator("th[data-task] a").first.get_attribute("href")
    run = page.locator("table.sortable td a").first.get_attribute("href")
    sample = next((site / "samples").rglob("*.html")).relative_to(site).as_posix()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for address in ("index.html", "averages.html", task, sample, run):
            page.goto((site / address).as_uri())
            page.evaluate(LENGTHEN_NAMES)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    page.get_by_role("link", name="u003", exact=True).click()
    assert page.url.endswith("#sample-u003")
    page.reload()
    is_in_view = "card => card.matches(':target') && card.getBoundingClientRect().top < innerHeight"
    assert page.locator("[id='sample-u003']").evaluate(is_in_view)
    page.get_by_label("Filter").fill("no such words")
    page.goto(page.url.replace("u003", "u004"))
    assert page.locator("[id='sample-u004']").is_visible()
    page.get_by_role("link", name="Leaderboard").first.click()
    assert page.url.endswith("index.html")


def read_board(site: Path) -> dict[str, Any]:
    """Return the data of the page of averages."""
    page = (site / "averages.html").read_text(encoding="utf-8")
    data = page.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    return dict(json.loads(data))


def read_rates(site: Path) -> Any:
    """Return value, low and high end of each recogniser (rows) on both sets of speech (columns)."""
    board = read_board(site)
    speech = [at for at, column in enumerate(board["columns"]) if column["metric"] == "wer"]
    cells = {(model, column): rest[:3] for model, column, *rest in board["cells"]}
    return np.array([[cells[model, column] for column in speech] for model in range(3)])


def percent(value: float, sign: str = "") -> str:
    return f"{value * 100:{sign}.2f}".replace("-", "−")


def read_table(page: Any, name: str) -> list[list[str]]:
    return [row.inner_text().replace("\n", "\t").split("\t") for row in page.locator(f"#{name} tr").all()]


def test_the_answers_of_all_models_to_a_sample_are_side_by_side(page: Any) -> None:
    page.goto(page.locator("th[data-task] a").first.evaluate("link => link.href") + "#samples")
    page.locator("#samples tbody a").first.click()
    assert page.locator("header audio").count() == 1
    answers = page.locator("table.answers tbody tr")
    assert answers.count() == 3
    assert answers.locator(".diff").count() == 3
    page.get_by_label("Sort by WER").click()
    best = float(answers.first.locator("td").first.get_attribute("data-value"))
    page.get_by_label("Sort by WER").click()
    assert float(answers.first.locator("td").first.get_attribute("data-value")) >= best
    page.reload()  # the order is in the address
    assert page.locator("th[aria-sort=descending]").count() == 1
    name = page.locator("h1").inner_text()
    page.get_by_role("link", name="next sample").click()
    assert page.locator("h1").inner_text() != name
    page.get_by_role("link", name="previous sample").click()
    assert page.locator("h1").inner_text() == name
    answers.first.locator("th a").click()
    assert "/runs/" in page.url


def test_averages_and_their_intervals_follow_the_weights(page: Any, site: Path) -> None:
    rates = read_rates(site)
    page.goto((site / "averages.html").as_uri())
    page.locator("#weights label:visible input").first.fill("3")
    shares = np.array([0.75, 0.25])
    values, low, high = (rates[:, :, part] for part in range(3))
    averages = values @ shares
    reach = (
        np.sqrt((((values - low) * shares) ** 2).sum(axis=1)),
        np.sqrt((((high - values) * shares) ** 2).sum(axis=1)),
    )
    for _ in range(2):
        rows = read_table(page, "averages")
        assert len(rows) == 3
        for row, value, below, above in zip(rows, averages, *reach, strict=True):
            text = " ".join(row).replace("\u202f", " ")
            assert f"{percent(value)} %" in text
            assert f"{percent(value - below)} % – {percent(value + above)} %" in text
        page.reload()  # the weights are in the address
    assert "%3A3" in page.url
    page.get_by_role("button", name="None shown").click()
    assert page.locator("#summary").inner_text() == "No column has a weight above 0."
    assert read_table(page, "averages") == []


def test_averages_are_ranked_in_the_draws(page: Any, site: Path) -> None:
    page.goto((site / "averages.html").as_uri())
    ranks = [page.locator("#averages tr").nth(row).locator("td").first.inner_text() for row in range(3)]
    assert [rank.split()[-3:] for rank in ranks] == [[place, "of", "3"] for place in "123"]
    assert ranks[0].split()[0] == "1"
    assert ranks[2].split()[0] == "3"
    assert page.get_by_text("1 of 4 models lack a result").count() == 1  # the quiz has another metric


def test_ranges_of_ranks_are_those_of_the_leaderboard(page: Any, site: Path) -> None:
    """The browser and the pages of tasks test all pairs of models in the same way."""
    document = json.loads((site / "leaderboard.json").read_text(encoding="utf-8"))
    key = next(column["key"] for column in document["columns"] if column["metric"] == "wer")
    others = [column["key"] for column in document["columns"] if column["key"] != key]
    page.goto(f"{(site / 'averages.html').as_uri()}#w={','.join(f'{other}:0' for other in others)}")
    results = sorted(
        (result for result in document["results"] if result["column"] == key), key=lambda result: result["rank"]
    )
    ranges = [
        str(low) if low == high else f"{low} – {high}"
        for low, high in ((result["rank_low"], result["rank_high"]) for result in results)
    ]
    cells = page.locator("#averages tr td:nth-child(2)")
    assert [text.partition("\n")[0] for text in cells.all_inner_texts()] == ranges


def test_two_models_are_compared_in_every_column(page: Any, site: Path) -> None:
    rates = read_rates(site)
    names = [model["key"] for model in read_board(site)["models"]]
    page.goto((site / "averages.html").as_uri() + f"#a={names[0]}")
    page.locator("#b").select_option(names[2])
    rows = read_table(page, "pairs")
    assert [row[-1] for row in rows] == ["A is better"] * 3
    for row, (best, worst) in zip(rows, rates[[0, 2], :, 0].T, strict=False):
        assert percent(worst - best, "+") in " ".join(row)
    assert rows[-1][0] == "Weighted average"
    assert f"b={names[2]}" in page.url
    page.locator("#b").select_option(names[0])
    assert {row[-1] for row in read_table(page, "pairs")} == {"tied"}
    page.locator("#b").select_option(names[3])
    assert "No column has a result of both models." in page.locator("#pairs").inner_text()


def test_a_section_can_be_embedded(page: Any, site: Path) -> None:
    task = next((site / "tasks").glob("asr*"))
    for address, section in (((site / "index.html").as_uri(), "leaderboard"), (task.as_uri(), "ranking")):
        page.goto(f"{address}?embed={section}")
        assert page.locator("section:visible").count() == 1
        assert page.locator("section:visible table").is_visible()
        assert not page.locator("h1").is_visible()
        assert page.locator("section:visible td a").first.get_attribute("target") == "_blank"
        page.goto(f"{address}?embed=nothing")
        assert page.locator("h1").is_visible()


def test_tables_are_read_without_javascript(browser: Any, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    assert page.locator("table.sortable tbody tr:visible").count() == 4
    assert page.locator("#controls").is_hidden()
    page.goto((site / "averages.html").as_uri())
    assert page.get_by_text("This page needs JavaScript").is_visible()
    context.close()


def test_tables_are_sorted_with_the_keyboard(page: Any) -> None:
    page.get_by_label("Sort by asr-speech WER").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("th[aria-sort=ascending]").count() == 1
    page.keyboard.press("Enter")
    assert page.locator("th[aria-sort=descending]").count() == 1
    assert shown_models(page)[0] == "error_rate=0.6"
