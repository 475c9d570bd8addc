"""Dimensions: what they separate, how true they are, and who has none."""

import math
from typing import Any

import pytest

from auricle.core.errors import Unsuited
from auricle.core.types import Generation, Prediction, Record, Sample
from auricle.metrics import dimensions
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import summarise

SEPARATING = [dimensions.eta2, dimensions.eta2_arousal]
AGREEING = [dimensions.ccc_arousal, dimensions.pearson_arousal, dimensions.rmse_arousal]
EVERY = [*SEPARATING, *AGREEING]


def dims(arousal: Any, valence: float = 0.5) -> Any:
    values = {"valence": valence, "arousal": arousal, "dominance": 0.5 * arousal}
    return Prediction(values=values, scale="continuous")


def record(at: Any, emotion: Any, output: Any, **meta: Any) -> Any:
    sample = Sample(id=str(at), inputs={"choices": ["sad", "angry"]}, target=emotion, meta=meta)
    return Record(sample=sample, row=at, outputs=(output,))


def told(records: Any, metrics: Any = EVERY, cluster: str = "") -> Any:
    board = ScoreTable(metrics, cluster)
    list(score_records(records, board))
    return board, {each.metric: each for each in summarise(board) if not each.field}


APART = [record(at, ("sad", "angry")[at % 2], dims(at % 2 + 0.1 * (at % 3), 0.1 * at),
                speaker=at % 5) for at in range(30)]  # fmt: skip


def test_dimensions_that_keep_emotions_apart_explain_their_variance() -> None:
    _, found = told(APART)
    assert found["eta2_arousal"].value > 0.9
    assert found["eta2"].details["dimensions"]["valence"]["eta2"] < 0.1
    assert list(found["eta2"].details["dimensions"]) == ["arousal", "dominance", "valence"]


def test_the_headline_is_the_mean_of_all_dimensions() -> None:
    _, found = told(APART)
    each = [figures["eta2"] for figures in found["eta2"].details["dimensions"].values()]
    assert found["eta2"].value == pytest.approx(sum(each) / 3)


def test_what_chance_alone_would_explain_is_told() -> None:
    _, found = told(APART)
    assert found["eta2"].details["dimensions"]["arousal"]["chance"] == pytest.approx(1 / 29)


def test_intervals_draw_speakers() -> None:
    _, found = told(APART, cluster="speaker")
    assert found["eta2_arousal"].interval.startswith("cluster-bootstrap")


def test_pictures_are_only_made_of_all_samples() -> None:
    board = ScoreTable([dimensions.eta2])
    list(score_records(APART, board))
    drawn = {each.field for each in summarise(board) if "plane" in each.details}
    assert drawn == {""}


def test_the_plane_is_of_valence_and_arousal() -> None:
    _, found = told(APART)
    plane = found["eta2"].details["plane"]
    assert (plane["x"], plane["y"]) == ("valence", "arousal")
    assert len(plane["points"]) == 30
    assert plane["labels"] == ["angry", "sad"]


def test_a_plane_of_many_samples_shows_some_of_them() -> None:
    records = [record(at, "sad", dims(at / 5000)) for at in range(5000)]
    plane = told(records, [dimensions.eta2])[1]["eta2"].details["plane"]
    assert len(plane["points"]) == 600
    assert plane["of"] == 5000


def test_an_emotion_of_few_samples_has_no_density() -> None:
    records = [*APART, record(99, "bored", dims(0.5))]
    drawn = told(records, [dimensions.eta2])[1]["eta2"].details["densities"]["arousal"]
    assert drawn["of"]["bored"] is None
    assert len(drawn["of"]["sad"]) == 40


def test_one_emotion_is_told_from_nothing() -> None:
    _, found = told([record(at, "sad", dims(at)) for at in range(4)])
    assert math.isnan(found["eta2_arousal"].value)


def test_ratings_are_compared_where_there_are_any() -> None:
    records = [record(at, "sad", dims(at / 10), arousal=at / 10) for at in range(10)]
    records += [record(10, "sad", dims(0.3))]
    _, found = told(records)
    assert found["ccc_arousal"].value == pytest.approx(1.0)
    assert found["rmse_arousal"].value == pytest.approx(0.0, abs=1e-7)
    assert found["ccc_arousal"].scored == 10


def test_a_corpus_without_ratings_is_not_compared_and_nothing_is_said() -> None:
    board, found = told(APART)
    assert "ccc_arousal" not in found
    assert not board.columns[EVERY.index(dimensions.ccc_arousal)].refusal_reason


def test_unlike_scales_are_warned_of() -> None:
    records = [record(at, "sad", dims(at / 10), arousal=2.0 + at) for at in range(9)]
    _, found = told(records)
    (note,) = found["ccc_arousal"].details["notes"]
    assert "Predictions run from 0 to 0.8, ratings from 2 to 10" in note
    assert "notes" not in found["pearson_arousal"].details


def test_a_constant_agrees_with_nothing() -> None:
    flat = [record(at, "sad", dims(0.1), arousal=0.3) for at in range(5)]
    _, found = told(flat)
    assert found["ccc_arousal"].value == 0.0
    assert math.isnan(found["pearson_arousal"].value)
    one = dimensions.ccc_arousal.aggregate([(0.1, 0.2)])
    assert math.isnan(one)


@pytest.mark.parametrize("metric", EVERY, ids=lambda each: each.name)
def test_class_scores_and_text_are_refused(metric: Any) -> None:
    sample = record(0, "sad", None, arousal=1.0).sample
    scores = Prediction(values={"sad": 0.9, "angry": 0.1}, scale="probability")
    with pytest.raises(Unsuited, match="this model's outputs are class scores"):
        metric.score(sample, scores)
    with pytest.raises(Unsuited, match="this model writes text"):
        metric.score(sample, Generation(text="sad"))


def test_a_dimension_the_model_does_not_tell_is_refused_by_name() -> None:
    sample = record(0, "sad", None).sample
    tension = Prediction(values={"tension": 1.0}, scale="continuous")
    with pytest.raises(Unsuited, match="this model tells tension, and not arousal"):
        dimensions.eta2_arousal.score(sample, tension)
