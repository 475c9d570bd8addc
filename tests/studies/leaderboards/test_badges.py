"""Badges of results."""

import json
from xml.etree import ElementTree

from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts
from auricle.studies.leaderboards.badges import badge_texts, render_badge_json, render_badge_svg
from auricle.studies.leaderboards.table import Cell, Column, Leaderboard, build_leaderboard
from tests.support.app_runs import make_number

SIGNATURE = "asr & <b>:1|data@1|Respond#1|wer:1.basic:1|m|auricle 1"


def build_board(*, complete: bool = True) -> Leaderboard:
    def make(value: float) -> Metrics:
        number = make_number(
            "wer", value=value, low=value / 2, high=2 * value, signature=SIGNATURE, higher_is_better=False, unit="share"
        )
        return Metrics(task=TaskFacts("asr"), model=ModelFacts(str(value)), numbers=(number,), complete=complete)

    return build_leaderboard((str(value), make(value)) for value in (0.1, 0.2))


def first_result(board: Leaderboard) -> tuple[Column, Cell]:
    return board.columns[0], board.rows[0].cells[board.columns[0]]


def test_a_badge_has_the_value_its_interval_and_its_rank() -> None:
    label, message = badge_texts(*first_result(build_board()))
    assert label == "asr & <b> wer"
    assert message == "10.00 % (5.00 – 20.00), place 1 of 2"


def test_an_unfinished_run_is_not_ranked_and_has_another_colour() -> None:
    finished, unfinished = (
        json.loads(render_badge_json(*first_result(build_board(complete=complete)))) for complete in (True, False)
    )
    assert unfinished["message"].endswith(", not ranked")
    assert finished["schemaVersion"] == 1
    assert finished["color"] != unfinished["color"]


def test_the_picture_is_xml_with_both_texts_escaped() -> None:
    column, cell = first_result(build_board())
    picture = ElementTree.fromstring(render_badge_svg(column, cell))
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == list(badge_texts(column, cell))
