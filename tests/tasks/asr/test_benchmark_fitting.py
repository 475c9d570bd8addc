"""Agreement with wrong references and recall of masked words, against counts by hand."""

from __future__ import annotations

from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Json, Sample
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Bounded, Profiled, Restricted
from auricle.metrics.intervals import compute_interval
from auricle.scoring.score_table import ScoreTable
from auricle.tasks.asr.benchmark_fitting import (
    MaskedWords,
    count_recovered,
    count_versions,
    find_disagreements,
    masked_control_recall,
    masked_excess,
    masked_recall,
    read_spans,
    reference_error_agreement,
    reference_errors,
    wer_corrected,
    wer_official,
)
from tests.support.scored_records import make_record

OFFICIAL = "i thank the commissioner for his very clear statement today"
CORRECTED = "i thank mister barrot for his clear statement today again"


def make_sample(official: str = OFFICIAL, corrected: str = CORRECTED) -> Sample:
    return Sample(id="1", inputs={}, target=official, meta={"corrected": corrected})


def stat_of(metric: Metric, sample: Sample, text: str) -> Any:
    return metric.score(sample, Generation(text=text))


# --- agreement with wrong references -------------------------------------------------------------


def test_references_differ_in_replaced_and_left_out_words_and_in_words_added_at_an_end() -> None:
    differences = find_disagreements(OFFICIAL.split(), CORRECTED.split())
    assert [(OFFICIAL.split()[start:end], corrected) for start, end, corrected in differences] == [
        (["the", "commissioner"], ("mister", "barrot")),
        (["very"], ()),
        ([], ("again",)),
    ]


@pytest.mark.parametrize(
    ("official", "corrected"),
    [
        ("a b c", "a b c"),
        ("we fight anticorruption now", "we fight anti corruption now"),  # a matter of spaces
        ("they organised it", "they organized it"),  # one edit of nine characters
        ("a b c", "a x b c"),  # words added in the middle
        ("a b c d", "x y z d"),  # fewer than half of the words are left
        ("", "a b"),
    ],
)
def test_spelling_words_added_inside_and_other_sentences_are_no_disagreement(official: str, corrected: str) -> None:
    assert find_disagreements(official.split(), corrected.split()) == []


@pytest.mark.parametrize(
    ("official", "corrected", "count"), [("act", "acts", 1), ("acted", "acts", 1), ("organised", "organized", 0)]
)
def test_a_change_of_three_tenths_of_the_characters_is_a_disagreement(
    official: str, corrected: str, count: int
) -> None:
    assert len(find_disagreements(["we", official], ["we", corrected])) == count


@pytest.mark.parametrize(
    ("answer", "counts"),
    [
        (OFFICIAL, (3, 0, 0)),
        (CORRECTED, (0, 3, 0)),
        ("i thank mister barrot for his very clear statement today", (2, 1, 0)),
        ("i thank the chairman for his clear statement today again", (0, 2, 1)),  # half of a span: a third version
        ("i thank the good commissioner for his very clear statement today", (3, 0, 0)),  # words between do not matter
        ("i thank mister barrot for his clear statement today again and again", (0, 3, 0)),
        ("i thank the commissioner for his very clear statement today however", (2, 0, 1)),
        ("something else entirely", (0, 0, 3)),
        ("", (0, 0, 3)),
        (" ".join([OFFICIAL] * 3), (2, 0, 1)),
        (" ".join([OFFICIAL] * 3 + ["more"]), (0, 0, 3)),  # more than three times as long
    ],
)
def test_an_answer_has_the_official_the_corrected_or_another_version(answer: str, counts: tuple[int, int, int]) -> None:
    assert count_versions(OFFICIAL.split(), CORRECTED.split(), answer.split()) == counts


@pytest.mark.parametrize("answer", ["x c b y z", "x a c y z", "x c b c y z", "w c y z"])
def test_an_answer_with_part_of_the_official_words_or_more_has_another_version(answer: str) -> None:
    assert count_versions(["x", "a", "b", "y", "z"], ["x", "c", "y", "z"], answer.split()) == (0, 0, 1)


def test_words_added_at_the_start_are_compared_next_to_the_first_word() -> None:
    official, corrected = list("bcd"), list("abcd")
    answers = ("b c d", "a b c d", "x a b c d", "a x b c d")
    assert [count_versions(official, corrected, answer.split()) for answer in answers] == [
        *((1, 0, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1))
    ]


