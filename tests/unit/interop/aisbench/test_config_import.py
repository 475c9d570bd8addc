"""AISBench's dataset configs as task files: read, never run, and runnable."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from auricle.core.errors import SpecError
from auricle.interop.aisbench.config_import import draft_tasks, render_task_file
from auricle.interop.aisbench.config_reader import find_datasets, read_config
from auricle.runs.run_directory import Run
from auricle.tasks.inferencers.label_prompts import LabelPrompts

HEAD = """
from mmengine.config import read_base
from ais_bench.benchmark.openicl.icl_prompt_template import PromptTemplate
from ais_bench.benchmark.openicl.icl_retriever import ZeroRetriever, FixKRetriever
from ais_bench.benchmark.openicl.icl_inferencer import GenInferencer, PPLInferencer
from ais_bench.benchmark.openicl.icl_inferencer import MultiTurnGenInferencer
from ais_bench.benchmark.openicl.icl_evaluator import AccEvaluator
from ais_bench.benchmark.utils.postprocess.text_postprocessors import first_capital_postprocess
from my_package.mine import MyCustomInferencer, MyEvaluator
"""
ROWS = [
    {"question": "What is 1 + 1?", "answer": "2"},
    {"question": "What is 2 + 2?", "answer": "4"},
    {"question": "What is 3 + 3?", "answer": "6"},
]


@pytest.fixture
def config(tmp_path: Path) -> Any:
    """Write a config with one dataset, of which some parts are said."""

    def write(
        template: Any, inferencer: str = "dict(type=GenInferencer)", more: str = "", infer: str = "", **parts: Any
    ) -> Any:
        told = {
            "retriever": "dict(type=ZeroRetriever)",
            "reader": "dict(input_columns=['question'], output_column='answer')",
            "eval": "dict(evaluator=dict(type=AccEvaluator))",
            "path": "rows.jsonl",
            "own": "prompt_template=dict(type=PromptTemplate, template=template),",
            **parts,
        }
        path = tmp_path / "config.py"
        path.write_text(
            f"{HEAD}\n{more}\ntemplate = {template}\n"
            f"infer_cfg = dict({told['own']} {infer} retriever={told['retriever']},"
            f" inferencer={inferencer})\n"
            f"my_datasets = [dict(abbr='mine', path={told['path']!r}, reader_cfg={told['reader']},"
            f" infer_cfg=infer_cfg, eval_cfg={told['eval']})]\n",
            encoding="utf-8",
        )
        return path

    return write


def task_of(path: Any) -> Any:
    (draft,) = draft_tasks(path, path.parent)
    assert yaml.safe_load(render_task_file(draft)) == draft.task
    return draft.task


# --- reading ----------------------------------------------------------------------------


def test_literals_names_sums_and_ranges_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.py"
    path.write_text(
        '"""A config."""\nhint = "be" " brief"\na = dict(x=[1, -2], **{"y": hint + "!"})\n'
        'b = f"{hint}: {{question}}"\nc = list(range(2, 5))\n'
    )
    found = read_config(path)
    assert found["a"] == {"x": [1, -2], "y": "be brief!"}
    assert found["b"] == "be brief: {question}"
    assert found["c"] == [2, 3, 4]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("x = open('/etc/passwd').read()", "is a call"),
        ("import os\nx = os.system('true')", "is a call"),
        ("x = [n for n in (1, 2)]", "is no literal"),
        ("for n in (1, 2):\n    pass", "is run by Python"),
        ("x = lambda: 1", "is no literal"),
        ("x = y", "is assigned nowhere above"),
        ("x = {}\nx['a'] = 1", "assigns to a part"),
        ("x = 'a' * 3", "is no sum"),
    ],
)
def test_what_would_have_to_be_run_is_refused_with_its_line(tmp_path: Path, line: str, shown: str) -> None:
    path = tmp_path / "c.py"
    path.write_text(f"a = 1\n{line}\n")
    number = line.count("\n") + 2 if "\nx" in line else 2
    with pytest.raises(SpecError, match=rf"c\.py:{number}: .*{shown}"):
        read_config(path)


def test_what_is_based_on_other_files_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "c.py"
    path.write_text("with read_base():\n    from .other import things\n")
    with pytest.raises(SpecError, match="describes no dataset"):
        find_datasets(path)


# --- prompts ------------------------------------------------------------------------------


def test_a_text_is_kept_to_the_letter_and_the_answer_left_empty(config: Any) -> None:
    path = config(r'"Q: {question}\nPut it into \\boxed{}.\nA: {answer}"')
    assert task_of(path)["prompt"] == "Q: {question}\nPut it into \\boxed{}.\nA: "


def test_rounds_are_messages_and_the_model_s_own_is_left_to_it(config: Any) -> None:
    path = config(
        "dict(begin=[dict(role='SYSTEM', fallback_role='HUMAN', prompt='Be brief.')], round=["
        "dict(role='HUMAN', prompt='1 + 0?'), dict(role='BOT', prompt='1'),"
        "dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])"
    )
    assert task_of(path)["prompt"] == {
        "system": "Be brief.",
        "turns": [{"user": "1 + 0?"}, {"assistant": "1"}, {"user": "{question}"}],
    }


def test_neighbours_of_one_role_are_one_message(config: Any) -> None:
    path = config("dict(begin=[dict(role='HUMAN', prompt='Listen.')], round=[dict(role='HUMAN', prompt='{question}')])")
    assert task_of(path)["prompt"] == "Listen.\n{question}"


def test_media_stand_before_the_text(config: Any) -> None:
    path = config(
        "dict(round=[dict(role='HUMAN', prompt_mm={'text': {'type': 'text', 'text': '{question}'},"
        " 'audio': {'type': 'audio_url', 'audio_url': {'url': 'file://{audio}'}}})])"
    )
    assert task_of(path)["prompt"] == "{audio}{question}"


def test_an_unknown_role_is_refused(config: Any) -> None:
    with pytest.raises(SpecError, match=r"role \(HUMAN, BOT, SYSTEM\)"):
        task_of(config("dict(round=[dict(role='NARRATOR', prompt='x')])"))


# --- examples -----------------------------------------------------------------------------


def test_examples_in_a_text_stand_where_the_token_does(config: Any) -> None:
    path = config(
        '"</E>Q: {question}\\nA: {answer}"',
        infer="ice_template=dict(type=PromptTemplate, template=template, ice_token='</E>'),",
        own="",
        retriever="dict(type=FixKRetriever, fix_id_list=[2, 1])",
    )
    task = task_of(path)
    assert task["prompt"] == {
        "turns": "{examples}Q: {question}\nA: ",
        "examples": "Q: {question}\nA: {target}",
        "separator": "\n",
    }
    assert task["shots"] == {"use": "fixed", "ids": [2, 1]}


def test_examples_as_messages_come_from_the_training_split(config: Any, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    for name in ("train.jsonl", "test.jsonl"):
        (tmp_path / "set" / name).write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    path = config(
        "dict(begin=['</E>'], round=[dict(role='HUMAN', prompt='{question}')])",
        infer="ice_template=dict(type=PromptTemplate, template=dict(round=["
        "dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])),",
        own="prompt_template=dict(type=PromptTemplate, template=template, ice_token='</E>'),",
        retriever="dict(type='RandomRetriever', ice_num=2)",
        path="set",
    )
    task = task_of(path)
    assert task["data"] == "set/test.jsonl"
    assert task["prompt"]["examples"] == [{"user": "{question}"}, {"assistant": "{target}"}]
    assert task["shots"] == {"use": "random", "k": 2, "seed": 43, "pool": "set/train.jsonl"}


def test_examples_named_by_their_place_are_named_by_their_id(config: Any, manifest: Any) -> None:
    manifest([{"id": "x", **ROWS[0]}, {"id": "y", **ROWS[1]}], "rows.jsonl")
    fixed = "dict(type=FixKRetriever, fix_id_list=[1])"
    assert task_of(config("'{question}'", retriever=fixed))["shots"]["ids"] == ["y"]
    with pytest.raises(SpecError, match=r"fix_id_list has 7; rows\.jsonl has 2 rows"):
        task_of(config("'{question}'", retriever=fixed.replace("[1]", "[7]")))


@pytest.mark.parametrize(
    ("retriever", "shots"),
    [
        ("dict(type='TopkRetriever', ice_num=3)", {"use": "dense", "k": 3}),
        ("dict(type='BM25Retriever', ice_num=3)", {"use": "bm25", "k": 3}),
        ("dict(type='SlidingWindowRetriever', k=3)", {"use": "sliding", "k": 3}),
    ],
)
def test_retrievers_have_their_like_here(config: Any, retriever: str, shots: Any) -> None:
    task = task_of(config("'{question}'", retriever=retriever))
    assert shots.items() <= task["shots"].items()


# --- what else is said -----------------------------------------------------------------------


def test_limits_stops_rows_and_the_answer_s_column_are_taken_over(config: Any) -> None:
    path = config(
        "'{problem}'",
        inferencer="dict(type=GenInferencer, max_out_len=64, stopping_criteria=['END'])",
        reader="dict(input_columns=['problem'], output_column='solution', test_range='[1:3]')",
    )
    task = task_of(path)
    assert (task["max_tokens"], task["stop"]) == (64, ["END"])
    assert (task["target"], task["rows"]) == ("solution", "[1:3]")


def test_letters_are_read_as_options(config: Any) -> None:
    path = config(
        "'{question}'",
        eval="dict(evaluator=dict(type=AccEvaluator), pred_postprocessor=dict(type=first_capital_postprocess))",
    )
    task = task_of(path)
    assert (task["kind"], task["metrics"]) == ("mcq", ["option_accuracy"])


def test_an_evaluator_that_is_not_known_is_told_in_a_comment(config: Any) -> None:
    path = config("'{question}'", eval="dict(evaluator=dict(type=MyEvaluator))")
    (draft,) = draft_tasks(path, path.parent)
    assert "metrics" not in draft.task
    assert "# MyEvaluator is not known here" in render_task_file(draft)


def test_an_inferencer_of_one_s_own_runs_as_it_is(config: Any) -> None:
    task = task_of(config("'{question}'", inferencer="dict(type=MyCustomInferencer)"))
    assert task["inferencer"] == "aisbench:my_package.mine:MyCustomInferencer"


@pytest.mark.parametrize(("mode", "ours"), [("every", "every"), ("last", "last"), ("every_with_gt", "gold")])
def test_several_turns_are_a_conversation(config: Any, mode: str, ours: str) -> None:
    kind = f"dict(type=MultiTurnGenInferencer, infer_mode={mode!r})"
    task = task_of(config("'{question}'", inferencer=kind))
    assert (task["kind"], task["mode"]) == ("chat", ours)


def test_a_prompt_for_each_label_is_compared_as_a_whole(config: Any) -> None:
    path = config("{'yes': '{question} Yes.', 'no': '{question} No.'}", inferencer="dict(type=PPLInferencer)")
    task = task_of(path)
    assert task["metrics"] == ["acc_whole"]
    assert task["inferencer"]["templates"] == {"yes": "{question} Yes.", "no": "{question} No."}


def test_one_template_serves_for_labels_that_are_named(config: Any) -> None:
    path = config("'{question} {answer}'", inferencer="dict(type=PPLInferencer, labels=['A', 'B'])")
    assert task_of(path)["inferencer"]["templates"] == {"A": "{question} A", "B": "{question} B"}


def test_labels_that_nobody_names_are_asked_for(config: Any) -> None:
    with pytest.raises(SpecError, match="name them"):
        task_of(config("'{question}'", inferencer="dict(type=PPLInferencer)"))


def test_one_label_is_none() -> None:
    with pytest.raises(SpecError, match="two labels"):
        LabelPrompts({"A": "x"})


# --- from config to numbers --------------------------------------------------------------------


def test_an_imported_task_runs(auricle: Any, config: Any, manifest: Any, tmp_path: Path) -> None:
    manifest(ROWS, "rows.jsonl")
    path = config(
        '"</E>Q: {question}\\nA: {answer}"',
        infer="ice_template=dict(type=PromptTemplate, template=template, ice_token='</E>'),",
        own="",
        retriever="dict(type=FixKRetriever, fix_id_list=[0])",
        reader="dict(input_columns=['question'], output_column='answer', test_range='[1:]')",
    )
    done = auricle("import", "--from", "aisbench", path, "-o", "task.yaml")
    assert done.returncode == 0, done.stderr
    shown = auricle("preview", "task.yaml").stdout
    assert "Q: What is 1 + 1?\n    A: 2\n    Q: What is 2 + 2?\n    A: " in shown
    done = auricle("run", "task.yaml", "-m", "echo", "-M", "reply=4", "-o", "run", "--json")
    assert done.returncode == 0, done.stderr
    assert [each.sample.id for each in Run.load(tmp_path / "run").records()] == ["1", "2"]
    (number,) = json.loads((tmp_path / "run/metrics.json").read_text())["numbers"]
    assert (number["metric"], number["value"]) == ("exact_match", 0.5)


def test_a_task_by_labels_runs(auricle: Any, config: Any, manifest: Any, tmp_path: Path) -> None:
    manifest(ROWS, "rows.jsonl")
    path = config(
        "{'2': '{question} two', '4': '{question} certainly four'}",
        inferencer="dict(type=PPLInferencer)",
        reader="dict(input_columns=['question'], output_column='answer', test_range='[:2]')",
    )
    auricle("import", "--from", "aisbench", path, "-o", "task.yaml")
    done = auricle("run", "task.yaml", "-m", "echo", "-o", "run")
    assert done.returncode == 0, done.stderr
    (number,) = json.loads((tmp_path / "run/metrics.json").read_text())["numbers"]
    assert (number["metric"], number["value"]) == ("acc_whole", 0.5)  # all alike: the first is taken


def test_several_datasets_want_a_folder_or_a_name(auricle: Any, tmp_path: Path) -> None:
    one = "dict(abbr={!r}, path='rows.jsonl', infer_cfg=dict(prompt_template=dict(template='x')))"
    (tmp_path / "c.py").write_text(f"my_datasets = [{one.format('a')}, {one.format('b')}]\n")
    refused = auricle("import", "--from", "aisbench", "c.py")
    assert refused.returncode == 2
    assert "2 datasets: a, b" in refused.stderr
    assert auricle("import", "--from", "aisbench", "c.py", "-o", "tasks").returncode == 0
    assert sorted(each.name for each in (tmp_path / "tasks").iterdir()) == ["a.yaml", "b.yaml"]
    assert "name: b" in auricle("import", "--from", "aisbench", "c.py", "--only", "b").stdout


def test_a_task_file_that_exists_is_not_overwritten(auricle: Any, config: Any, tmp_path: Path) -> None:
    Path(tmp_path / "task.yaml").write_text("kind: qa\n")
    done = auricle("import", "--from", "aisbench", config("'{question}'"), "-o", "task.yaml")
    assert done.returncode == 2
    assert "exists already" in done.stderr
