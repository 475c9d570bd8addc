"""Whole tasks in YAML: data, prompt, examples, inferencer, metrics, breakdowns."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import SpecError, evaluate
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec, resolve_task
from auricle.runs.run_directory import Run

ROWS = [
    {"id": "a", "question": "Capital of France?", "hint": "the Seine", "choices": ["Paris", "Rome"],
     "answer": "Paris", "subset": "x"},
    {"id": "b", "question": "Capital of Italy?", "hint": "the Tiber", "choices": ["Paris", "Rome"],
     "answer": "B", "subset": "y", "max_tokens": 3},
    {"id": "c", "question": "Capital of Spain?", "hint": "Iberia", "choices": ["Madrid", "Rome"],
     "answer": "Madrid", "subset": "y"},
]  # fmt: skip


@pytest.fixture
def write(manifest: Any, tmp_path: Path) -> Any:
    manifest(ROWS, "quiz.jsonl")

    def write(text: Any, name: str = "task.yaml") -> Any:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def task(path: Any, **arguments: Any) -> Any:
    kind, given = resolve_task(path, None, arguments)
    return build_task(Spec(task=kind, task_args=given, model="echo"))


def first_request(made: Any) -> Any:
    return made.inferencer.request(next(iter(made.samples)))


def test_a_task_file_says_everything_a_task_is(write: Any) -> None:
    made = task(
        write(
            "kind: mcq\n"
            "data: quiz.jsonl\n"
            "prompt:\n"
            "  system: You know {subset}.\n"
            "  turns:\n"
            "    - user: ['{question} Think of ', '{hint}.']\n"
            "    - assistant: 'Answer:'\n"
            "shots: {use: fixed, ids: [c]}\n"
            "max_tokens: 4\n"
            "stop: ['.']\n"
            "metrics: [option_accuracy]\n"
            "by: [subset]\n"
        )
    )
    request = first_request(made)
    assert [(turn.role, turn.parts) for turn in request.turns] == [
        ("system", ("You know x.",)),
        ("user", ("Capital of Spain? Think of Iberia.",)),
        ("assistant", ("Answer: A",)),
        ("user", ("Capital of France? Think of the Seine.",)),
        ("assistant", ("Answer:",)),
    ]
    assert (request.max_tokens, request.stop, made.group_by) == (4, (".",), ("subset",))
    assert [metric.name for metric in made.metrics] == ["option_accuracy"]


def test_a_task_file_extends_another(write: Any, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "quiz.jsonl").rename(tmp_path / "shared" / "quiz.jsonl")
    write(
        "kind: mcq\ndata: quiz.jsonl\nlanguage: en\nmax_tokens: 9\nprompt: {system: Be brief., turns: '{question}'}\n",
        "shared/base.yaml",
    )
    path = write("extends: shared/base.yaml\nlanguage: null\nprompt: {system: Be kind.}\n")
    kind, given = resolve_task(path, None, {})
    assert kind == "mcq"
    assert given == {
        "name": "task",
        "data": str(tmp_path / "shared" / "quiz.jsonl"),
        "max_tokens": 9,
        "prompt": {"system": "Be kind.", "turns": "{question}"},
    }


def test_files_that_extend_each_other_in_a_circle_are_refused(write: Any) -> None:
    write("extends: task.yaml\n", "other.yaml")
    with pytest.raises(SpecError, match="more than 20 files: a circle"):
        resolve_task(write("extends: other.yaml\nkind: mcq\n"), None, {})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind: mcqq\ndata: quiz.jsonl\n", "task.yaml:1: No task called 'mcqq'. Did you mean mcq?"),
        ("kind: mcq\ndata: quiz.jsonl\nmetrcs: [acc]\n", "task.yaml:3: mcq takes no option"),
        ("kind: mcq\ndata: quiz.jsonl\nmetrics:\n- acc\n- nope\n", "task.yaml:5: No metric"),
        ("kind: mcq\ndata: quiz.jsonl\nprompt: '{question} {answer}'\n", "task.yaml:3: The prompt"),
        ("kind: mcq\ndata: quiz.jsonl\nprompt:\n  turns:\n  - user: x\n  - robot: y\n",
         "task.yaml:6: The prompt should say `user:`"),
        ("kind: mcq\ndata: quiz.jsonl\nprompt: '{questoin}'\n",
         "task.yaml:3: The prompt shows {questoin}, and no row has it. It can show question"),
        ("kind: mcq\ndata: quiz.jsonl\nshots:\n  use: bm52\n", "task.yaml:4: No retriever"),
        ("kind: mcq\ndata: quiz.jsonl\nshots:\n  use: bm25\n  kk: 3\n", "task.yaml:5:"),
        ("kind: mcq\ndata: quiz.jsonl\ninferencer:\n  use: choose\n  optoin: x\n",
         "task.yaml:5: The inferencer choose takes no optoin"),
        ("kind: mcq\ndata: quiz.jsonl\ninferencer: chose\n", "task.yaml:3: No inferencer"),
        ("kind: mcq\ndata: quiz.jsonl\nsamples: 3\n", "task.yaml:3: 3 answers to the same"),
        ("kind: mcq\ndata: quiz.jsonl\nanswers: voet\n", "task.yaml:3: answers should be vote"),
        ("kind: mcq\ndata: quiz.jsonl\nmax_tokens: many\n", "task.yaml:3: max_tokens should be"),
        ("kind: mcq\ndata: quiz.jsonl\nkind: qa\n", "task.yaml:3: kind is given twice."),
        ("data: quiz.jsonl\n", "task.yaml says no kind"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(write: Any, text: str, told: str) -> None:
    with pytest.raises(SpecError) as refused:
        resolve_task(write(text), None, {})
    assert told in str(refused.value)


def test_a_mistake_in_the_extended_file_is_told_with_that_file(write: Any) -> None:
    write("kind: mcq\ndata: quiz.jsonl\nmetrics: [nope]\n", "base.yaml")
    with pytest.raises(SpecError, match=r"base\.yaml:3: No metric called 'nope'"):
        resolve_task(write("extends: base.yaml\n"), None, {})


def test_a_row_has_the_last_word_on_how_long_its_answer_may_be(write: Any) -> None:
    made = task(write("kind: mcq\ndata: quiz.jsonl\nmax_tokens: 50\n"))
    limits = [made.inferencer.request(sample).max_tokens for sample in made.samples]
    assert limits == [50, 3, 50]


MINE = """
from dataclasses import dataclass, replace
from auricle.tasks.inferencers import Respond
from auricle.core.types import Turn

