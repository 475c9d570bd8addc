import json
import re
from pathlib import Path
from typing import Any, cast

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Generation
from auricle.frameworks.lmms.data import FileDocs, render_template
from auricle.media import Audio, Image
from tests.frameworks.lmms.task_files import FAULTY_FUNCTIONS, build_lmms_task, first_requests, run_task
from tests.support.extras import require_extra
from tests.support.framework_results import first_rejection, list_samples


def test_prompts_come_from_functions_and_settings_from_fields(folder: Path) -> None:
    (request,) = first_requests(build_lmms_task(folder))
    (turn,) = request.turns
    assert isinstance(turn.parts[0], Audio)
    assert turn.parts[1] == "Q0? Say it."
    assert (request.max_tokens, request.temperature) == (16, 0.0)
    assert request.stop == ("\n\n",)


def test_messages_keep_their_order_and_roles(folder: Path) -> None:
    task = build_lmms_task(folder, "doc_to_messages: !function utils.doc_to_messages\n")
    system, user = first_requests(task)[0].turns
    assert (system.role, system.parts) == ("system", ("Be brief.",))
    assert user.parts[0] == "First:"
    assert isinstance(user.parts[1], Audio)


def test_columns_and_templates_need_no_function(folder: Path) -> None:
    text = """
dataset_path: json
dataset_kwargs: {data_files: rows.jsonl}
test_split: test
doc_to_visual: audio
doc_to_text: "Listen. {{question}}"
doc_to_target: "{{answer}}!"
description: "About {{ task }}. "
generation_kwargs: {until: [".", "?"]}
metric_list: [{metric: exact_match, aggregation: mean, ignore_case: true, ignore_punctuation: true}]
"""
    task = build_lmms_task(folder, text=text)
    (request,) = first_requests(task)
    assert request.turns[0].parts[1] == "About music. Listen. Q0?"
    assert request.stop == (".", "?")
    sample = list_samples(task)[0]
    assert sample.target == "no!"
    (metric,) = task.metrics
    assert metric.signature == "exact_match:2.lmms.ignore_case.ignore_punctuation"
    assert metric.score(sample, Generation(text=" NO ")) == 1.0
    assert metric.score(sample, Generation(text="not")) == 0.0


def test_templates_may_use_jinja() -> None:
    assert render_template("{% if a > 1 %}{{ a }}{% else %}few{% endif %}", {"a": 2}) == "2"
    with pytest.raises(SampleError, match="'b' is undefined"):
        render_template("{{ b|upper }}", {"a": 2})
    with pytest.raises(SampleError, match="columns: a"):
        render_template("{{ b }}", {"a": 2})


def test_docs_keep_their_index_and_columns(folder: Path) -> None:
    samples = list_samples(build_lmms_task(folder))
    assert [sample.id for sample in samples] == ["0", "1", "2", "3"]
    assert samples[2].meta == {"question": "Q2?", "answer": "no", "task": "sound"}


def test_a_doc_is_rejected_with_the_name_of_the_failing_function(folder: Path) -> None:
    reason = first_rejection(build_lmms_task(folder, "doc_to_target: !function utils.broken\n"))
    assert "utils.broken raised KeyError: 'nothing' (utils.py:" in reason


@pytest.mark.parametrize(
    ("field", "function", "message"),
    [
        ("doc_to_text", "leaving", r"faulty\.leaving raised SystemExit: 1"),
        ("doc_to_text", "nothing", "doc_to_text returned None instead of text"),
        ("doc_to_visual", "lone", r"faulty\.lone should return a list, not LazyAudioDict"),
    ],
)
def test_an_invalid_return_value_rejects_the_doc(folder: Path, field: str, function: str, message: str) -> None:
    (folder / "faulty.py").write_text(FAULTY_FUNCTIONS)
    reason = first_rejection(build_lmms_task(folder, f"{field}: !function faulty.{function}\n"))
    assert re.match(message, reason)


def test_a_doc_may_have_no_media(folder: Path) -> None:
    (folder / "faulty.py").write_text(FAULTY_FUNCTIONS)
    (request,) = first_requests(build_lmms_task(folder, "doc_to_visual: !function faulty.nothing\n"))
    assert request.turns[0].parts == ("Q0? Say it.",)


