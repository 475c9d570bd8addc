"""Tests of the options of multiple-choice rows, and of what integer answers mean."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from auricle import Generation, Sample, Spec, SpecError, evaluate
from auricle.core.types import LogLikelihood, RejectedRow
from auricle.engine.catalogue import TASKS
from auricle.engine.inferencers import preview_requests
from auricle.engine.task import Task
from auricle.runs.run_directory import Run
from auricle.tasks.questions.multiple_choice import parse_integer

ANIMALS = ["cat", "dog", "cow"]
WriteRows = Callable[[list[dict[str, Any]]], Path]


def build(path: Path, **options: Any) -> Task:
    task: Task = TASKS.get("mcq")(data=str(path), **options)
    return task


def rows(answers: Sequence[Any], choices: Sequence[Any] = ANIMALS) -> list[dict[str, Any]]:
    return [{"question": "Which?", "choices": list(choices), "answer": answer} for answer in answers]


def targets(task: Task) -> list[Any]:
    return [row.target if isinstance(row, Sample) else row.reason for row in task.samples]


# --- integers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "expected", "reason"),
    [
        ([1, 2, 0], ["dog", "cow", "cat"], "count options from 0: they are 0 in 1 row."),
        ([1, 2, 3], ["cat", "dog", "cow"], "count options from 1: they are the number of options in 1 row."),
        (["1", "(3)", 2.0], ["cat", "cow", "dog"], "from 1"),
        (["dog", "A", 3, 1], ["dog", "A", "cow", "cat"], "Integer answers (2) count options from 1"),
    ],
)
def test_the_whole_file_decides_from_where_options_are_counted(
    manifest: WriteRows, answers: list[Any], expected: list[str], reason: str
) -> None:
    task = build(manifest(rows(answers)))
    assert targets(task) == expected
    (note,) = task.notes("echo", {})
    assert reason in note


def test_the_decisive_row_may_be_the_last_and_outside_the_rows_in_use(manifest: WriteRows) -> None:
    path = manifest(rows([1] * 200 + [3]))
    task = build(path, rows="[:2]")
    assert targets(task) == ["cat", "cat"]


def test_a_limit_does_not_change_the_decision_and_the_run_states_it(manifest: WriteRows, tmp_path: Path) -> None:
    path = manifest(rows([1, 2, 3]))
    evaluate(Spec(task="mcq", task_args={"data": str(path)}, model="echo", limit=1), tmp_path / "run")
    run = Run.load(tmp_path / "run")
    assert [record.sample.target for record in run.records()] == ["cat"]
    assert "count options from 1" in run.read_progress().notes[0]


def test_integers_that_are_texts_of_options_are_texts(manifest: WriteRows) -> None:
    task = build(manifest(rows([2, "3"], choices=["1", "2", "3"])))
    assert targets(task) == ["2", "3"]
    assert "are texts of options" in task.notes("echo", {})[0]


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (rows([1, 2, 1]), r"do not show whether .* from 0 or from 1, because none is 0 or the number of options"),
        (rows([0, 3]), r"mine.jsonl:1 is 0, .* that of mine.jsonl:2 is the number of options"),
        (
            [*rows([1, 0]), *rows([1], choices=["1", "2", "4"])],
            r"some .* texts of options \(1, such as in mine.jsonl:3\)",
        ),
        ([{"question": "Which animal?", "answer": 2}], r"do not show"),
    ],
)
def test_a_file_that_does_not_decide_is_refused_with_what_to_write(
    manifest: WriteRows, written: list[dict[str, Any]], problem: str
) -> None:
    task = build(manifest(written))
    for read in (task.samples.validate, lambda: task.notes("echo", {}), lambda: list(task.samples)):  # type: ignore[attr-defined]
        with pytest.raises(SpecError, match=problem + r".* -T integer_answers=0-based\|1-based\|text"):
            read()


def test_a_file_is_refused_before_the_run_if_its_first_integer_is_far_behind(manifest: WriteRows) -> None:
    task = build(manifest(rows(["cat"] * 100 + [1])))
    with pytest.raises(SpecError, match="integer answers"):
        task.samples.validate()  # type: ignore[attr-defined]


def test_zero_is_not_the_last_option_of_a_file_that_counts_from_1(manifest: WriteRows) -> None:
    task = build(manifest(rows([0])), integer_answers="1-based")
    assert targets(task) == ["the answer 0 is not one of the 3 options (counted from 1)"]


def test_as_many_options_as_letters_are_possible(manifest: WriteRows) -> None:
    assert targets(build(manifest(rows([26], choices=[f"c{index}" for index in range(26)])))) == ["c25"]


@pytest.mark.parametrize("question", ["Is it vitamin A. or none?", "Which?"])
def test_a_row_without_options_needs_a_letter(manifest: WriteRows, question: str) -> None:
    task = build(manifest([{"question": question, "answer": answer} for answer in ("b", "guitar")]))
    assert targets(task) == ["b", "the row has no options, and the answer 'guitar' is not a letter"]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("0-based", ["dog", "the answer 3 is not one of the 3 options (counted from 0)"]),
        ("1-based", ["cat", "cow"]),
        (
            "text",
            ["the answer 1 is not one of the 3 options (as text)"] * 1
            + ["the answer 3 is not one of the 3 options (as text)"],
        ),
    ],
)
def test_a_stated_meaning_is_used_and_rows_that_do_not_fit_are_rejected(
    manifest: WriteRows, stated: str, expected: list[str]
) -> None:
    task = build(manifest(rows([1, 3])), integer_answers=stated)
    assert targets(task) == expected
    assert task.notes("echo", {}) == []


def test_an_unknown_meaning_is_refused(manifest: WriteRows) -> None:
    with pytest.raises(SpecError, match="Invalid integer_answers 'two': expected one of 0-based, 1-based, text"):
        build(manifest([]), integer_answers="two")


def test_an_integer_without_options_becomes_a_letter(manifest: WriteRows) -> None:
    written = [{"question": "Which animal did you hear?", "answer": answer} for answer in (0, 2)]
    assert targets(build(manifest(written))) == ["A", "C"]


def test_the_number_of_an_option_counts_even_if_its_text_looks_like_a_letter(manifest: WriteRows) -> None:
    task = build(manifest(rows([1, 0], choices=["C", "A", "B"])))
    sample = next(iter(task.samples))
    assert isinstance(sample, Sample)
    assert sample.target == "A"
    assert task.metrics[0].score(sample, Generation(text="A")) == 1.0


def test_files_without_integers_have_no_note(manifest: WriteRows) -> None:
    assert build(manifest(rows(["A", "dog"]))).notes("echo", {}) == []


def test_examples_are_read_by_the_decision_of_their_own_file(manifest: WriteRows, tmp_path: Path) -> None:
    pool = tmp_path / "pool.jsonl"
    pool.write_text(
        "".join(json.dumps({"id": f"p{row['answer']}", **row, "question": "What?"}) + "\n" for row in rows([3, 1]))
    )
    task = build(manifest(rows([0, 1])), shots={"use": "fixed", "ids": ["p3"], "pool": str(pool)})
    sample = next(iter(task.samples))
    assert isinstance(sample, Sample)
    (request,) = asyncio.run(preview_requests(task.inferencer, sample))
    assert [turn.parts for turn in request.turns if turn.role == "assistant"] == [("C",)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("target", "number"),
    [
        (2, 2),
        ("2", 2),
        (26, 26),
        (" (2). ", 2),
        (2.0, 2),
        (2.5, None),
        ("B", None),
        ("1969", None),
        ("²", None),
        (True, None),
    ],
)
def test_what_counts_as_an_integer(target: Any, number: int | None) -> None:
    assert parse_integer(target) == number


# --- what is asked for and what is scored ------------------------------------------------


def scored_and_asked(task: Task) -> tuple[list[str], str]:
    """Return the continuations of the first sample, and the prompt before them."""
    sample = next(iter(task.samples))
    assert isinstance(sample, Sample)
    requests = asyncio.run(preview_requests(task.inferencer, sample))
    assert all(isinstance(request, LogLikelihood) for request in requests)
    first: Any = requests[0]
    return [request.continuation.strip() for request in requests], first.turns[-1].parts[-1]  # type: ignore[union-attr]


@pytest.mark.parametrize("question", ["Is it a cat or a dog?", "Concatenate dogma: which?", "A) dog B) cat?"])
def test_options_are_listed_with_letters_even_if_the_question_mentions_them(manifest: WriteRows, question: str) -> None:
    path = manifest([{"question": question, "choices": ["cat", "dog"], "answer": "cat"}])
    scored, prompt = scored_and_asked(build(path, inferencer="choose"))
    assert prompt == f"{question}\nA. cat\nB. dog\nAnswer with the letter of the right option."
    assert scored == ["A", "B"]


@pytest.mark.parametrize("question", ["A) cat B) dog?", "（A）cat（B）dog", "A. cat\nB. dog"])
def test_options_that_the_question_lists_with_letters_are_not_repeated(manifest: WriteRows, question: str) -> None:
    path = manifest([{"question": question, "choices": ["cat", "dog"], "answer": "cat"}])
    scored, prompt = scored_and_asked(build(path, inferencer="choose"))
    assert prompt == f"{question}\nAnswer with the letter of the right option."
    assert scored == ["A", "B"]


def test_the_default_prompt_asks_for_the_text_if_the_text_is_scored(manifest: WriteRows) -> None:
    path = manifest(rows(["dog"]))
    scored, prompt = scored_and_asked(build(path, inferencer={"use": "choose", "option": "{choice}"}))
    assert scored == ANIMALS
    assert prompt.endswith("Answer with the text of the right option, without its letter.")


@pytest.mark.parametrize(
    ("question", "prompt", "option", "answer"),
    [
        ("A. cat B. dog C. cow?", "{question}", "", "B"),
        ("Which?", "{question}", "", "dog"),
        ("Which?", "{question}{options}", "", "B"),
        ("Which?", "{question}", "{letter}. {choice}", "B. dog"),
    ],
)
def test_examples_show_answers_as_they_are_scored(
    manifest: WriteRows, question: str, prompt: str, option: str, answer: str
) -> None:
    numbered = enumerate(rows(["cat", "dog"]))
    path = manifest([{**row, "question": f"{index} {question}", "id": str(index)} for index, row in numbered])
    inferencer = {"use": "choose", "option": option}
    task = build(path, inferencer=inferencer, prompt=prompt, shots={"use": "fixed", "ids": ["1"]})
    sample = next(iter(task.samples))
    assert isinstance(sample, Sample)
    requests: Any = asyncio.run(preview_requests(task.inferencer, sample))
    shown = [turn.parts for turn in requests[0].turns if turn.role == "assistant"]
    assert shown == [(answer,)]
    assert requests[1].continuation.strip() == answer


def test_a_row_without_options_cannot_be_chosen_from(manifest: WriteRows) -> None:
    task = build(manifest([{"question": "Which?", "answer": "B"}]), inferencer="choose")
    sample = next(iter(task.samples))
    assert not isinstance(sample, RejectedRow)
    with pytest.raises(Exception, match="needs two or more options; the row has 0"):
        asyncio.run(preview_requests(task.inferencer, sample))
