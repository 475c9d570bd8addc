"""Metrics of Kimi-Audio-Evalkit: what its judge sees, and how `vb-mcq` reads letters."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Generation, Sample
from auricle.frameworks.kimi.judge_metrics import load_letter_contexts, make_evalkit_judge, read_letter, vb_mcq
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Bounded, Judged
from auricle.metrics.catalogue import METRICS
from tests.support.framework_results import write_letter_contexts

JUDGED = ("choice", "reference", "sd-qa", "answer", "open", "alpaca", "reasoning")


def make_sample(target: Any = "joy", **meta: Any) -> Sample:
    return Sample(id="7", inputs={"question": " Which?\n(A) joy\n(B) fear "}, target=target, meta=meta)


def ask(metric: Metric, sample: Sample, text: str = "Happy!") -> str:
    assert isinstance(metric, Judged)
    (request,) = metric.judge_requests(sample, Generation(text=text))
    return str(request.turns[0].parts[0])


@pytest.mark.parametrize("name", JUDGED)
def test_every_rubric_shows_question_and_answer(name: str) -> None:
    prompt = ask(METRICS.get(f"kimi-{name}"), make_sample())
    assert "\nWhich?\n(A) joy\n(B) fear\n</" in prompt
    assert "Happy!" in prompt
    has_reference = name not in ("open", "alpaca")
    assert ("\njoy\n</" in prompt) == has_reference


def test_the_judge_sees_the_spoken_or_the_written_question() -> None:
    sample = make_sample(audio_content="Which emotion?")
    assert "Which emotion?" in ask(make_evalkit_judge("kimi-choice"), sample)
    assert "(A) joy" not in ask(make_evalkit_judge("kimi-choice"), sample)
    assert "(A) joy" not in ask(make_evalkit_judge("kimi-choice", spoken=True), sample)
    assert "Which emotion?" not in ask(make_evalkit_judge("kimi-choice", spoken=False), sample)


def test_the_judge_sees_the_answer_of_the_row() -> None:
    assert "\nresidential_area\n" in ask(METRICS.get("kimi-choice"), make_sample("B", answer="residential_area"))
    assert "\nann\nanna\n" in ask(METRICS.get("kimi-answer"), make_sample(["ann", "anna"]))


@pytest.mark.parametrize(
    ("name", "reply", "value"),
    [
        ("choice", "A synonym.\nResult: yes", 1.0),
        ("reference", "Result: no", 0.0),
        ("sd-qa", "Yes.", 1.0),
        ("answer", "Because.\nThe score is [Correct]", 1.0),
        ("open", "4", 4.0),
        ("alpaca", "Good.\nRating: [[7]]", 70.0),
        ("reasoning", "No steps.\n[4]", 80.0),
    ],
)
def test_replies_have_the_evalkits_form_and_scale(name: str, reply: str, value: float) -> None:
    metric = METRICS.get(f"kimi-{name}")
    assert metric.score(make_sample(), Generation(text="x"), verdicts=(reply,)) == value


def test_only_open_answers_are_rated_with_a_temperature() -> None:
    requests = [METRICS.get(f"kimi-{name}").judge_requests(make_sample(), Generation(text="x"))[0] for name in JUDGED]
    assert [request.temperature for request in requests] == [0.5 * (name == "open") for name in JUDGED]
    assert {request.max_tokens for request in requests} == {1024}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like a checkout of the evalkit, with contexts of our own."""
    write_letter_contexts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("B", "B"),
        ("b)", "B"),
        ("<2> C.", "C"),
        ("<3>b", "B"),
        ("I choose D here", "D"),
        ("I choose D, not B!", "D"),
        ("It is C! I choose B", "B"),
        ("Letter: A\nor not", "A"),
        ("**D**", None),
        ("E", None),
        ("", None),
    ],
)
@pytest.mark.usefixtures("checkout")
def test_letters_are_read_in_the_contexts_of_the_checkout_in_their_order(answer: str, letter: str | None) -> None:
    assert read_letter(answer) == letter


def test_contexts_are_found_above_the_working_folder(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "runs").mkdir()
    monkeypatch.chdir(checkout / "runs")
    assert load_letter_contexts() == ("choose [CHOICE]", "is [CHOICE]!", "letter: [CHOICE]\n")


def test_without_a_checkout_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match=r"templates of Kimi-Audio-Evalkit.*almeval/datasets/ds_mqa\.py"):
        read_letter("B")


def test_a_file_of_something_else_is_refused(checkout: Path) -> None:
    (checkout / "almeval/datasets/ds_mqa.py").write_text("x = 1\n")
    with pytest.raises(SpecError, match="has no function extract_answer_vb_mcq"):
        read_letter("B")


@pytest.mark.usefixtures("checkout")
def test_an_answer_without_a_letter_gets_the_same_draw_every_time() -> None:
    samples = [Sample(id=str(index), inputs={}, target="B") for index in range(400)]
    stats = [vb_mcq.score(sample, Generation(text="who knows")) for sample in samples]
    assert stats == [vb_mcq.score(sample, Generation(text="who knows")) for sample in samples]
    assert vb_mcq.aggregate(stats) == pytest.approx(0.25, abs=0.07)
    assert vb_mcq.details(stats) == {"drawn": 400}
    assert vb_mcq.signature == "vb-mcq:1.seed-0"


@pytest.mark.usefixtures("checkout")
def test_drawn_letters_are_counted_apart() -> None:
    replies = ["I choose B", "who knows", "I choose C"]
    stats = [vb_mcq.score(make_sample("B"), Generation(text=reply)) for reply in replies]
    assert stats[::2] == [(1, 0), (0, 0)]
    assert vb_mcq.details(stats) == {"drawn": 1}
    assert vb_mcq.aggregate([(1, 0), (0, 1), (0, 1)]) == pytest.approx(1 / 3)
    assert [vb_mcq.is_hit(stat) for stat in ((1, 0), (0, 0), (1, 1), (0, 1))] == [True, False, True, False]
    assert isinstance(vb_mcq, Bounded)
    assert vb_mcq.bounds(make_sample()) == ((0, 0), (1, 0))


@pytest.mark.usefixtures("checkout")
def test_only_the_letter_of_the_row_is_right() -> None:
    assert vb_mcq.score(make_sample("A"), Generation(text="A")) == (1, 0)
    assert vb_mcq.score(make_sample("joy"), Generation(text="A")) == (0, 0)
    assert isinstance(vb_mcq, Bounded)
    assert vb_mcq.bounds(make_sample("A")) == ((0, 0), (1, 0))
    assert [vb_mcq.is_hit(stat) for stat in ((1, 0), (0, 1))] == [True, False]
