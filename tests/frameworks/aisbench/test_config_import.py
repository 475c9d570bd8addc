"""Dataset configs of AISBench are converted to task files without running them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from auricle.core.errors import SpecError
from auricle.frameworks.aisbench.config_import import draft_tasks
from auricle.frameworks.exchange.task_drafts import render_task_file
from auricle.runs.run_directory import Run
from auricle.tasks.questions.inferencers import LabelPrompts

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


ConfigWriter = Callable[..., Path]


@pytest.fixture
def config(tmp_path: Path) -> ConfigWriter:
    """Write a config with one dataset; arguments replace parts of it."""

    def write(
        template: str,
        *,
        inferencer: str = "dict(type=GenInferencer)",
        prompt: str = "prompt_template=dict(type=PromptTemplate, template=template),",
        retriever: str = "dict(type=ZeroRetriever)",
        reader: str = "dict(input_columns=['question'], output_column='answer')",
        evaluation: str = "dict(evaluator=dict(type=AccEvaluator))",
        data: str = "rows.jsonl",
    ) -> Path:
        path = tmp_path / "config.py"
        path.write_text(
            f"{HEAD}\n\ntemplate = {template}\n"
            f"infer_cfg = dict({prompt} retriever={retriever}, inferencer={inferencer})\n"
            f"my_datasets = [dict(abbr='mine', path={data!r}, reader_cfg={reader},"
            f" infer_cfg=infer_cfg, eval_cfg={evaluation})]\n",
            encoding="utf-8",
        )
        return path

    return write


def convert(path: Path) -> dict[str, Any]:
    (draft,) = draft_tasks(path, path.parent)
    assert yaml.safe_load(render_task_file(draft)) == draft.task
    return draft.task


# --- prompts ------------------------------------------------------------------------------


def test_a_text_is_kept_and_the_answer_removed(config: ConfigWriter) -> None:
    path = config(r'"Q: {question}\nPut it into \\boxed{}.\nA: {answer}"')
    assert convert(path)["prompt"] == "Q: {question}\nPut it into \\boxed{}.\nA: "


def test_rounds_become_messages_without_the_answer(config: ConfigWriter) -> None:
    path = config(
        "dict(begin=[dict(role='SYSTEM', fallback_role='HUMAN', prompt='Be brief.')], round=["
        "dict(role='HUMAN', prompt='1 + 0?'), dict(role='BOT', prompt='1'),"
        "dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])"
    )
    assert convert(path)["prompt"] == {
        "system": "Be brief.",
        "turns": [{"user": "1 + 0?"}, {"assistant": "1"}, {"user": "{question}"}],
    }


def test_consecutive_messages_of_one_role_are_merged(config: ConfigWriter) -> None:
    path = config("dict(begin=[dict(role='HUMAN', prompt='Listen.')], round=[dict(role='HUMAN', prompt='{question}')])")
    assert convert(path)["prompt"] == "Listen.\n{question}"


def test_media_precede_the_text(config: ConfigWriter) -> None:
    path = config(
        "dict(round=[dict(role='HUMAN', prompt_mm={'text': {'type': 'text', 'text': '{question}'},"
        " 'audio': {'type': 'audio_url', 'audio_url': {'url': 'file://{audio}'}}})])"
    )
    assert convert(path)["prompt"] == "{audio}{question}"


def test_an_unknown_role_is_rejected(config: ConfigWriter) -> None:
    with pytest.raises(SpecError, match=r"role \(HUMAN, BOT, SYSTEM\)"):
        convert(config("dict(round=[dict(role='NARRATOR', prompt='x')])"))


# --- examples -----------------------------------------------------------------------------


def test_examples_in_a_text_replace_the_token(config: ConfigWriter) -> None:
    path = config(
        '"</E>Q: {question}\\nA: {answer}"',
        prompt="ice_template=dict(type=PromptTemplate, template=template, ice_token='</E>'),",
        retriever="dict(type=FixKRetriever, fix_id_list=[2, 1])",
    )
    task = convert(path)
    assert task["prompt"] == {
        "turns": "{examples}Q: {question}\nA: ",
        "examples": "Q: {question}\nA: {target}",
        "separator": "\n",
    }
    assert task["shots"] == {"use": "fixed", "ids": [2, 1]}


def test_examples_as_messages_come_from_the_training_split(config: ConfigWriter, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    for name in ("train.jsonl", "test.jsonl"):
        (tmp_path / "set" / name).write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    path = config(
        "dict(begin=['</E>'], round=[dict(role='HUMAN', prompt='{question}')])",
        prompt="prompt_template=dict(type=PromptTemplate, template=template, ice_token='</E>'),"
        "ice_template=dict(type=PromptTemplate, template=dict(round=["
        "dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])),",
        retriever="dict(type='RandomRetriever', ice_num=2)",
        data="set",
    )
    task = convert(path)
    assert task["data"] == "set/test.jsonl"
    assert task["prompt"]["examples"] == [{"user": "{question}"}, {"assistant": "{target}"}]
    assert task["shots"] == {"use": "random", "k": 2, "seed": 43, "pool": "set/train.jsonl"}


def test_examples_given_by_index_are_given_by_id(config: ConfigWriter, manifest: Any) -> None:
    manifest([{"id": "x", **ROWS[0]}, {"id": "y", **ROWS[1]}], "rows.jsonl")
    retriever = "dict(type=FixKRetriever, fix_id_list=[1])"
    assert convert(config("'{question}'", retriever=retriever))["shots"]["ids"] == ["y"]
    with pytest.raises(SpecError, match=r"fix_id_list contains 7, but rows\.jsonl has 2 rows"):
        convert(config("'{question}'", retriever=retriever.replace("[1]", "[7]")))


@pytest.mark.parametrize(
    ("retriever", "shots"),
    [
        ("dict(type='TopkRetriever', ice_num=3)", {"use": "dense", "k": 3}),
        ("dict(type='BM25Retriever', ice_num=3)", {"use": "bm25", "k": 3}),
        ("dict(type='SlidingWindowRetriever', k=3)", {"use": "sliding", "k": 3}),
    ],
)
def test_retrievers_are_translated(config: ConfigWriter, retriever: str, shots: Any) -> None:
    task = convert(config("'{question}'", retriever=retriever))
    assert shots.items() <= task["shots"].items()


def test_examples_drawn_at_random_are_noted_as_others(config: ConfigWriter) -> None:
    path = config("'{question}'", retriever="dict(type='RandomRetriever', ice_num=2)")
    (draft,) = draft_tasks(path, path.parent)
    assert any("they are not AISBench's" in note for note in draft.notes)


def test_an_unknown_retriever_is_rejected(config: ConfigWriter) -> None:
    with pytest.raises(SpecError, match="the retriever VotekRetriever has no equivalent"):
        convert(config("'{question}'", retriever="dict(type='VotekRetriever', ice_num=3)"))


def test_messages_before_the_examples_stay_there(config: ConfigWriter) -> None:
    path = config(
        "dict(begin=[dict(role='HUMAN', prompt='Listen.'), '</E>'], round=[dict(role='HUMAN', prompt='{question}')])",
        prompt="prompt_template=dict(type=PromptTemplate, template=template, ice_token='</E>'),"
        "ice_template=dict(type=PromptTemplate, template=dict(round=["
        "dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])),",
        retriever="dict(type=FixKRetriever, fix_id_list=[0])",
    )
    assert convert(path)["prompt"]["turns"] == [{"user": "Listen."}, {"user": "{examples}"}, {"user": "{question}"}]


# --- other settings ---------------------------------------------------------------------------


def test_limits_stops_rows_and_the_target_column_are_converted(config: ConfigWriter) -> None:
    path = config(
        "'{problem}'",
        inferencer="dict(type=GenInferencer, max_out_len=64, stopping_criteria=['END'])",
        reader="dict(input_columns=['problem'], output_column='solution', test_range='[1:3]')",
    )
    task = convert(path)
    assert (task["max_tokens"], task["stop"]) == (64, ["END"])
    assert (task["target"], task["rows"]) == ("solution", "[1:3]")


def test_evaluators_and_post_processors_become_a_metric(config: ConfigWriter) -> None:
    path = config(
        "'{question}'",
        evaluation="dict(evaluator=dict(type='MyEvaluator', version='v2'), "
        "pred_postprocessor=dict(type='first_option_postprocess', options='AB'), "
        "dataset_postprocessor=dict(type='gsm8k_dataset'))",
    )
    assert convert(path)["metrics"] == [
        "aisbench:MyEvaluator?version=v2&pred=first_option_postprocess&pred.options=AB&gold=gsm8k_dataset"
    ]


def test_an_evaluator_that_is_not_reproduced_is_named_and_never_replaced(config: ConfigWriter) -> None:
    path = config("'{question}'", evaluation="dict(evaluator=dict(type=MyEvaluator))")
    (draft,) = draft_tasks(path, path.parent)
    assert draft.task["metrics"] == ["aisbench:MyEvaluator"]
    assert "# AISBench's MyEvaluator is not reproduced." in render_task_file(draft)


@pytest.mark.parametrize(
    ("name", "purpose"), [("BFCLV3FunctionCallInferencer", "calls functions"), ("LMMGenInferencer", "makes images")]
)
def test_an_inferencer_that_does_something_else_is_rejected(config: ConfigWriter, name: str, purpose: str) -> None:
    with pytest.raises(SpecError, match=f"{name} {purpose}, which Auricle does not evaluate"):
        convert(config("'{question}'", inferencer=f"dict(type='{name}')"))


def test_a_dataset_without_a_path_names_the_file_to_write(config: ConfigWriter) -> None:
    path = config("'{question}'", data="")
    (draft,) = draft_tasks(path, path.parent)
    assert draft.task["data"] == "mine.jsonl"
    assert any("Write them to mine.jsonl" in note for note in draft.notes)


def test_data_below_a_folder_that_contains_the_config_is_found(config: ConfigWriter, tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data/rows.jsonl").write_text(json.dumps(ROWS[0]))
    nested = config("'{question}'", data="data/rows.jsonl").rename(tmp_path / "configs/config.py")
    (draft,) = draft_tasks(nested, tmp_path)
    assert draft.task["data"] == "data/rows.jsonl"


def test_a_custom_inferencer_is_referenced(config: ConfigWriter) -> None:
    task = convert(config("'{question}'", inferencer="dict(type=MyCustomInferencer)"))
    assert task["inferencer"] == "aisbench:my_package.mine:MyCustomInferencer"


def test_arguments_of_a_custom_inferencer_are_kept(config: ConfigWriter) -> None:
    task = convert(config("'{question}'", inferencer="dict(type=MyCustomInferencer, max_out_len=9, suffix='!')"))
    assert task["inferencer"] == {"use": "aisbench:my_package.mine:MyCustomInferencer", "suffix": "!"}
    assert task["max_tokens"] == 9


@pytest.mark.parametrize(("infer_mode", "mode"), [("every", "every"), ("last", "last"), ("every_with_gt", "gold")])
def test_multi_turn_tasks_become_conversations(config: ConfigWriter, infer_mode: str, mode: str) -> None:
    inferencer = f"dict(type=MultiTurnGenInferencer, infer_mode={infer_mode!r})"
    task = convert(config("'{question}'", inferencer=inferencer))
    assert (task["kind"], task["mode"], task["metrics"]) == ("chat", mode, ["empty"])


def test_templates_per_label_become_label_prompts(config: ConfigWriter) -> None:
    path = config("{'yes': '{question} Yes.', 'no': '{question} No.'}", inferencer="dict(type=PPLInferencer)")
    task = convert(path)
    assert task["metrics"] == ["acc_whole"]
    assert task["inferencer"]["templates"] == {"yes": "{question} Yes.", "no": "{question} No."}


def test_one_template_serves_all_listed_labels(config: ConfigWriter) -> None:
    path = config("'{question} {answer}'", inferencer="dict(type=PPLInferencer, labels=['A', 'B'])")
    assert convert(path)["inferencer"]["templates"] == {"A": "{question} A", "B": "{question} B"}


def test_missing_labels_are_rejected(config: ConfigWriter) -> None:
    with pytest.raises(SpecError, match="List them as labels="):
        convert(config("'{question}'", inferencer="dict(type=PPLInferencer)"))


def test_a_single_label_is_rejected() -> None:
    with pytest.raises(SpecError, match="two or more labels"):
        LabelPrompts({"A": "x"})


# --- commands ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_imported_task_runs(auricle: Any, config: ConfigWriter, manifest: Any, tmp_path: Path) -> None:
    manifest(ROWS, "rows.jsonl")
    path = config(
        '"</E>Q: {question}\\nA: {answer}"',
        prompt="ice_template=dict(type=PromptTemplate, template=template, ice_token='</E>'),",
        retriever="dict(type=FixKRetriever, fix_id_list=[0])",
        reader="dict(input_columns=['question'], output_column='answer', test_range='[1:]')",
    )
    result = auricle("import", "--from", "aisbench", path, "-o", "task.yaml")
    assert result.returncode == 0, result.stderr
    preview = auricle("preview", "task.yaml").stdout
    assert "Q: What is 1 + 1?\n    A: 2\n    Q: What is 2 + 2?\n    A: " in preview
    result = auricle("run", "task.yaml", "-m", "echo", "-M", "reply=4", "-o", "run", "--json")
    assert result.returncode == 0, result.stderr
    assert [record.sample.id for record in Run.load(tmp_path / "run").records()] == ["1", "2"]
    (number,) = json.loads((tmp_path / "run/metrics.json").read_text())["numbers"]
    assert (number["metric"], number["value"]) == ("AccEvaluator", 0.5)


def test_a_task_with_label_prompts_runs(auricle: Any, config: ConfigWriter, manifest: Any, tmp_path: Path) -> None:
    manifest(ROWS, "rows.jsonl")
    path = config(
        "{'2': '{question} two', '4': '{question} certainly four'}",
        inferencer="dict(type=PPLInferencer)",
        reader="dict(input_columns=['question'], output_column='answer', test_range='[:2]')",
    )
    auricle("import", "--from", "aisbench", path, "-o", "task.yaml")
    result = auricle("run", "task.yaml", "-m", "echo", "-o", "run")
    assert result.returncode == 0, result.stderr
    (number,) = json.loads((tmp_path / "run/metrics.json").read_text())["numbers"]
    assert (number["metric"], number["value"]) == ("acc_whole", 0.5)  # all are equally likely: the first is chosen


def test_several_datasets_need_a_folder_or_a_name(auricle: Any, tmp_path: Path) -> None:
    dataset = "dict(abbr={!r}, path='rows.jsonl', infer_cfg=dict(prompt_template=dict(template='x')))"
    (tmp_path / "c.py").write_text(f"my_datasets = [{dataset.format('a')}, {dataset.format('b')}]\n")
    result = auricle("import", "--from", "aisbench", "c.py")
    assert result.returncode == 2
    assert "2 configs: a, b" in result.stderr
    assert auricle("import", "--from", "aisbench", "c.py", "-o", "tasks").returncode == 0
    assert sorted(path.name for path in (tmp_path / "tasks").iterdir()) == ["a.yaml", "b.yaml"]
    assert "name: b" in auricle("import", "--from", "aisbench", "c.py", "--only", "b").stdout


def test_a_task_file_that_exists_is_not_overwritten(auricle: Any, config: ConfigWriter, tmp_path: Path) -> None:
    Path(tmp_path / "task.yaml").write_text("kind: qa\n")
    result = auricle("import", "--from", "aisbench", config("'{question}'"), "-o", "task.yaml")
    assert result.returncode == 2
    assert "already exists" in result.stderr
