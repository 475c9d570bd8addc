"""Task YAMLs of lmms-eval run unchanged."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError, UnknownName
from auricle.core.types import Generation
from auricle.engine.catalogue import TASKS
from auricle.engine.spec import resolve_task
from auricle.engine.task_files import TaskReference
from auricle.media import Audio
from auricle.runs.run_directory import Run
from tests.frameworks.lmms.task_files import MULTIPLE_CHOICE, build_lmms_task, first_requests
from tests.support.framework_results import list_samples, text_of

# --- prompts -------------------------------------------------------------------------------


def test_prompts_of_one_model_are_selected_by_its_name(folder: Path) -> None:
    assert first_requests(build_lmms_task(folder, options={"specific": "qwen"}))[0].turns[0].parts[1] == "<q>Q0?"
    with pytest.raises(SpecError, match=r"no entry 'gpt'\. Available: default, qwen"):
        build_lmms_task(folder, options={"specific": "gpt"})


def test_options_override_fields(folder: Path) -> None:
    options = {"max_tokens": 5, "temperature": 0.5, "stop": "", "name": "ours", "rows": "[1:2]"}
    task = build_lmms_task(folder, options=options)
    (request,) = first_requests(task)
    assert (request.max_tokens, request.temperature, request.stop) == (5, 0.5, ())
    assert (task.name, len(list(task.samples))) == ("ours", 1)


def test_settings_that_are_not_applied_are_noted(folder: Path) -> None:
    task = build_lmms_task(folder, "generation_kwargs: {num_beams: 4, top_p: 1.0, do_sample: false}\n")
    (note,) = task.notes("m", {})
    assert note.startswith("num_beams=4 of generation_kwargs is not applied")


# --- several requests --------------------------------------------------------------------------


def test_choices_are_compared_by_likelihood(folder: Path) -> None:
    task = build_lmms_task(folder, f"{MULTIPLE_CHOICE}metric_list: [{{metric: acc}}, {{metric: acc_norm}}]\n")
    requests = first_requests(task)
    assert [request.continuation for request in requests] == [" no", " yes"]
    assert [metric.name for metric in task.metrics] == ["acc", "acc_char"]
    assert list_samples(task)[0].inputs["choices"] == ["no", "yes"]


def test_rounds_continue_until_the_function_ends_them(folder: Path) -> None:
    task = build_lmms_task(
        folder,
        "output_type: generate_until_multi_round\ndoc_to_text: !function utils.rounds\n"
        "lmms_eval_specific_kwargs: null\nprocess_results: !function utils.count_rounds\n"
        "metric_list: [{metric: rounds}]\n",
    )
    (sample, *_), (metric,) = task.samples, task.metrics
    answers = [Generation(text=text) for text in ("a ", "b")]
    assert metric.score(sample, *answers) == 2.0
    requests = first_requests(task)
    texts = [request.turns[0].parts[-1] for request in requests]
    assert texts == ["Start.", "You answered …; 16000", "You answered …; 16000"]
    assert all(isinstance(request.turns[0].parts[0], Audio) for request in requests)


# --- on the command line ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_task_runs_with_a_model_class_of_lmms_eval(folder: Path, auricle: Any) -> None:
    classes = str(Path(__file__).with_name("lmms_classes.py"))
    result = auricle(*("run", "lmms:task.yaml", "-m", f"lmms:{classes}:Simple", "-o", "run", "--json"))
    assert result.returncode == 0, result.stderr
    assert "a line on stdout" not in result.stdout
    (first,) = [record for record in Run.load(folder / "run").records() if record.row == 0]
    assert text_of(first.outputs[0]).startswith("Q0? Say it. 800@16000:")
    assert text_of(first.outputs[0]).endswith(r"['\n\n']")


def test_a_file_with_a_prefix_is_not_a_task_file() -> None:
    assert resolve_task("lmms:a/task.yaml", None, {"x": 1}) == TaskReference("lmms:a/task.yaml", {"x": 1})


def test_a_group_expands_to_the_tasks_in_its_folder(folder: Path) -> None:
    (folder / "group.yaml").write_text("group: both\ntask: [mine, second]\n")
    (folder / "second.yaml").write_text("include: _base\ntask: second\ntest_split: test\n")
    members = TASKS.expand(f"lmms:{folder / 'group.yaml'}", {})
    assert members == [f"lmms:{folder / name}.yaml" for name in ("task", "second")]


# --- errors ---------------------------------------------------------------------------------


def test_an_unknown_option_is_rejected_with_a_suggestion(folder: Path) -> None:
    with pytest.raises(SpecError, match=r"unknown option splits\. Did you mean split"):
        build_lmms_task(folder, options={"splits": "dev"})


def test_a_task_must_be_a_yaml_file() -> None:
    with pytest.raises(UnknownName, match=r"Expected lmms:FILE\.yaml"):
        TASKS.get("lmms:mmau_test_mini")


def test_a_file_of_functions_that_cannot_be_loaded_is_reported_before_the_first_row(folder: Path) -> None:
    (folder / "prompts.py").write_text("import missing_package\n")
    with pytest.raises(SpecError, match=r"prompts\.py cannot be loaded: ModuleNotFoundError"):
        build_lmms_task(folder, "doc_to_text: !function prompts.build\n")
