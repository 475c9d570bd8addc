"""Pictures: whole, escaped, to scale, and readable without colour."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from auricle.metrics import dimensions, labels
from auricle.report import plots
from auricle.report.plots.heatmap import DIFFERENCE_CAPTION
from auricle.report.plots.svg import fit_axis

EVIL = "<script>alert('x')</script>"


class Reader(HTMLParser):
    """Tags with their attributes and texts; refuses tags that do not close in order."""

    def __init__(self, svg: Any) -> None:
        super().__init__()
        self.found, self.texts, self._open = [], [], []
        self.feed(svg)
        self.close()
        assert self._open == []

    def handle_starttag(self, name: Any, attributes: Any) -> None:
        self._open.append(name)
        self.found.append((name, dict(attributes)))

    def handle_endtag(self, name: Any) -> None:
        assert self._open.pop() == name

    def handle_data(self, data: Any) -> None:
        if self._open[-1] == "text":
            self.texts.append(data)

    def of(self, kind: Any) -> Any:
        return [each for _, each in self.found if kind in each.get("class", "").split()]


def matrix(pairs: Any, truths: Any = ("sad", "calm"), model: Any = ("难过/sad", "<unk>")) -> Any:
    fold = labels.uar.aggregate.with_contexts([(tuple(truths), tuple(model))])
    return fold.details(pairs)["matrix"]


SAID = [("难过/sad", "sad", "sad", True)] * 3 + [("<unk>", "sad", None, True)]
SAID += [("难过/sad", "calm", "sad", False)] * 2


def test_a_matrix_shows_counts_shares_and_sizes() -> None:
    texts = Reader(plots.draw_confusion(matrix(SAID))).texts
    assert {"3", "75\u202f%", "1", "25\u202f%", "2", "100\u202f%", "n 4", "n 2"} <= set(texts)


def test_a_matrix_shows_english_and_keeps_what_the_model_says() -> None:
    drawn = plots.draw_confusion(matrix(SAID))
    assert "unknown" in Reader(drawn).texts
    assert "sad (难过/sad)" in drawn
    assert "&lt;unk&gt;" in drawn
    assert "<unk>" not in drawn


def test_labels_of_one_side_are_set_apart() -> None:
    reader = Reader(plots.draw_confusion(matrix(SAID)))
    assert len(reader.of("alone")) == 2  # calm and unknown
    columns = [float(each["x"]) for each in reader.of("hit") + reader.of("miss")]
    assert columns


def test_answers_without_a_label_have_a_column_where_there_are_any() -> None:
    assert "unreadable" not in Reader(plots.draw_confusion(matrix(SAID))).texts
    silent = [*SAID, (None, "sad")]
    assert "unreadable" in Reader(plots.draw_confusion(matrix(silent))).texts


def test_a_tint_is_the_share_of_its_row() -> None:
    reader = Reader(plots.draw_confusion(matrix(SAID)))
    (hit,) = reader.of("hit")
    assert hit["style"] == "fill-opacity:0.450"


def test_labels_are_escaped_and_clipped() -> None:
    drawn = plots.draw_confusion(matrix([(EVIL, EVIL)], (EVIL,), (EVIL,)))
    assert "<script>" not in drawn
    long = "unbroken" * 10
    texts = Reader(plots.draw_confusion(matrix([(long, long)], (long,), (long,)))).texts
    assert max(len(text) for text in texts if "→" not in text) <= 18


def difference(cells: Any, only: str = "") -> Any:
    axis = [{"label": label, "spelled_by_candidate": "", "only_in": ""} for label in ("sad", "a")]
    last = {"label": "<unk>", "spelled_by_candidate": "unknown", "only_in": only}
    return {
        "rows": axis,
        "columns": [*axis, last],
        "cells": cells,
        "diagonal": [{"row": at, "column": at} for at, row in enumerate(cells) if row],
    }


def test_a_difference_says_more_and_less_in_signs() -> None:
    reader = Reader(plots.draw_difference(difference([[0.2, -0.2, 0.0], [0.0, 0.0, 0.0]])))
    assert {"+20.0", "−20.0"} <= set(reader.texts)


def test_the_scale_of_a_difference_is_symmetric() -> None:
    reader = Reader(plots.draw_difference(difference([[0.1, -0.3, 0.2], None])))
    assert {"−30", "0", "+30 points"} <= set(reader.texts)
    tints = [each["style"] for each in reader.of("less")]
    assert "fill-opacity:0.600" in tints


def test_small_differences_are_not_blown_up() -> None:
    reader = Reader(plots.draw_difference(difference([[0.01, -0.01, 0.0], None])))
    assert "+5 points" in reader.texts


def test_an_undefined_row_is_hatched() -> None:
    reader = Reader(plots.draw_difference(difference([[0.1, -0.1, 0.0], None])))
    assert len(reader.of("undefined")) == 1
    assert len(reader.of("stripe")) > 5
    assert len(reader.of("outline")) == 1


def test_a_label_one_side_does_not_have_is_marked() -> None:
    drawn = plots.draw_difference(difference([[0.1, -0.1, 0.0], None], only="candidate"))
    assert len(Reader(drawn).of("ring")) == 1
    assert "only the candidate has this label" in drawn


def test_a_difference_comes_with_a_guide() -> None:
    assert DIFFERENCE_CAPTION in plots.draw_difference(difference([[0.1, -0.1, 0.0], None]))


def spread(sizes: Any) -> Any:
    stats = [
        (label, (("arousal", place + 0.01 * at), ("valence", 0.02 * at)))
        for place, (label, size) in enumerate(sizes.items())
        for at in range(size)
    ]
    return {**dimensions.eta2.details(stats), **dimensions.eta2.plot_data(stats)}


def test_emotions_stand_in_the_order_of_their_means() -> None:
    found = spread({"sad": 9, "angry": 9})
    arousal = found["dimensions"]["arousal"]
    drawn = plots.draw_violins("arousal", arousal, found["densities"]["arousal"])
    texts = Reader(drawn).texts
    assert texts.index("angry") < texts.index("sad")
    assert len(Reader(drawn).of("violin")) == 2


def test_few_samples_have_a_box_and_no_violin() -> None:
    found = spread({"sad": 9, "angry": 2})
    arousal = found["dimensions"]["arousal"]
    reader = Reader(plots.draw_violins("arousal", arousal, found["densities"]["arousal"]))
    assert len(reader.of("violin")) == 1
    assert len(reader.of("quartiles")) == 2
    assert len(reader.of("violin")) == 1
    assert len(Reader(plots.draw_violins("arousal", arousal)).of("violin")) == 0


def test_a_plane_has_a_colour_and_a_shape_for_each_emotion() -> None:
    names = [f"emotion {at}" for at in range(10)]
    reader = Reader(plots.draw_scatter(spread(dict.fromkeys(names, 3))["plane"]))
    assert len(reader.of("dot")) == 30
    assert len(reader.of("around")) == 10
    marks = {(each["class"], re.sub(r"[\d.]+ ", "", each["d"]).count("L")) for each in reader.of("centre")}
    assert len(marks) >= 8
    assert set(names) <= set(reader.texts)


@pytest.mark.parametrize("values", [[0.0], [5.0, 5.0], [-1.2, 3.4], [1e-6, 2e-6], []])
def test_rulers_are_round_and_hold_all_values(values: Any) -> None:
    scale, places = fit_axis(values)
    assert scale.low < scale.high
    assert all(scale.low <= value <= scale.high for value in values)
    assert 2 <= len(places) <= 9


def test_style_names_every_colour_in_light_and_dark() -> None:
    style = plots.load_stylesheet()
    assert style.count("--hue7:") == 2
    assert "prefers-color-scheme: dark" in style
    assert "url(" not in style