def test_the_rate_is_a_ratio_of_sums_over_clips() -> None:
    stats = [(3, 3, 0), (2, 3, 0), (0, 2, 1), (0, 0, 3)]
    answers = (
        OFFICIAL,
        "i thank mister barrot for his very clear statement today",
        "i thank the chairman for his clear statement today again",
        "",
    )
    assert [stat_of(reference_error_agreement, make_sample(), answer) for answer in answers] == stats
    assert reference_error_agreement.aggregate(stats) == pytest.approx(5 / 8)
    assert reference_error_agreement.details(stats) == {"official": 5, "corrected": 3, "neither": 4, "clips": 4}
    interval = compute_interval(stats, reference_error_agreement.aggregate)
    assert 0 <= interval.low < 5 / 8 < interval.high <= 1


def test_without_an_answer_that_agrees_with_either_reference_there_is_no_rate() -> None:
    assert reference_error_agreement.aggregate([(0, 0, 3)]) != reference_error_agreement.aggregate([(0, 0, 3)])


def test_rows_without_a_correction_or_a_disagreement_do_not_count() -> None:
    rows = (
        make_sample(),
        make_sample(corrected=OFFICIAL),
        make_sample(corrected=""),
        Sample(id="1", inputs={}, target="a b"),
    )
    for metric, expected in zip(reference_errors, ([1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]), strict=True):
        assert isinstance(metric, Restricted)
        assert [int(metric.applies(row)) for row in rows] == expected


def test_the_word_error_rate_is_computed_against_both_references() -> None:
    sample = make_sample("a b c d", "a b x d e")
    assert stat_of(wer_official, sample, "a b c d")[:4] == (0, 0, 0, 4)
    assert stat_of(wer_corrected, sample, "a b c d")[:4] == (1, 1, 0, 5)
    assert isinstance(wer_corrected, Bounded)
    assert wer_corrected.bounds(sample)[0][:4] == (0, 5, 0, 5)


def test_profiles_normalise_both_references() -> None:
    sample = make_sample("The colour, Mr. Smith!", "the color mister smith")
    assert isinstance(reference_error_agreement, Profiled)
    english = reference_error_agreement.with_profile("whisper-en")
    assert isinstance(english, Restricted)
    assert not english.applies(sample)
    profiled = [metric for metric in reference_errors if isinstance(metric, Profiled)]
    assert len(profiled) == len(reference_errors)
    assert all(metric.with_profile("whisper-en").profile for metric in profiled)


def test_the_bounds_of_a_failed_sample_are_full_agreement_and_none() -> None:
    assert reference_error_agreement.bound(make_sample()) == ((3, 3, 0), (0, 3, 0))
    assert [reference_error_agreement.badness(stat) for stat in ((2, 3, 0), (0, 3, 0))] == [2.0, 0.0]


# --- masked words --------------------------------------------------------------------------------

REFERENCE = "the train from Turin to Milan leaves from here at noon"


def make_masked(*texts: str, **fields: Any) -> list[MaskedWords]:
    return [MaskedWords(text, start, start + 0.5, **fields) for start, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("answer", "recovered"),
    [
        (REFERENCE, 2),
        ("the train from rome to milan leaves from here at noon", 1),
        ("the train from to leaves from here at noon", 0),
        ("turin milan", 2),
        ("the train from milan to turin leaves from here at noon", 0),  # at each other's place
        ("", 0),
    ],
)
def test_masked_words_are_recognised_at_their_place_or_not_at_all(answer: str, recovered: int) -> None:
    spans = make_masked("Turin", "Milan")
    assert count_recovered(REFERENCE.lower(), answer.lower(), spans, lambda text: text.lower().split()) == (
        *(recovered, 2, 0, 0),
    )


def test_all_words_of_a_span_must_be_recognised() -> None:
    spans = [*make_masked("Turin to Milan"), *make_masked("noon", is_control=True)]
    for answer, counts in (
        (REFERENCE, (1, 1, 1, 1)),
        (REFERENCE.replace("Milan", "Rome"), (0, 1, 1, 1)),
        ("from Turin to Milan", (1, 1, 0, 1)),
    ):
        assert count_recovered(REFERENCE, answer, spans, str.split) == counts


@pytest.mark.parametrize(("answer", "recovered"), [("a two two b", 1), ("a two b", 0), ("a two two two b", 1)])
def test_a_word_is_not_recognised_if_it_may_be_its_neighbour(answer: str, recovered: int) -> None:
    spans = make_masked("two", word_index=2)
    assert count_recovered("a two two b", answer, spans, str.split) == (recovered, 1, 0, 0)


