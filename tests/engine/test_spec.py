"""Specs from Python and YAML, and task files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from auricle import Generation, Likelihood, Sample, Spec, SpecError, Task, evaluate
from auricle.core.redaction import SECRETS
from auricle.core.types import Output
from auricle.engine.factory import build_task
from auricle.engine.inferencers import Respond
from auricle.engine.spec import JudgeSpec, format_arguments, parse_arguments, resolve_task, resolve_tasks
from auricle.engine.task_files import TaskReference
from auricle.runs.run_directory import Run


def test_unknown_field_is_rejected() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        Spec.model_validate({"task": "a", "model": "b", "modle_args": {}})


def test_resolved_paths_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    resolved = Spec(task="asr", task_args={"data": "x.jsonl"}, model="mine.py:f").resolved()
    assert resolved.task_args["data"] == str(tmp_path / "x.jsonl")
    assert resolved.model == f"{tmp_path / 'mine.py'}:f"
    assert Spec(task="asr", task_args={"data": "hf:a/b"}, model="m").resolved().task_args == {"data": "hf:a/b"}


def test_identity_ignores_how_a_server_is_reached() -> None:
    reached = {"api_key": "sk-1", "api_key_env": "KEY", "headers": {"X": "y"}, "read_timeout": 9, "rpm": 6}
    first = Spec(task="demo", model="openai", model_args={"base_url": "http://a", "model": "m"})
    second = Spec(task="demo", model="openai", model_args={"base_url": "http://a", "model": "m", **reached})
    assert first.identity() == second.identity()
    assert first.identity() != Spec(task="demo", model="openai", model_args={"base_url": "http://b"}).identity()


def test_identity_ignores_scoring_arguments() -> None:
    first = Spec(task="asr", task_args={"data": "x", "profile": "zh", "cluster": "s"}, model="m")
    second = Spec(task="asr", task_args={"data": "x"}, model="m", profile="basic", limit=3)
    assert first.identity() == second.identity()
    assert first.identity() != Spec(task="asr", task_args={"data": "y"}, model="m").identity()


def test_scoring_arguments_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = Spec(task="qa", task_args={"data": "x", "metrics": "wer"}, model="m", profile="basic")
    changed = spec.with_scoring({"metrics": "cer", "rubric": "r.yaml"})
    assert changed.task_args == {"data": "x", "metrics": "cer", "rubric": str(tmp_path / "r.yaml")}
    assert (changed.profiles, spec.with_scoring({}, "zh").profiles) == (("basic",), ("zh",))
    assert spec.with_scoring({"licence": "MIT"}).task_args["licence"] == "MIT"


@pytest.mark.parametrize("name", ["data", "prompt", "max_tokens", "target", "version"])
def test_arguments_of_requests_and_rows_cannot_be_replaced_by_scoring(name: str) -> None:
    with pytest.raises(SpecError, match=f"{name} cannot change when a run is scored again"):
        Spec(task="qa", model="m").with_scoring({name: "x"})


def test_data_file_with_a_kind_is_a_task() -> None:
    assert resolve_task("x.csv", "mcq", {"language": "en"}) == TaskReference("mcq", {"data": "x.csv", "language": "en"})
    assert resolve_task("hf:a/b", "asr", {}) == TaskReference("asr", {"data": "hf:a/b"})
    for data in ("s3://bucket/a-{00..09}.tar", "speech/", "https://host/rows.jsonl?token=1", "data/*.parquet"):
        assert resolve_task(data, "asr", {}) == TaskReference("asr", {"data": data})


def test_a_name_is_a_task_with_the_arguments_of_the_command_line() -> None:
    assert resolve_task("librispeech", None, {"split": "test"}) == TaskReference("librispeech", {"split": "test"})


def test_a_pattern_stands_for_all_tasks_that_it_matches_and_a_data_file_for_one() -> None:
    assert resolve_tasks("meld*", None, {"root": "x"}) == [
        TaskReference("meld", {"root": "x"}),
        TaskReference("meld-choice", {"root": "x"}),
    ]
    assert resolve_tasks("x.csv", "qa", {}) == [TaskReference("qa", {"data": "x.csv"})]


def test_command_line_overrides_a_task_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("kind: asr\ndata: sub/x.jsonl\nlanguage: en\n")
    reference = resolve_task(str(path), None, {"language": "zh"})
    assert reference.task == "asr"
    assert reference.arguments == {"name": "mine", "data": str(tmp_path / "sub/x.jsonl"), "language": "zh"}


def test_arguments_are_json_or_text() -> None:
    assert parse_arguments(["a=1", "b=[1, 2]", "c=x=y", "d="]) == {"a": 1, "b": [1, 2], "c": "x=y", "d": ""}
    with pytest.raises(SpecError, match="'nothing' should be KEY=VALUE"):
        parse_arguments(["nothing"])


def test_judge_may_be_given_by_name() -> None:
    assert Spec.model_validate({"task": "a", "model": "b", "judge": "openai"}).judges == (JudgeSpec(model="openai"),)


def test_public_fields_contain_no_secret() -> None:
    judge = JudgeSpec(model="openai", args={"api_key": "sk-2"})
    public = Spec(task="a", model="b", model_args={"api_key": "sk-1"}, judge=judge).public()
    assert public["model_args"] == {"api_key": "…"}
    assert public["judge"] == {"model": "openai", "args": {"api_key": "…"}}


# --- task files ----------------------------------------------------------------------

ROWS: list[dict[str, Any]] = [
    {"id": "a", "question": "Capital of France?", "hint": "the Seine", "choices": ["Paris", "Rome"],
     "answer": "Paris", "subset": "x"},
    {"id": "b", "question": "Capital of Italy?", "hint": "the Tiber", "choices": ["Paris", "Rome"],
     "answer": "B", "subset": "y", "max_tokens": 3},
    {"id": "c", "question": "Capital of Spain?", "hint": "Iberia", "choices": ["Madrid", "Rome"],
     "answer": "Madrid", "subset": "y"},
]  # fmt: skip


@pytest.fixture
def write(manifest: Any, tmp_path: Path) -> Callable[..., str]:
    manifest(ROWS, "quiz.jsonl")

    def write(text: str, name: str = "task.yaml") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def text_of(output: Output) -> str:
    assert isinstance(output, Generation)
    return output.text


def load_spec(path: str, model: str = "echo") -> Spec:
    reference = resolve_task(path, None, {})
    return Spec(task=reference.task, task_args=reference.arguments, model=model).with_locations(reference.locations)


def first_sample(task: Task) -> Sample:
    sample = next(iter(task.samples))
    assert isinstance(sample, Sample)
    return sample


def test_task_file_defines_all_parts_of_a_task(write: Callable[..., str]) -> None:
    path = write(
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
    task = build_task(load_spec(path))
    assert isinstance(task.inferencer, Respond)
    request = task.inferencer.request(first_sample(task))
    assert [(turn.role, turn.parts) for turn in request.turns] == [
        ("system", ("You know x.",)),
        ("user", ("Capital of Spain? Think of Iberia.",)),
        ("assistant", ("Answer: A",)),
        ("user", ("Capital of France? Think of the Seine.",)),
        ("assistant", ("Answer:",)),
    ]
    assert (request.max_tokens, request.stop, task.group_by) == (4, (".",), ("subset",))
    assert [metric.name for metric in task.metrics] == ["option_accuracy"]


def test_task_file_extends_another(write: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "quiz.jsonl").rename(tmp_path / "shared" / "quiz.jsonl")
    write(
        "kind: mcq\ndata: quiz.jsonl\nlanguage: en\nmax_tokens: 9\nprompt: {system: Be brief., turns: '{question}'}\n",
        "shared/base.yaml",
    )
    path = write("extends: shared/base.yaml\nlanguage: null\nprompt: {system: Be kind.}\n")
    reference = resolve_task(path, None, {})
    assert reference.task == "mcq"
    assert reference.arguments == {
        "name": "task",
        "data": str(tmp_path / "shared" / "quiz.jsonl"),
        "max_tokens": 9,
        "prompt": {"system": "Be kind.", "turns": "{question}"},
    }


def test_cycle_of_extends_is_rejected(write: Callable[..., str]) -> None:
    write("extends: task.yaml\n", "other.yaml")
    with pytest.raises(SpecError, match=r"extends more than 20 files\. Check for a cycle"):
        resolve_task(write("extends: other.yaml\nkind: mcq\n"), None, {})


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("kind: mcqq\ndata: quiz.jsonl\n", 1, "'mcqq'"),
        ("kind: mcq\ndata: quiz.jsonl\nmetrcs: [acc]\n", 3, "metrcs"),
        ("kind: mcq\ndata: quiz.jsonl\nmetrics:\n- acc\n- nope\n", 5, "'nope'"),
        ("kind: mcq\ndata: quiz.jsonl\nprompt: '{question} {answer}'\n", 3, "answer"),
        ("kind: mcq\ndata: quiz.jsonl\nprompt:\n  turns:\n  - user: x\n  - robot: y\n", 6, "user"),
        ("kind: mcq\ndata: quiz.jsonl\nprompt: '{questoin}'\n", 3, "{questoin}"),
        ("kind: mcq\ndata: quiz.jsonl\nshots:\n  use: bm52\n", 4, "'bm52'"),
        ("kind: mcq\ndata: quiz.jsonl\nshots:\n  use: bm25\n  kk: 3\n", 5, "kk"),
        ("kind: mcq\ndata: quiz.jsonl\ninferencer:\n  use: choose\n  optoin: x\n", 5, "optoin"),
        ("kind: mcq\ndata: quiz.jsonl\ninferencer: chose\n", 3, "'chose'"),
        ("kind: mcq\ndata: quiz.jsonl\nsamples: 3\n", 3, "same"),
        ("kind: mcq\ndata: quiz.jsonl\nanswers: voet\n", 3, "vote"),
        ("kind: mcq\ndata: quiz.jsonl\nmax_tokens: many\n", 3, "max_tokens"),
        ("kind: mcq\ndata: quiz.jsonl\nkind: qa\n", 3, "kind is given twice."),
    ],
)
def test_error_names_the_line(write: Callable[..., str], text: str, line: int, word: str) -> None:
    with pytest.raises(SpecError) as error:
        build_task(load_spec(write(text)))
    assert f"task.yaml:{line}: " in str(error.value)
    assert word in str(error.value)


def test_task_file_without_kind_is_rejected(write: Callable[..., str]) -> None:
    with pytest.raises(SpecError, match=r"task\.yaml: missing field 'kind'\. Expected one of: asr, chat"):
        resolve_task(write("data: quiz.jsonl\n"), None, {})


def test_error_in_the_extended_file_names_that_file(write: Callable[..., str]) -> None:
    write("kind: mcq\ndata: quiz.jsonl\nmetrics: [nope]\n", "base.yaml")
    with pytest.raises(SpecError, match=r"base\.yaml:3: Unknown metric 'nope'"):
        build_task(load_spec(write("extends: base.yaml\n")))


def test_row_overrides_max_tokens(write: Callable[..., str]) -> None:
    task = build_task(load_spec(write("kind: mcq\ndata: quiz.jsonl\nmax_tokens: 50\n")))
    assert isinstance(task.inferencer, Respond)
    limits = [task.inferencer.request(sample).max_tokens for sample in task.samples if isinstance(sample, Sample)]
    assert limits == [50, 3, 50]


MINE = """
from dataclasses import dataclass, replace
from auricle.engine.inferencers import Respond
from auricle.core.types import Turn