@dataclass(frozen=True)
class Twice(Respond):
    '''Asks, then asks whether that is sure.'''

    async def __call__(self, sample, ask):
        request = self.request(sample)
        first = await ask(request)
        again = Turn("assistant", (first.text,)), Turn("user", ("Sure?",))
        return (await ask(replace(request, turns=(*request.turns, *again))),)
"""


@pytest.mark.parametrize("model", ["echo", "fake-api"])
def test_an_inferencer_of_ones_own_serves_local_and_remote_models(write: Any, tmp_path: Path, model: str) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    path = write("kind: qa\ndata: quiz.jsonl\nprompt: '{question}'\ninferencer: mine.py:Twice\n")
    kind, given = resolve_task(path, None, {})
    evaluate(Spec(task=kind, task_args=given, model=model), tmp_path / "run")
    records = list(Run.load(tmp_path / "run").records())
    assert len(records) == 3
    assert all("Sure?" in record.outputs[0].text for record in records)


def test_a_changed_column_that_the_prompt_shows_is_asked_again(write: Any, manifest: Any, tmp_path: Path) -> None:
    path = write("kind: qa\ndata: quiz.jsonl\nprompt: '{question} {hint}'\n")
    kind, given = resolve_task(path, None, {})
    spec = Spec(task=kind, task_args=given, model="echo")
    evaluate(spec, tmp_path / "run")
    manifest([{**ROWS[0], "hint": "croissants"}, *ROWS[1:]], "quiz.jsonl")
    evaluate(spec, tmp_path / "run")
    answers = {r.sample.id: r.outputs[0].text for r in Run.load(tmp_path / "run").records()}
    assert answers["a"].endswith("croissants")


def test_the_chosen_examples_are_on_record(write: Any, tmp_path: Path) -> None:
    path = write("kind: mcq\ndata: quiz.jsonl\nshots: {use: random, k: 2, seed: 7}\n")
    kind, given = resolve_task(path, None, {})
    evaluate(Spec(task=kind, task_args=given, model="echo"), tmp_path / "run")
    records = list(Run.load(tmp_path / "run").records())
    assert all(len(set(r.sample.meta["shots"]) - {r.sample.id}) == 2 for r in records)
    identity = json.loads((tmp_path / "run" / "spec.json").read_text())["identity"]
    assert "random" in identity["inferencer"]


def test_options_are_chosen_by_likelihood_where_the_file_says_so(write: Any, tmp_path: Path) -> None:
    path = write(
        "kind: mcq\ndata: quiz.jsonl\nprompt: '{question}'\n"
        "inferencer: {use: choose, option: ' {choice}', unconditional: true, whole: true}\n"
    )
    kind, given = resolve_task(path, None, {})
    numbers = evaluate(Spec(task=kind, task_args=given, model="echo"), tmp_path / "run")
    assert [number.metric for number in numbers] == [
        "acc", "acc_token", "acc_char", "acc_byte", "acc_pmi", "acc_whole",
    ]  # fmt: skip
    record = next(iter(Run.load(tmp_path / "run").records()))
    assert [(output.text, output.conditioned_on) for output in record.outputs] == [
        (" Paris", "context"), (" Rome", "context"),
        (" Paris", "nothing"), (" Rome", "nothing"),
        (" Paris", "itself"), (" Rome", "itself"),
    ]  # fmt: skip


def test_numbers_are_broken_down_by_the_fields_that_are_named(write: Any, tmp_path: Path) -> None:
    path = write("kind: qa\ndata: quiz.jsonl\nby: [hint, nowhere]\n")
    kind, given = resolve_task(path, None, {})
    evaluate(Spec(task=kind, task_args=given, model="echo"), tmp_path / "run")
    document = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "no sample has the meta field 'nowhere'" in document["refused"]["by nowhere"]
    assert {number["field"] for number in document["numbers"]} <= {"", "hint"}