def test_changes_to_a_doc_do_not_leak(folder: Path) -> None:
    (folder / "faulty.py").write_text(FAULTY_FUNCTIONS)
    (first, *_) = list_samples(build_lmms_task(folder, "doc_to_text: !function faulty.clearing\n"))
    assert (first.target, first.meta["task"]) == ("no", "music")


def test_data_may_be_a_json_array(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    (folder / "all.json").write_text(json.dumps(rows))
    task = build_lmms_task(folder, options={"data": str(folder / "all.json")})
    assert len(list(task.samples)) == len(cast(FileDocs, task.samples)) == 4


def test_another_split_reads_another_file(folder: Path, manifest: Any) -> None:
    manifest([{"audio": "0.wav", "question": "?", "answer": "a", "task": "t"}], "other.jsonl")
    task = build_lmms_task(folder, options={"split": "dev"})
    assert first_requests(task)[0].turns[0].parts[0].path == folder / "0.wav"


def test_a_saved_dataset_is_read_with_encoded_audio(folder: Path) -> None:
    require_extra("huggingface")
    import datasets

    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    for row in rows:
        row["audio"] = {"bytes": (folder / row["audio"]["path"]).read_bytes(), "path": None}
    dataset = datasets.Dataset.from_list(rows)
    datasets.DatasetDict({"test": dataset}).save_to_disk(folder / "saved")
    added = f"dataset_path: {folder / 'saved'}\nprocess_docs: !function utils.dataset_map\n"
    added += "dataset_kwargs: {token: true}\n"
    task = build_lmms_task(folder, added)
    samples = list_samples(task)
    assert [sample.meta["task"] for sample in samples] == ["music", "music"]
    assert first_requests(task)[0].turns[0].parts[0].info().rate == 16_000


def test_process_docs_applies_to_files(folder: Path) -> None:
    require_extra("huggingface")
    assert len(list(build_lmms_task(folder, "process_docs: !function utils.dataset_map\n").samples)) == 2


def test_images_in_rows_are_sent_as_images(folder: Path, manifest: Any) -> None:
    from PIL import Image as Pillow

    Pillow.new("RGB", (2, 2)).save(folder / "p.png")
    row = {"audio": {"bytes": None, "path": "p.png"}, "question": "?", "answer": "a", "task": "t"}
    manifest([row], "rows.jsonl")
    assert isinstance(first_requests(build_lmms_task(folder))[0].turns[0].parts[0], Image)


DECODER_MODULE = """

def decoder_to_audio(doc):
    samples = doc["audio"].get_all_samples()
    return [{"array": samples.data.cpu().numpy(), "sampling_rate": doc["audio"]._desired_sample_rate}]


def attributes_to_audio(doc):
    return [{"array": doc["audio"].array, "sampling_rate": doc["audio"].sampling_rate}]


def swallows_its_error(doc):
    try:
        return [doc["audio"].no_such_member]
    except Exception:
        return []
"""


@pytest.mark.parametrize("function", ["decoder_to_audio", "attributes_to_audio"])
def test_functions_may_use_audio_as_a_decoder(folder: Path, function: str) -> None:
    with (folder / "utils.py").open("a") as utils:
        utils.write(DECODER_MODULE)
    (request,) = first_requests(build_lmms_task(folder, f"doc_to_visual: !function utils.{function}\n"))
    audio = request.turns[0].parts[0]
    assert (audio.info().rate, audio.info().frames, audio.info().channels) == (16_000, 800, 1)


@pytest.mark.parametrize("as_path", [False, True])
def test_audio_that_a_function_does_not_return_is_reported(folder: Path, as_path: bool) -> None:
    with (folder / "utils.py").open("a") as utils:
        utils.write(DECODER_MODULE)
    build_lmms_task(folder, "doc_to_visual: !function utils.swallows_its_error\n")
    if as_path:
        rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
        rows = [{**row, "audio": row["audio"]["path"]} for row in rows]
        (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    metrics = run_task(folder, "'yes'")
    assert metrics["outcomes"]["audio_not_sent"] == 4
    assert any("4 of 4 samples have audio that was not sent" in note for note in metrics["notes"])


@pytest.mark.parametrize("template", ["Topic: {{ topic }}\n\n", "Topic: {{ topic | lower }}\n\n"])
def test_templates_lose_one_line_break_at_their_end_with_and_without_jinja(template: str) -> None:
    assert render_template(template, {"topic": "music"}) == "Topic: music\n"
