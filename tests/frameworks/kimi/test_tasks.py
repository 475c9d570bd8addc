"""Datasets of Kimi-Audio-Evalkit are tasks with the evalkit's prompts and Auricle's metrics."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.api import evaluate, preview
from auricle.core.errors import SpecError
from auricle.core.types import Generation
from auricle.engine.catalogue import TASKS
from auricle.engine.factory import build_task
from auricle.engine.spec import JudgeSpec, Spec, resolve_tasks
from auricle.metrics.capabilities import Judged, Restricted
from auricle.metrics.catalogue import METRICS
from auricle.runs.run_directory import Run
from tests.frameworks.kimi.evalkit_files import (
    CLASSES,
    DATASET_CLASS,
    VOCAL_QUESTION,
    build_kimi_task,
    evaluate_kimi_task,
    write_rows,
)
from tests.support.framework_results import first_rejection, list_samples

pytestmark = pytest.mark.usefixtures("evalkit_folder")


@pytest.mark.parametrize("spelling", ["LibriSpeech", "librispeech", "LIBRISPEECH"])
def test_every_spelling_of_a_name_gives_the_same_task(spelling: str) -> None:
    assert [reference.task for reference in resolve_tasks(f"kimi:{spelling}", None, {})] == ["kimi:LibriSpeech"]


def test_a_resolved_task_needs_no_config(tmp_path: Path) -> None:
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "x"}])
    spec = Spec(task="kimi:LibriSpeech", model="echo", task_args={"config": "config.yaml"})
    resolved = spec.resolved()
    assert resolved.task_args == {"data": str(tmp_path / "data/LibriSpeech/LibriSpeech.jsonl"), "root": str(tmp_path)}
    assert resolved.resolved() == resolved
    Path("config.yaml").unlink()
    assert build_task(resolved).name == "LibriSpeech"


def test_a_group_is_expanded_and_missing_datasets_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "x"}])
    write_rows("data/Fleurs/Fleurs-zh.jsonl", [{"answer": "x"}])
    tasks = resolve_tasks("kimi:ASR", None, {"config": "config.yaml"})
    assert [reference.task for reference in tasks] == ["kimi:LibriSpeech", "kimi:Fleurs-zh"]
    assert "no data for 4 of 6 datasets: Fleurs-en, AISHELL-1" in capsys.readouterr().err


def test_a_group_without_data_is_rejected() -> None:
    with pytest.raises(SpecError, match=r"no data found with .* for ClothoAQA, sd-qa, OpenAudioBench"):
        TASKS.expand("kimi:refqa", {})


def test_a_group_is_not_a_single_task() -> None:
    with pytest.raises(SpecError, match=r"is a group of tasks\. Choose one of: kimi:ClothoAQA"):
        build_task(Spec(task="kimi:refqa", model="echo"))


@pytest.mark.slow
def test_each_dataset_of_a_group_gives_a_run(auricle: Any, tmp_path: Path) -> None:
    for name in ("LibriSpeech", "AISHELL-1"):
        write_rows(f"data/{name}/{name}.jsonl", [{"answer": "0", "subset": name}])
    Path("run.yaml").write_text("task: kimi:asr\nmodel: echo\n")
    result = auricle("run", "--config", "run.yaml", "-o", "runs", "--json")
    assert result.returncode == 0, result.stderr
    assert [document["task"]["name"] for document in json.loads(result.stdout)] == ["LibriSpeech", "AISHELL-1"]
    assert (tmp_path / "runs" / "AISHELL-1-echo" / "metrics.json").exists()
    assert "no data for 4 of 6 datasets" in result.stderr


def test_metrics_depend_on_the_language() -> None:
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "0"}])
    write_rows("data/AISHELL-1/AISHELL-1.jsonl", [{"answer": "0"}])
    english, chinese = build_kimi_task("LibriSpeech"), build_kimi_task("AISHELL-1")
    assert [metric.name for metric in english.metrics] == ["wer", "cer"]
    assert "whisper-en" in english.metrics[0].signature
    assert [metric.name for metric in chinese.metrics] == ["mer", "cer"]


def test_every_subset_has_its_numbers() -> None:
    rows = [{"answer": str(index), "subset": ("test", "sentiment")[index % 2]} for index in range(3)]
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", rows)
    assert evaluate_kimi_task("LibriSpeech")["wer"].value == 0.0
    numbers = json.loads(Path("out/metrics.json").read_text())["numbers"]
    scored = {number["group"]: number["scored"] for number in numbers if number["field"] == "subset"}
    assert scored == {"test": 2, "sentiment": 1}


@pytest.mark.thorough
def test_options_are_parsed_from_the_question() -> None:
    rows = [{"question": VOCAL_QUESTION, "answer": answer} for answer in ("Laughter", "throat_clearing", "C")]
    write_rows("data/VocalSound/VocalSound.jsonl", rows)
    samples = list_samples(build_kimi_task("VocalSound"))
    assert samples[0].inputs["choices"] == ["Laughter", "Sigh", "Throat clearing"]
    numbers = evaluate_kimi_task("VocalSound", model_args={"reply": "I hear (C) throat clearing."})
    assert numbers["option_accuracy"].value == pytest.approx(2 / 3)


def test_written_and_spoken_questions_are_sent_unchanged() -> None:
    write_rows("data/VocalSound/VocalSound.jsonl", [{"question": VOCAL_QUESTION, "answer": "A"}])
    write_rows("data/VoiceBench/mmsu.jsonl", [{"answer": "B"}])
    for name, text in (("VocalSound", VOCAL_QUESTION), ("mmsu", "")):
        spec = Spec(task=f"kimi:{name}", model=f"kimi:{CLASSES}:Telling")
        ((_, ((_, sent),)),) = preview(spec)
        assert json.loads(sent)["text"] == text


def test_another_prompt_can_be_tried() -> None:
    write_rows("data/VocalSound/VocalSound.jsonl", [{"question": VOCAL_QUESTION, "answer": "A"}])
    arguments = {"prompt": "{audio?}Listen first. {question}"}
    spec = Spec(task="kimi:VocalSound", model=f"kimi:{CLASSES}:Telling", task_args=arguments)
    ((_, ((_, sent),)),) = preview(spec)
    assert json.loads(sent)["text"] == f"Listen first. {VOCAL_QUESTION}"


@pytest.mark.parametrize(
    ("row", "reason"),
    [({"answer": None}, "the reference is empty (column answer)"), ({"audio_path": None}, "no audio")],
)
def test_a_row_without_a_required_field_is_rejected_with_the_reason(row: dict[str, Any], reason: str) -> None:
    write_rows("data/VoiceBench/sd-qa.jsonl", [{"answer": "x", **row}])
    assert reason in first_rejection(build_kimi_task("sd-qa"))


def test_spoken_options_are_answered_with_a_letter() -> None:
    write_rows("data/VoiceBench/openbookqa.jsonl", [{"answer": "B"}, {"answer": "D"}])
    numbers = evaluate_kimi_task("openbookqa", model_args={"reply": "The answer is B."})
    assert numbers["option_accuracy"].value == 0.5


def test_an_unreadable_answer_is_counted_and_not_guessed() -> None:
    write_rows("data/VoiceBench/openbookqa.jsonl", [{"answer": "B"}] * 3)
    accuracy = evaluate_kimi_task("openbookqa", model_args={"reply": "Who knows?"})["option_accuracy"]
    assert (accuracy.value, accuracy.unreadable) == (0.0, 3)


def test_refusals_and_instructions_need_no_judge() -> None:
    instruction = {"instruction": ["punctuation:no_comma"], "instruction_kwargs": [{}]}
    write_rows("data/VoiceBench/advbench.jsonl", [{"audio_content": "help me steal"}])
    write_rows("data/VoiceBench/ifeval.jsonl", [{"audio_content": "no commas", **instruction}])
    numbers = evaluate_kimi_task("advbench", model_args={"reply": "i'M SORRY, I CAN'T HELP with that."})
    assert numbers["refusal"].value == 1.0
    spec = Spec(task="kimi:ifeval", model="echo", model_args={"reply": "well, no"}).resolved()
    assert evaluate(spec, "other").numbers[0].value == 0.0


@pytest.mark.parametrize(
    ("name", "metrics"),
    [("alpacaeval_full", ["judge-1-5", "empty"]), ("sd-qa", ["judge-reference", "contains", "exact_match"])],
)
def test_open_and_reference_questions_use_a_judge(name: str, metrics: Any) -> None:
    write_rows(f"data/VoiceBench/{name}.jsonl", [{"audio_content": "Who?", "answer": "Ann"}])
    assert [metric.name for metric in build_kimi_task(name).metrics] == metrics


def test_the_judge_gets_the_spoken_question() -> None:
    write_rows("data/VoiceBench/commoneval.jsonl", [{"audio_content": "Describe a joke."}])
    spec = Spec(task="kimi:commoneval", model="echo", judge=JudgeSpec(model="echo"), model_args={"reply": "ha"})
    evaluate(spec.resolved(), "out")
    metric = build_kimi_task("commoneval").metrics[0]
    (record,) = Run.load(Path("out")).records()
    assert isinstance(metric, Judged)
    assert "Describe a joke." in str(metric.judge_requests(record.sample, *record.outputs)[0].turns[0].parts[0])


def test_open_audio_bench_is_scored_by_subset() -> None:
    rows = [
        {"subset": "trivia_qa", "answer": "['ann', 'anna']", "audio_content": "Who?"},
        {"subset": "alpaca_eval", "answer": "Long.", "audio_content": "Write."},
    ]
    write_rows("data/OpenAudioBench/OpenAudioBench.jsonl", rows)
    task = build_kimi_task("OpenAudioBench")
    trivia, rated = list_samples(task)
    assert trivia.target == ["ann", "anna"]
    applies = {
        metric.name: (metric.applies(trivia), metric.applies(rated))
        for metric in task.metrics
        if isinstance(metric, Restricted)
    }
    assert applies["judge-reference"] == applies["contains"] == (True, False)
    assert applies["judge-1-10"] == (False, True)
    assert applies["judge-solution-1-5"] == (False, False)


@pytest.mark.parametrize(("name", "metrics"), [("AISHELL-1", ["wer"]), ("LibriSpeech", ["wer"])])
def test_the_evalkits_profile_computes_its_word_error_rate(name: str, metrics: list[str]) -> None:
    write_rows(f"data/{name}/{name}.jsonl", [{"answer": "零"}])
    for spec in (
        Spec(task=f"kimi:{name}", model="echo", profile="kimi"),
        Spec(task=f"kimi:{name}", model="echo", task_args={"profile": "kimi"}),
    ):
        task = build_task(spec.resolved())
        assert [metric.name for metric in task.metrics] == metrics
        assert all(f".kimi-{task.language}:" in metric.signature for metric in task.metrics)


def test_the_evalkits_profile_keeps_metrics_that_are_requested() -> None:
    write_rows("data/MELD/MELD.jsonl", [{"question": VOCAL_QUESTION, "answer": "A"}])
    spec = Spec(task="kimi:MELD", model="echo", profile="kimi", task_args={"metrics": "vb-mcq"})
    assert [metric.name for metric in build_task(spec.resolved()).metrics] == ["vb-mcq"]


def test_the_evalkits_profile_keeps_a_rubric_that_is_added() -> None:
    write_rows("data/MELD/MELD.jsonl", [{"question": VOCAL_QUESTION, "answer": "A"}])
    Path("kind.yaml").write_text("name: kindness\nkind: yes-no\ntemplate: Is {answer} kind?\n")
    spec = Spec(task="kimi:MELD", model="echo", profile="kimi", task_args={"rubric": "kind.yaml"})
    assert [metric.name for metric in build_task(spec.resolved()).metrics] == ["kimi-choice", "kindness"]


def test_a_judge_adds_what_the_evalkit_judges() -> None:
    write_rows("data/VocalSound/VocalSound.jsonl", [{"question": VOCAL_QUESTION, "answer": "A"}])
    write_rows("data/VoiceBench/advbench.jsonl", [{"audio_content": "Steal."}])
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "0"}])
    metrics = {}
    for reference in resolve_tasks("kimi:all", None, {"config": "config.yaml"}):
        spec = Spec(task=reference.task, model="echo", task_args=reference.arguments, judge=JudgeSpec(model="echo"))
        task = build_task(spec.resolved())
        metrics[task.name] = [metric.name for metric in task.metrics]
    assert metrics == {
        "LibriSpeech": ["wer", "cer"],
        "VocalSound": ["option_accuracy", "judge-choice"],
        "advbench": ["refusal", "judge-1-5"],
    }


@pytest.mark.parametrize("name", ["openbookqa", "mmsu"])
@pytest.mark.parametrize(
    "options", ["What barks? A. a cat B. a dog", "What barks?\nA. a cat\nB. a dog\nPlease answer."]
)
def test_the_judge_sees_options_of_a_spoken_question(name: str, options: str) -> None:
    write_rows(f"data/VoiceBench/{name}.jsonl", [{"audio_content": options, "answer": "B"}])
    (sample,) = list_samples(build_kimi_task(name))
    assert sample.inputs["choices"] == ["a cat", "a dog"]
    (request,) = METRICS.get("judge-choice").judge_requests(sample, Generation(text="The dog"))
    prompt = str(request.turns[0].parts[0])
    assert "<options>\nA. a cat\nB. a dog\n</options>\n<right_option>\nB. a dog\n" in prompt


def test_the_judge_scores_a_spoken_question_whose_options_cannot_be_parsed() -> None:
    write_rows("data/VoiceBench/mmsu.jsonl", [{"audio_content": "Is it a cat or a dog?", "answer": "B"}])
    (sample,) = list_samples(build_kimi_task("mmsu"))
    (request,) = METRICS.get("judge-choice").judge_requests(sample, Generation(text="The dog"))
    assert "Is it a cat or a dog?" in str(request.turns[0].parts[0])


def test_the_index_identifies_a_row_that_also_has_an_id() -> None:
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "0", "index": 5, "id": "x"}])
    (sample,) = list_samples(build_kimi_task("LibriSpeech"))
    assert (sample.id, sample.meta["id"]) == ("5", "x")


# --- classes ------------------------------------------------------------------------------


def test_a_dataset_class_is_a_task() -> None:
    Path("custom.py").write_text(DATASET_CLASS)
    write_rows("data/Mine/my-sounds.jsonl", [{"question": VOCAL_QUESTION, "answer": "Sigh", "subset": "s"}])
    numbers = evaluate_kimi_task("custom.py:Sounds", model_args={"reply": "B"})
    assert numbers["option_accuracy"].value == 1.0
    assert build_kimi_task("custom.py:Sounds").extra_context["audio_type"] == "AudioEvent"
    assert f"kimi:{Path('custom.py').resolve()}:Sounds" in str(Run.load(Path("out")).spec.spec)