@dataclass(frozen=True)
class Twice(Respond):
    '''Sends the question, then asks for confirmation.'''

    async def __call__(self, sample, ask):
        request = self.request(sample)
        first = await ask(request)
        confirmation = Turn("assistant", (first.text,)), Turn("user", ("Sure?",))
        return (await ask(replace(request, turns=(*request.turns, *confirmation))),)
"""


@pytest.mark.parametrize("model", ["echo", "fake-api"])
def test_custom_inferencer_works_with_batch_and_async_models(
    write: Callable[..., str], tmp_path: Path, model: str
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    path = write("kind: qa\ndata: quiz.jsonl\nprompt: '{question}'\ninferencer: mine.py:Twice\n")
    evaluate(load_spec(path, model), tmp_path / "run")
    records = list(Run.load(tmp_path / "run").records())
    assert len(records) == 3
    assert all("Sure?" in text_of(record.outputs[0]) for record in records)


def test_changed_column_of_the_prompt_is_sent_again(write: Callable[..., str], manifest: Any, tmp_path: Path) -> None:
    path = write("kind: qa\ndata: quiz.jsonl\nprompt: '{question} {hint}'\n")
    spec = load_spec(path)
    evaluate(spec, tmp_path / "run")
    manifest([{**ROWS[0], "hint": "croissants"}, *ROWS[1:]], "quiz.jsonl")
    evaluate(spec, tmp_path / "run")
    answers = {record.sample.id: text_of(record.outputs[0]) for record in Run.load(tmp_path / "run").records()}
    assert answers["a"].endswith("croissants")


def test_chosen_examples_are_recorded(write: Callable[..., str], tmp_path: Path) -> None:
    path = write("kind: mcq\ndata: quiz.jsonl\nshots: {use: random, k: 2, seed: 7}\n")
    evaluate(load_spec(path), tmp_path / "run")
    records = list(Run.load(tmp_path / "run").records())
    for record in records:
        shots = record.sample.meta["shots"]
        assert isinstance(shots, list)
        assert len({*shots} - {record.sample.id}) == 2
    identity = json.loads((tmp_path / "run" / "spec.json").read_text())["identity"]
    assert "random" in identity["inferencer"]


def test_task_file_can_choose_options_by_likelihood(write: Callable[..., str], tmp_path: Path) -> None:
    path = write(
        "kind: mcq\ndata: quiz.jsonl\nprompt: '{question}'\n"
        "inferencer: {use: choose, option: ' {choice}', unconditional: true, whole: true}\n"
    )
    numbers = evaluate(load_spec(path), tmp_path / "run")
    assert [number.metric for number in numbers] == [
        "acc", "acc_token", "acc_char", "acc_byte", "acc_pmi", "acc_whole",
    ]  # fmt: skip
    record = next(iter(Run.load(tmp_path / "run").records()))
    outputs = [output for output in record.outputs if isinstance(output, Likelihood)]
    assert [(output.text, output.conditioned_on) for output in outputs] == [
        (" Paris", "context"), (" Rome", "context"),
        (" Paris", "nothing"), (" Rome", "nothing"),
        (" Paris", "itself"), (" Rome", "itself"),
    ]  # fmt: skip


def test_numbers_are_grouped_by_the_named_fields(write: Callable[..., str], tmp_path: Path) -> None:
    path = write("kind: qa\ndata: quiz.jsonl\nby: [hint, nowhere]\n")
    evaluate(load_spec(path), tmp_path / "run")
    document = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "'nowhere'" in document["not_computed"]["by nowhere"]
    assert {number["field"] for number in document["numbers"]} <= {"", "hint"}


def test_a_file_with_one_class_of_another_framework_is_stored_with_its_path_and_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("class Mine:\n    def generate_until(self, requests):\n        return []\n")
    monkeypatch.chdir(tmp_path)
    spec = Spec(task="demo", model="lmms:mine.py").resolved()
    assert spec.model == f"lmms:{tmp_path}/mine.py:Mine"


def test_one_or_several_profiles_are_accepted() -> None:
    assert Spec(task="qa", model="m", profile="zh").profiles == ("zh",)
    spec = Spec(task="qa", model="m", profile=("basic", "zh"))
    assert Spec.model_validate(spec.public()).profiles == ("basic", "zh")
    assert Spec(task="qa", model="m").profiles == ()


def test_judge_is_parsed_from_its_name_or_its_fields() -> None:
    judge = JudgeSpec(model="echo", args={"reply": "yes"})
    assert JudgeSpec.parse(judge) is judge
    assert JudgeSpec.parse("echo") == JudgeSpec(model="echo")
    assert JudgeSpec.parse({"model": "echo", "args": {"reply": "yes"}}) == judge


def test_file_of_a_judge_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    judge = Spec(task="demo", model="echo", judge=JudgeSpec(model="mine.py:J")).resolved().judge
    assert isinstance(judge, JudgeSpec)
    assert judge.model == f"{tmp_path / 'mine.py'}:J"


GENERATED = "hf_aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3b"


def test_public_fields_and_identity_keep_the_data_of_a_task() -> None:
    spec = Spec(task="qa", task_args={"shard": GENERATED, "api_key": "sk-1"}, model="echo")
    assert spec.public() == {
        "task": "qa",
        "model": "echo",
        "task_args": {"shard": GENERATED, "api_key": "…"},
        "model_args": {},
    }
    assert spec.identity()["task_args"] == {"shard": GENERATED, "api_key": "…"}


def test_secrets_of_model_and_judge_are_registered() -> None:
    judge = JudgeSpec(model="echo", args={"api_key": "sk-1234-judge-5678"})
    Spec(task="demo", model="echo", model_args={"api_key": "sk-8765-model-4321"}, judge=judge).register_secrets()
    assert SECRETS.redact("sk-1234-judge-5678 and sk-8765-model-4321") == "… and …"


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("kimi:data.jsonl", "qa", r"is a data file, not a task: leave out the prefix kimi:"),
        ("data.jsonl", None, r"data\.jsonl is a data file: choose the kind of task with --as .*qa"),
        ("hf:org/data", None, r"is a data file: choose the kind of task"),
        ("demo", "qa", r"--as qa needs a data file, and 'demo' is not one"),
    ],
)
def test_name_that_does_not_fit_the_kind_is_refused(name: str, kind: str | None, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        resolve_task(name, kind, {})


def test_a_folder_is_data_with_and_without_a_slash(tmp_path: Path) -> None:
    for name in (str(tmp_path), f"{tmp_path}/"):
        assert resolve_task(name, "qa", {}) == TaskReference("qa", {"data": name})


@pytest.mark.parametrize("content", ["meta_template: {round: [a]}\n", "round: [a]\n"])
def test_chat_format_is_stored_with_its_content(tmp_path: Path, content: str) -> None:
    path = tmp_path / "format.yaml"
    path.write_text(content)
    resolved = Spec(task="demo", model="echo", model_args={"meta_template": str(path), "reply": "x"}).resolved()
    assert resolved.model_args == {"meta_template": {"round": ["a"]}, "reply": "x"}


@pytest.mark.parametrize(
    "value", ["x", "3", "true", "", '"a"', "a b", "[1", 3, 0.5, True, None, [1, "a"], {"a": {"b": "1"}}]
)
def test_formatted_arguments_are_parsed_unchanged(value: Any) -> None:
    assert parse_arguments(format_arguments({"key": value})) == {"key": value}


@pytest.mark.parametrize(
    ("arguments", "added"),
    [
        ({}, "empty"),
        ({"add_metrics": "cer,empty"}, "empty,cer"),
        ({"add_metrics": ["cer"]}, "empty,cer"),
        ({"metrics": "wer"}, None),
        ({"metrics": "wer", "add_metrics": "cer"}, "cer"),
    ],
)
def test_metrics_are_added_to_those_that_were_added_before_unless_all_are_replaced(
    arguments: dict[str, Any], added: str | None
) -> None:
    spec = Spec(task="demo", task_args={"add_metrics": "empty"}, model="echo").with_scoring(arguments)
    assert spec.task_args.get("add_metrics") == added
    assert spec.with_scoring({**arguments, **({"add_metrics": added} if added else {})}) == spec


def test_secrets_in_urls_of_data_are_registered() -> None:
    try:
        url = "https://host/a.tar?token=0123abcd4567efgh"
        Spec(task="asr", model="echo", task_args={"data": url, "name": "x"}).register_secrets()
        assert "0123abcd4567efgh" not in SECRETS.redact(f"read {url}")
    finally:
        SECRETS.clear()


def test_a_spec_takes_what_the_command_line_takes(tmp_path: Path) -> None:
    (tmp_path / "quiz.csv").write_text("question,answer\na,a\n")
    (tmp_path / "quiz.yaml").write_text("kind: qa\ndata: quiz.csv\nlanguage: en\n")
    data = str(tmp_path / "quiz.csv")
    assert Spec(task=data, kind="qa", model="echo").task_args == {"data": data}
    from_file = Spec(task=str(tmp_path / "quiz.yaml"), model="echo", task_args={"limit": 1})
    assert (from_file.task, from_file.task_args["data"], from_file.task_args["limit"]) == ("qa", data, 1)
    assert from_file.locations is not None
    assert Spec.model_validate(from_file.public()).task_args == from_file.task_args
    with pytest.raises(SpecError, match="choose the kind"):
        Spec(task=data, model="echo")
