"""Write result files as other frameworks do, field by field, and import them."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from auricle import api
from auricle.core.types import Generation, Output, RejectedRow, Sample
from auricle.engine.task import Task
from auricle.frameworks.exchange.result_export import export_run
from auricle.frameworks.exchange.result_import import ImportOptions, import_results
from auricle.runs.run_directory import Run

Rows = Sequence[Mapping[str, Any]]
TRANSCRIPTS = (
    ("Hello Mr. World", "hello mister world"),
    ("three fine words", "three words"),
    ("and that is all", "and that is all"),
)
"""References and hypotheses of the samples in all result files."""
HYPOTHESES = [hypothesis for _, hypothesis in TRANSCRIPTS]


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def write_kimi(
    folder: Path, predictions: Sequence[str] | None = None, dataset: str = "LibriSpeech", model: str = "Kimi-Audio"
) -> Path:
    """Write `{work}/{model}/{dataset}/{model}_{dataset}.jsonl`."""
    rows = [
        {
            "index": index,
            "audio_path": f"clips/{index}.wav",
            "question": "Please write down what is spoken.",
            "answer": target,
            "subset": "test-clean" if index % 2 else "test-other",
            "task_type": "understanding",
            "prediction": prediction,
            "real_prompt": "Please write down what is spoken.",
        }
        for index, ((target, _), prediction) in enumerate(zip(TRANSCRIPTS, predictions or HYPOTHESES, strict=True))
    ]
    return write_jsonl(folder / model / dataset / f"{model}_{dataset}.jsonl", rows)


def write_open_asr(
    folder: Path, rows: Rows | None = None, model: str = "openai-whisper-tiny", dataset: str = "hf-audio-esb_ami_test"
) -> Path:
    """Write `results/MODEL_{model}_DATASET_{path}_{name}_{split}.jsonl`."""
    default_rows = [
        {"audio_filepath": f"{index}.wav", "duration": 2.0, "time": 0.25, "text": target, "pred_text": hypothesis}
        for index, (target, hypothesis) in enumerate(TRANSCRIPTS)
    ]
    return write_jsonl(folder / f"MODEL_{model}_DATASET_{dataset}.jsonl", rows or default_rows)


def write_lmms_eval(folder: Path, answers: Sequence[Any] | None = None) -> Path:
    """Write `{model}/{date}_samples_{task}.jsonl` and `{date}_results.json`."""
    rows = [
        {
            "doc_id": index,
            "target": target,
            "filtered_resps": answer,
            "token_counts": [{"output_tokens": 3}],
            "doc_hash": "0" * 64,
            "wer": {"gt": target, "pred": answer, "source": "test.clean", "task": "asr_en"},
            "input": "Please recognize the speech:",
        }
        for index, ((target, _), answer) in enumerate(zip(TRANSCRIPTS, answers or HYPOTHESES, strict=True))
    ]
    path = folder / "Qwen__Qwen2-Audio-7B" / "20260806_102223_samples_librispeech.jsonl"
    document = {"config": {"model": "qwen2_audio"}, "model_name": "Qwen/Qwen2-Audio-7B"}
    write_jsonl(path.with_name("20260806_102223_results.json"), [document])
    return write_jsonl(path, rows)


def write_ultraeval(folder: Path, failed: Collection[int] = ()) -> Path:
    """Write `res/{model}/{dataset}/{time}.jsonl`: events, in an order that mixes samples."""
    events: list[dict[str, Any]] = []
    for index, (target, hypothesis) in enumerate(TRANSCRIPTS):
        prompt = [{"role": "user", "contents": [{"type": "audio", "value": f"raw/{index}.wav"}]}]
        events.append({"type": "prompt", "id": index, "data": {"content": prompt}})
        if index in failed:
            info = "Traceback (most recent call last):\n  ...\nTimeoutError: too slow\n"
            events.append({"type": "error", "id": index, "data": {"info": info}})
            continue
        raw = json.dumps({"content": hypothesis})
        events += [
            {"type": "inference", "id": index, "data": {"content": raw}},
            {"type": "post_process", "id": index, "data": {"content": hypothesis}},
            {"type": "eval", "id": index, "data": {"pred": hypothesis, "ref": target, "wer%": 0.0}},
        ]
    return write_jsonl(folder / "gpt4o_audio" / "librispeech-test-clean" / "t.jsonl", events[::-1])


def cmi_rows() -> list[dict[str, Any]]:
    """Return rows of all four datasets with a model's predictions."""
    shared = {"prompt": "calm piano", "lyrics": "", "ref-audio-path": "", "split": "test"}
    valid = {"inference_valid_a": True, "inference_error": ""}
    scores = {"predicted_text-music alignment": 0.25, "predicted_musicality": 0.5}
    scores_b = {"predicted_text-music alignment_b": 0.75, "predicted_musicality_b": 0.125}
    rated = {**shared, **valid, **scores, "audio2": "", "text-music alignment": 2.5}
    paired = {**shared, **valid, **scores, **scores_b, "inference_valid_b": True}
    choices = {"predicted_preference": "model_a", "predicted_preference-musicality": "model_a"}
    choices["predicted_preference-alignment"] = "model_b"
    arena = "MusicArena_data/audio_files/01-2025JULAUG"
    return [
        {**rated, "audio-path": "p0.wav", "musicality": 2.0, "source": "PAM (music)"},
        {**rated, "audio-path": "p1.wav", "musicality": 4.0, "source": "PAM (music)"} | {"predicted_musicality": 0.75},
        {**rated, "audio-path": "m0.wav", "musicality": 4.5, "source": "MusicEval"} | {"predicted_musicality": 0.625},
        {**paired, **choices, "preference": "A", "source": "Music Arena ['01-2025JULAUG']"}
        | {"audio-path": f"{arena}/x-a.mp3", "audio2": f"{arena}/x-b.mp3"},
        {**paired, **choices, "source": "cmi-arena-annotation", "audio-path": "a.mp3"}
        | {"audio2": "b.mp3", "preference-musicality": "model_a", "preference-alignment": "model_a"},
    ]


