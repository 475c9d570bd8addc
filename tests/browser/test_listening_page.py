"""The page of a listener in a real browser: complete a test, reload in the middle, and resume."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle.studies.people.page.server import ListenOptions, ListenServer
from auricle.studies.people.ratings import read_ratings
from auricle.studies.people.run import score_test
from tests.support.axe import find_violations, load_axe
from tests.support.listening_tests import SYSTEMS, make_test

pytestmark = pytest.mark.slow


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Any]:
    servers = []

    def start(kind: str, **options: Any) -> ListenServer:
        make_test(tmp_path, kind, **options)
        server = ListenServer(ListenOptions(tmp_path / kind, port=0))
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def open_page(browser: Any, url: str, **options: Any) -> Any:
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(15_000)
    page.goto(url)
    return page


def play_all(page: Any) -> None:
    for player in page.locator(".player").all():
        player.click()
        player.get_by_text("heard").wait_for()


def answer(page: Any, choice: int) -> None:
    """Play the sounds of a trial, choose an answer and continue."""
    before = page.locator("#progress-text").inner_text()
    play_all(page)
    page.locator(".choice input").nth(choice).check(force=True)
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("text => document.getElementById('progress-text').textContent !== text", arg=before)


def test_a_listener_completes_a_test_with_a_reload_in_the_middle(serve: Any, browser: Any, tmp_path: Path) -> None:
    server = serve("mos", items=3, listeners=3, traps=0, repeat_checks=1)
    page = open_page(browser, server.listener_urls()["L01"])
    page.get_by_role("button", name="Start").click()
    answer(page, 3)
    answer(page, 3)
    page.reload()
    page.get_by_role("button", name="Continue").click()
    assert page.locator("#progress-text").inner_text() == "3 of 4"
    answer(page, 4)
    answer(page, 4)
    page.get_by_text("Thank you").wait_for()
    ratings, damaged = read_ratings(tmp_path / "mos")
    assert [rating.answers["A"] for rating in ratings] == [4.0, 4.0, 5.0, 5.0]
    assert not damaged
    _, metrics = score_test(tmp_path / "mos")
    assert sum(number.scored for number in metrics.overall if number.metric.startswith("mos.")) == 3


def test_an_answer_needs_a_sound_that_was_played_to_the_end(serve: Any, browser: Any) -> None:
    server = serve("ab", items=3, listeners=3, traps=0, repeat_checks=0)
    page = open_page(browser, server.listener_urls()["L01"])
    page.get_by_role("button", name="Start").click()
    page.locator(".choice input").first.check(force=True)
    assert page.get_by_role("button", name="Next").is_disabled()
    assert "Listen to the end first: A, B." in page.locator("#hint").inner_text()


def test_a_test_can_be_taken_with_the_keyboard(serve: Any, browser: Any) -> None:
    server = serve("cmos", items=3, listeners=3, traps=0, repeat_checks=0)
    page = open_page(browser, server.listener_urls()["L01"])
    page.get_by_role("button", name="Start").wait_for()
    for key in ("Enter", "a"):
        page.keyboard.press(key)
    page.locator(".player").first.get_by_text("heard").wait_for()
    page.keyboard.press("b")
    page.locator(".player").last.get_by_text("heard").wait_for()
    for key in ("6", "Enter"):
        page.keyboard.press(key)
    page.get_by_text("2 of 3").wait_for()


def test_two_people_who_enrol_hear_other_orders_and_no_page_names_a_system(serve: Any, browser: Any) -> None:
    server = serve("mos", items=6, listeners=6)
    pages = [open_page(browser, server.enrolment_url, viewport={"width": 390, "height": 800}) for _ in range(2)]
    for page in pages:
        page.get_by_role("button", name="Take part").click()
        page.get_by_role("button", name="Start").click()
        page.locator(".player").wait_for()
        source = page.content().lower()
        assert not any(system in source for system in (*SYSTEMS, ".wav", "trap"))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert pages[0].url != pages[1].url
    first, second = (server.session.test.listener_by_id[name].trials for name in ("L01", "L02"))
    assert [trial.sounds for trial in first] != [trial.sounds for trial in second]


def test_a_mushra_page_is_rated_with_sliders(serve: Any, browser: Any, tmp_path: Path) -> None:
    server = serve("mushra", items=1, listeners=1, repeat_checks=0)
    page = open_page(browser, server.listener_urls()["L01"])
    page.get_by_role("button", name="Start").click()
    for player in page.locator(".player").all()[1:]:
        player.click()
        player.get_by_text("heard").wait_for()
    for place, slider in enumerate(page.locator("input[type=range]").all()):
        slider.fill(str(10 * (place + 1)))
    page.get_by_role("button", name="Next").click()
    page.get_by_text("Thank you").wait_for()
    (rating,), _ = read_ratings(tmp_path / "mushra")
    assert list(rating.answers.values()) == [10.0, 20.0, 30.0, 40.0, 50.0]


@pytest.mark.parametrize("kind", ["mos", "mushra"])
def test_axe_finds_nothing_serious_in_light_and_dark(serve: Any, browser: Any, kind: str) -> None:
    script = load_axe()
    server = serve(kind, items=3, listeners=3)
    page = open_page(browser, server.listener_urls()["L01"], bypass_csp=True)
    page.get_by_role("button", name="Start").wait_for()
    violations = find_violations(page, script)
    page.get_by_role("button", name="Start").click()
    page.locator(".player").first.wait_for()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        violations += find_violations(page, script)
    assert violations == []
