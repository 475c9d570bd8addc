"""Several answers and conversations, as a reader sees them."""

import json
from typing import Any

import pytest

from auricle import Audio, Generation, Sample
from auricle.core.types import Record, Turn
from auricle.metrics.multi_answer import aggregate_answers
from auricle.report.run_html import render_worst_samples
from auricle.report.transcript import MAX_LINES, TranscriptLine, transcript_lines
from auricle.tasks.asr.error_rates import exact_match, wer
from tests.support.call_recordings import make_recording
from tests.support.report_pages import view_samples

USERS = [Turn("user", (Audio("/data/a.wav"), "what?")), Turn("user", ("sure?",))]
GIVEN = [USERS[0], Turn("assistant", ("a cat",)), USERS[1]]


def record(*texts: Any, target: Any = None, **inputs: Any) -> Any:
    sample = Sample(id="1", inputs=inputs, target=target)
    return Record(sample=sample, row=0, outputs=tuple(Generation(text=each) for each in texts))


def test_a_conversation_is_shown_turn_by_turn_with_its_references() -> None:
    assert transcript_lines(record("a dog", "yes", target=["a cat", None], turns=USERS)) == (
        TranscriptLine("User", "[audio a.wav] what?"),
        TranscriptLine("Answer", "a dog"),
        TranscriptLine("Reference", "a cat"),
        TranscriptLine("User", "sure?"),
        TranscriptLine("Answer", "yes"),
    )


def test_the_history_of_the_data_is_shown_before_the_one_answer() -> None:
    assert transcript_lines(record("yes", target="no", turns=GIVEN)) == (
        TranscriptLine("User", "[audio a.wav] what?"),
        TranscriptLine("Assistant", "a cat"),
        TranscriptLine("User", "sure?"),
        TranscriptLine("Answer", "yes"),
        TranscriptLine("Reference", "no"),
    )


def test_a_reference_that_also_is_in_the_history_is_shown_once() -> None:
    output = transcript_lines(record("a dog", "yes", target=["a cat", "no"], turns=GIVEN))
    assert [who for who, _ in output] == ["User", "Answer", "Reference"] * 2


def test_several_answers_are_numbered() -> None:
    assert transcript_lines(record("a", "b")) == (TranscriptLine("Answer 1", "a"), TranscriptLine("Answer 2", "b"))
    assert transcript_lines(record("a")) == ()


def test_a_conversation_without_end_is_cut_with_a_note() -> None:
    many = record(*["x"] * 99, turns=[Turn("user", ("y",))] * 99)
    assert transcript_lines(many)[MAX_LINES:] == (TranscriptLine("…", f"{2 * 99 - MAX_LINES} more lines"),)


@pytest.mark.parametrize(
    "metric", [aggregate_answers(wer, "mean"), aggregate_answers(wer, "best"), aggregate_answers(exact_match, "vote")]
)
def test_a_card_lists_every_answer(metric: Any) -> None:
    (card,) = view_samples([record("a b", "<i>a</i> x", target="a b")], metric, audio=False)
    page = str(render_worst_samples([card], metric.name, "en"))
    for term in ("Reference", "Answer 1", "Answer 2"):
        assert f"<dt>{term}</dt>" in page
    assert "&lt;i&gt;a&lt;/i&gt; x" in page
    assert "<dt>Answer</dt>" not in page
    assert card.score


def test_a_card_shows_a_conversation_in_its_order() -> None:
    metric = aggregate_answers(exact_match, "turns")
    row = record("a dog", "no", target=["a cat", "no"], turns=USERS)
    (card,) = view_samples([row], metric, audio=False)
    page = str(render_worst_samples([card], metric.name, "en"))
    order = ["[audio a.wav] what?", "a dog", "a cat", "sure?"]
    assert [page.index(each) for each in order] == sorted(page.index(each) for each in order)
    assert page.count("<dt>Reference</dt>") == 2


@pytest.mark.slow
def test_samples_are_listed_turn_by_turn_on_the_terminal(auricle: Any, manifest: Any) -> None:
    row = {"id": "t", "turns": [{"user": "hello", "assistant": "hello"}, {"user": "bye"}]}
    data = manifest([row], "talk.jsonl")
    done = auricle("run", data, "--as", "chat", "-m", "echo", "-o", "out")
    assert done.returncode == 0, done.stderr
    listed = auricle("samples", "out").stdout.splitlines()
    assert [line.split(maxsplit=1) for line in listed[1:7]] == [
        ["user", "hello"],
        ["answer", "hello"],
        ["target", "hello"],
        ["user", "bye"],
        ["answer", "hello bye"],
        ["exact_match", "1.0"],
    ]
    (row,) = json.loads(auricle("samples", "out", "--json").stdout)
    assert [turn["parts"] for turn in row["turns"]] == [["hello"], ["bye"]]


def test_several_answers_are_listed_on_the_terminal(auricle: Any, manifest: Any) -> None:
    data = manifest([{"question": "x", "answer": "x"}])
    sampled = ("-T", "samples=2", "-T", "temperature=0.5", "-T", "answers=vote")
    done = auricle("run", data, "--as", "qa", "-m", "echo", "-o", "out", *sampled)
    assert done.returncode == 0, done.stderr
    listed = auricle("samples", "out").stdout
    assert "  answer 1  x\n  answer 2  x\n  exact_match 1.0" in listed


def test_a_call_is_shown_in_the_order_in_which_it_was_heard() -> None:
    call = Record(sample=Sample(id="1", inputs={}), row=0, outputs=(make_recording(),))
    assert transcript_lines(call) == (
        TranscriptLine("Caller", "When does the library open?"),
        TranscriptLine("Agent", "The library [cut off] (spoken, but not heard: opens at nine.)"),
        TranscriptLine("Caller", "Wait, I meant the pool."),
        TranscriptLine("Tool", "opening_hours(place='pool')"),
        TranscriptLine("Agent", "The pool opens at seven."),
        TranscriptLine("Caller", "[backchannel]"),
        TranscriptLine("Caller", "And on Sunday?"),
    )