def write_cmi(folder: Path, rows: Rows | None = None) -> Path:
    """Write `results.jsonl` and `metadata.json`."""
    write_jsonl(folder / "metadata.json", [{"model": "cmi_rm", "model_name": "CMI-RM"}])
    return write_jsonl(folder / "results.jsonl", rows or cmi_rows())


WRITERS: Mapping[str, Callable[[Path], Path]] = {
    "kimi": write_kimi,
    "open-asr": write_open_asr,
    "lmms-eval": write_lmms_eval,
    "ultraeval": write_ultraeval,
    "cmi": write_cmi,
}


def import_single(path: Path, format_name: str, out: Path, *, fresh: bool = False, **options: Any) -> tuple[Run, str]:
    """Import results that give one run; return it, and the line that describes it."""
    ((folder, line),) = import_results(path, format_name, out, ImportOptions(**options), fresh=fresh)
    return Run.load(folder), line


def metric_values(run: Run) -> dict[str, Any]:
    return {number.metric: number.value for number in api.load_metrics(run.path).overall}


def answer_texts(run: Run) -> list[str]:
    outputs = [record.outputs[0] for record in sorted(run.records(), key=lambda record: record.row)]
    return [output.text for output in outputs if isinstance(output, Generation)]


def failures(run: Run) -> list[tuple[str, str]]:
    return [(record.error.kind, record.error.message) for record in run.records() if record.error]


def export_and_import(run: Path, format_name: str, folder: Path, **options: Any) -> Run:
    """Export a run and import the files again."""
    export_run(run, format_name, folder / format_name)
    return import_single(folder / format_name, format_name, folder / f"{format_name}-imported", **options)[0]


def text_of(output: Output) -> str:
    """Return the text of a generation."""
    assert isinstance(output, Generation)
    return output.text


def list_samples(task: Task) -> list[Sample]:
    """Return the samples of a task, none of which may be rejected."""
    samples = list(task.samples)
    assert all(isinstance(sample, Sample) for sample in samples)
    return cast("list[Sample]", samples)


def first_rejection(task: Task) -> str:
    """Return why the first row of a task is rejected."""
    row = next(iter(task.samples))
    assert isinstance(row, RejectedRow)
    return row.reason


def write_letter_contexts(folder: Path) -> None:
    """Write the file of an evalkit checkout with the contexts in which `vb-mcq` reads letters; these are our own."""
    path = folder / "almeval" / "datasets" / "ds_mqa.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    contexts = ["choose [CHOICE]", "is [CHOICE]!", "letter: [CHOICE]\n"]
    with path.open("a", encoding="utf-8") as file:  # a page may have written a dataset there
        file.write(
            "\n\ndef extract_answer_vb_mcq(text):\n"
            f"    for template in {contexts!r}:\n        template.replace('[CHOICE]', 'a')\n"
        )
