"""How many samples had which outcome."""

from auricle.core.types import Outcome
from auricle.runs.outcome_counts import OutcomeCounts


def test_empty_answers_are_answered_and_skipped_samples_have_failed() -> None:
    outcomes = {Outcome.ANSWERED: 5, Outcome.EMPTY: 2, Outcome.FAILED: 3, Outcome.SKIPPED: 1}
    assert OutcomeCounts.count(outcomes) == OutcomeCounts(total=11, answered=7, failed=4, empty=2, skipped=1)


def test_outcomes_that_did_not_occur_count_as_none() -> None:
    assert OutcomeCounts.count({}) == OutcomeCounts() == OutcomeCounts(0, 0, 0, 0, 0, 0)
    for outcome, counts in (
        (Outcome.ANSWERED, OutcomeCounts(1, 1, 0)),
        (Outcome.EMPTY, OutcomeCounts(1, 1, 0, empty=1)),
        (Outcome.FAILED, OutcomeCounts(1, 0, 1)),
        (Outcome.SKIPPED, OutcomeCounts(1, 0, 1, skipped=1)),
        (Outcome.REFUSED, OutcomeCounts(1, 1, 0, refused=1)),
        (Outcome.UNREADABLE, OutcomeCounts(1, 1, 0, unreadable=1)),
    ):
        assert OutcomeCounts.count({outcome: 1}) == counts


def test_many_empty_answers_and_audio_that_was_not_sent_are_warned_of() -> None:
    assert OutcomeCounts(total=100, answered=100, empty=5).warnings() == []
    (warning,) = OutcomeCounts(total=101, answered=100, failed=1, empty=6).warnings()
    assert warning.startswith("6 of 100 answers are empty (6%).")
    assert OutcomeCounts(total=101, answered=101, empty=6, rightly_empty=2).warnings() == []
    assert OutcomeCounts(total=4, answered=4, empty=4, rightly_empty=4).warnings() == []
    (warning,) = OutcomeCounts(total=3, answered=3, audio_not_sent=2).warnings()
    assert warning.startswith("2 of 3 samples have audio that was not sent")


def test_many_refused_answers_are_warned_of() -> None:
    assert OutcomeCounts(total=100, answered=100, refused=5).warnings() == []
    (warning,) = OutcomeCounts(total=101, answered=100, failed=1, refused=6).warnings()
    assert warning.startswith("6 of 100 replies refuse to answer (6%). Check that the model receives the audio")
