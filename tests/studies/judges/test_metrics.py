"""Statistics of biased judges, and probes."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from auricle.core.types import Generation, Record, Sample
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Judged
from auricle.metrics.catalogue import METRICS
from auricle.studies.judges.document import CheckResult
from auricle.studies.judges.metrics import (
    PADDING,
    ProbeResult,
    check_self_preference,
    compute_checks,
    make_probe,
    read_probe,
)

Judge = Callable[[str], str]


def make_records(count: int = 60, **meta: Any) -> list[Record]:
    """Return records of which every second answer is right, and the lengths vary."""
    return [
        Record(
            sample=Sample(
                id=str(row),
                inputs={"question": f"q{row}"},
                target="right",
                meta={"gold": "no" if row % 2 else "yes", "baseline": "some other answer", **meta},
            ),
            row=row,
            outputs=(Generation(text=("wrong" if row % 2 else "right") + " indeed" * (row % 7)),),
        )
        for row in range(count)
    ]


def run_probe(metric: Metric, judge: Judge, records: Sequence[Record]) -> list[ProbeResult]:
    probe = make_probe(metric)
    assert isinstance(probe, Judged)
    results = []
    for record in records:
        requests = probe.judge_requests(record.sample, *record.outputs)
        results.append(read_probe(metric, record, [judge(str(request.turns[0].parts[0])) for request in requests]))
    return results


def find(results: Sequence[CheckResult], measure: str) -> CheckResult:
    (result,) = (result for result in results if measure in result.measure)
    return result


def section(prompt: str, tag: str) -> str:
    return prompt.partition(f"<{tag}>\n")[2].partition(f"\n</{tag}>")[0]


def honest(prompt: str) -> str:
    return f"Verdict: {'yes' if section(prompt, 'answer').startswith('right') else 'no'}"


def test_a_probe_asks_twice_and_then_about_a_padded_answer() -> None:
    metric, (record, *_) = METRICS.get("judge-reference"), make_records(1)
    probe = make_probe(metric)
    assert isinstance(probe, Judged)
    first, again, padded = probe.judge_requests(record.sample, *record.outputs)
    assert first == again
    assert section(str(padded.turns[0].parts[0]), "answer") == "right" + PADDING
    assert (probe.name, probe.companions) == ("judge-reference.check", ())


def test_replies_are_read_in_that_order_with_the_label() -> None:
    metric, (record, *_) = METRICS.get("judge-reference"), make_records(1)
    result = read_probe(metric, record, ["Verdict: yes", "Verdict: no", "unclear"])
    assert result == ProbeResult("0", 5, 1.0, 0.0, None, (), 1.0)
    assert read_probe(metric, record, ["Verdict: no"]) == ProbeResult("0", 5, 0.0, label=1.0)
    assert read_probe(metric, record, ["what?"]).value is None


def test_an_honest_judge_shows_no_bias() -> None:
    metric = METRICS.get("judge-reference")
    results = compute_checks(metric, run_probe(metric, honest, make_records()))
    assert {result.finding for result in results} <= {"", "no bias shown"}
    assert find(results, "same is asked again").value == 0.0
    assert find(results, "padding").value == 0.0
    assert find(results, "equal to human labels").value == 1.0
    assert find(results, "kappa").value == 1.0
    assert find(results, "alpha").value == 1.0
    position = find(results, "shown first")
    assert (position.value, position.note) == (None, "cannot be checked: judge-reference judges one answer at a time")


def test_a_judge_that_likes_long_answers_is_found() -> None:
    def likes_length(prompt: str) -> str:
        return f"Verdict: {'yes' if len(section(prompt, 'answer')) > 25 else 'no'}"

    metric = METRICS.get("judge-reference")
    results = compute_checks(metric, run_probe(metric, likes_length, make_records()))
    assert find(results, "padding").finding == "biased"
    at_equal_label = find(results, "at equal label")
    assert at_equal_label.finding == "biased"
    assert at_equal_label.value is not None
    assert at_equal_label.value > 0.3


def test_without_labels_length_and_agreement_cannot_be_separated() -> None:
    metric = METRICS.get("judge-reference")
    results = compute_checks(metric, run_probe(metric, honest, make_records(gold="")))
    length = find(results, "rank correlation")
    assert (length.neutral, length.note) == (None, "longer answers may be better ones; labels would separate the two")
    agreement = find(results, "agreement with human labels")
    assert "no sample has a human label; add some with --human" in agreement.note


def test_a_judge_that_prefers_the_first_answer_is_found() -> None:
    metric = METRICS.get("judge-pairwise")
    results = compute_checks(metric, run_probe(metric, lambda prompt: "Winner: A", make_records()))
    assert find(results, "order of the answers").value == 1.0
    preference = find(results, "shown first")
    assert (preference.value, preference.finding) == (1.0, "biased")

    def fair(prompt: str) -> str:
        rights = [section(prompt, tag).startswith("right") for tag in ("answer_a", "answer_b")]
        return f"Winner: {'tie' if rights[0] == rights[1] else 'A' if rights[0] else 'B'}"

    results = compute_checks(metric, run_probe(metric, fair, make_records()))
    assert find(results, "order of the answers").value == 0.0
    preference = find(results, "shown first")
    assert (preference.value, preference.finding) == (0.5, "no bias shown")


def test_a_judge_that_throws_dice_is_inconsistent() -> None:
    rng, metric = random.Random(1), METRICS.get("judge-reference")
    results = compute_checks(
        metric, run_probe(metric, lambda prompt: f"Verdict: {rng.choice(('yes', 'no'))}", make_records())
    )
    changed = find(results, "same is asked again")
    assert changed.low is not None
    assert changed.high is not None
    assert changed.low < 0.5 < changed.high


@pytest.mark.parametrize("count", [0, 9])
def test_few_samples_have_no_number(count: int) -> None:
    metric = METRICS.get("judge-reference")
    results = compute_checks(metric, run_probe(metric, honest, make_records(count)))
    assert all(result.value is None for result in results)
    note = f"{count} samples are too few; at least 10 are needed"
    assert find(results, "padding").note == note


def probes(scores: Sequence[float], labels: Sequence[float | None]) -> list[ProbeResult]:
    pairs = zip(scores, labels, strict=True)
    return [ProbeResult(str(index), 10, score, label=label) for index, (score, label) in enumerate(pairs)]


def test_self_preference_is_what_exceeds_the_labels() -> None:
    labels = [float(index % 3 > 0) for index in range(60)]
    own = probes([1.0] * 60, labels)
    other = probes(labels, labels)
    result = check_self_preference(own, other, "share")
    assert result.finding == "biased"
    assert result.value == pytest.approx(1 / 3)
    better = check_self_preference(probes([1.0] * 60, [1.0] * 60), other, "share")
    assert (better.value, better.finding) == (0.0, "no bias shown"), "a better model is not a preferred one"


def test_without_labels_a_better_model_and_a_preferred_one_look_the_same() -> None:
    own, other = probes([1.0] * 20, [None] * 20), probes([0.0] * 20, [None] * 20)
    result = check_self_preference(own, other, "share")
    assert (result.value, result.neutral, result.finding) == (1.0, None, "")
    assert "quality is not separated from preference" in result.note