def test_words_that_occur_several_times_need_their_position() -> None:
    answer = REFERENCE.replace("leaves from", "leaves near")
    with pytest.raises(SampleError, match="has 'from' 2 times, but 1 of them are masked"):
        count_recovered(REFERENCE, answer, make_masked("from"), str.split)
    assert [count_recovered(REFERENCE, answer, make_masked("from", word_index=at), str.split)[0] for at in (2, 7)] == [
        *(1, 0)
    ]
    assert count_recovered(REFERENCE, answer, make_masked("from", "from"), str.split) == (1, 2, 0, 0)


def test_masked_words_must_be_in_the_reference() -> None:
    with pytest.raises(SampleError, match="does not have the masked words 'Rome'"):
        count_recovered(REFERENCE, "", make_masked("Rome"), str.split)


def test_spans_are_read_in_the_order_of_time() -> None:
    spans = [{"text": "b", "start": 2, "end": 3, "control": True}, {"text": "a", "start": 0.5, "end": 1, "index": 4}]
    assert read_spans({"spans": spans}) == [MaskedWords("a", 0.5, 1.0, False, 4), MaskedWords("b", 2.0, 3.0, True)]


@pytest.mark.parametrize(
    "spans",
    [
        None,
        [],
        "0.5-0.9",
        ["a"],
        [{"text": "", "start": 0, "end": 1}],
        [{"text": "a", "start": 1, "end": 1}],
        [{"text": "a", "start": -1, "end": 1}],
        [{"text": "a", "start": "0", "end": 1}],
        [{"text": "a", "start": 0, "end": 1, "index": "2"}],
        [{"text": "a", "start": 0, "end": 1, "control": "yes"}],
    ],
)
def test_invalid_spans_are_refused(spans: Any) -> None:
    with pytest.raises(SampleError, match="span"):
        read_spans({"spans": spans})


@pytest.mark.parametrize("metric", [masked_excess, masked_recall, masked_control_recall])
def test_all_metrics_of_masked_words_count_the_same(metric: Metric) -> None:
    spans: list[Json] = [
        {"text": "Turin", "start": 1, "end": 2},
        {"text": "noon", "start": 3, "end": 4, "control": True},
    ]
    sample = Sample(id="1", inputs={}, target=REFERENCE, meta={"spans": spans})
    assert stat_of(metric, sample, "The train from Turin, at one") == (1, 1, 0, 1)
    assert compute_interval([(1, 1, 0, 1), (0, 1, 1, 1)] * 5, metric.aggregate).high <= 1


def test_the_excess_is_the_difference_of_two_pooled_recalls() -> None:
    stats = [(2, 3, 1, 1), (1, 1, 0, 2), (0, 2, 0, 1)]
    assert masked_recall.aggregate(stats) == pytest.approx(3 / 6)
    assert masked_control_recall.aggregate(stats) == pytest.approx(1 / 4)
    assert masked_excess.aggregate(stats) == pytest.approx(3 / 6 - 1 / 4)
    assert masked_excess.details(stats) == {
        "recognised": 3, "masked": 6, "control_recognised": 1, "control_masked": 4,
    }  # fmt: skip
    assert masked_excess.aggregate([(1, 1, 0, 0)]) != masked_excess.aggregate([(1, 1, 0, 0)])


def test_the_interval_of_the_excess_draws_clips_not_words() -> None:
    alternating = [(4, 4, 0, 4), (0, 4, 0, 4)] * 10  # all words of a clip alike
    mixed = [(2, 4, 0, 4)] * 20
    wide, narrow = (compute_interval(stats, masked_excess.aggregate) for stats in (alternating, mixed))
    # If all clips agree, as for a share of 0 of 20 clips: Wilson's limit z² / (n + z²), with Student's quantile for z.
    assert (narrow.high - narrow.low) / 2 == pytest.approx(2.093**2 / (20 + 2.093**2), rel=0.001)
    # The standard error of the mean of 20 clips with 0 or 1 is sqrt(.25 / 19), and Student's quantile 2.093.
    assert (wide.high - wide.low) / 2 == pytest.approx(2.093 * (0.25 / 19) ** 0.5, rel=0.03)


def test_rows_without_spans_do_not_count_and_invalid_ones_have_a_reason() -> None:
    table = ScoreTable([masked_recall])
    table.add_all([make_record(0), make_record(1, spans=[])])
    (column,) = table.columns
    assert list(column.not_applicable) == [0]
    assert list(column.reasons) == ["SampleError: needs a list of spans in the column 'spans', not []"]
