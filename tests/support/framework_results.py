"""Result files as other tools write them, field by field."""

import json
from typing import Any

TRANSCRIPTS = (
    ("Hello Mr. World", "hello mister world"),
    ("three fine words", "three words"),
    ("and that is all", "and that is all"),
)


def write(path: Any, rows: Any) -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def kimi(folder: Any, predictions: Any = None, dataset: str = "LibriSpeech", model: str = "Kimi-Audio") -> Any:
    """`{work}/{model}/{dataset}/{model}_{dataset}.jsonl`."""
    told = predictions or [said for _, said in TRANSCRIPTS]
    rows = [
        {
            "index": at,
            "audio_path": f"clips/{at}.wav",
            "question": "Please write down what is said.",
            "answer": target,
            "subset": "test-clean" if at % 2 else "test-other",
            "task_type": "understanding",
            "prediction": said,
            "real_prompt": "Please write down what is said.",
        }
        for at, ((target, _), said) in enumerate(zip(TRANSCRIPTS, told, strict=True))
    ]
    return write(folder / model / dataset / f"{model}_{dataset}.jsonl", rows)


def open_asr(
    folder: Any, rows: Any = None, model: str = "openai-whisper-tiny", dataset: str = "hf-audio-esb_ami_test"
) -> Any:
    """`results/MODEL_{model}_DATASET_{path}_{name}_{split}.jsonl`."""
    told = rows or [
        {"audio_filepath": f"{at}.wav", "duration": 2.0, "time": 0.25, "text": target, "pred_text": said}
        for at, (target, said) in enumerate(TRANSCRIPTS)
    ]
    return write(folder / f"MODEL_{model}_DATASET_{dataset}.jsonl", told)


def lmms_eval(folder: Any, answers: Any = None, results: bool = True) -> Any:
    """`{model}/{date}_samples_{task}.jsonl` and `{date}_results.json`."""
    told = answers or [said for _, said in TRANSCRIPTS]
    rows = [
        {
            "doc_id": at,
            "target": target,
            "filtered_resps": said,
            "token_counts": [{"output_tokens": 3}],
            "doc_hash": "0" * 64,
            "wer": {"gt": target, "pred": said, "source": "test.clean", "task": "asr_en"},
            "input": "Please recognize the speech:",
        }
        for at, ((target, _), said) in enumerate(zip(TRANSCRIPTS, told, strict=True))
    ]
    path = folder / "Qwen__Qwen2-Audio-7B" / "20260806_102223_samples_librispeech.jsonl"
    if results:
        document = {"config": {"model": "qwen2_audio"}, "model_name": "Qwen/Qwen2-Audio-7B"}
        write(path.with_name("20260806_102223_results.json"), [document])
    return write(path, rows)


def ultraeval(folder: Any, broken: Any = ()) -> Any:
    """`res/{model}/{dataset}/{time}.jsonl`: events, those of several samples mixed."""
    events = []
    for at, (target, said) in enumerate(TRANSCRIPTS):
        prompt = [{"role": "user", "contents": [{"type": "audio", "value": f"raw/{at}.wav"}]}]
        events.append({"type": "prompt", "id": at, "data": {"content": prompt}})
        if at in broken:
            info = "Traceback (most recent call last):\n  ...\nTimeoutError: too slow\n"
            events.append({"type": "error", "id": at, "data": {"info": info}})
            continue
        raw = json.dumps({"content": said})
        events += [
            {"type": "inference", "id": at, "data": {"content": raw}},
            {"type": "post_process", "id": at, "data": {"content": said}},
            {"type": "eval", "id": at, "data": {"pred": said, "ref": target, "wer%": 0.0}},
        ]
    return write(folder / "gpt4o_audio" / "librispeech-test-clean" / "t.jsonl", events[::-1])


def cmi_rows() -> Any:
    """One row of each of the four datasets, with what a model predicted."""
    shared = {"prompt": "calm piano", "lyrics": "", "ref-audio-path": "", "split": "test"}
    valid = {"inference_valid_a": True, "inference_error": ""}
    scores = {"predicted_text-music alignment": 0.25, "predicted_musicality": 0.5}
    other = {"predicted_text-music alignment_b": 0.75, "predicted_musicality_b": 0.125}
    rated = {**shared, **valid, **scores, "audio2": "", "text-music alignment": 2.5}
    paired = {**shared, **valid, **scores, **other, "inference_valid_b": True}
    chosen = {"predicted_preference": "model_a", "predicted_preference-musicality": "model_a"}
    chosen["predicted_preference-alignment"] = "model_b"
    arena = "MusicArena_data/audio_files/01-2025JULAUG"
    return [
        {**rated, "audio-path": "p0.wav", "musicality": 2.0, "source": "PAM (music)"},
        {**rated, "audio-path": "p1.wav", "musicality": 4.0, "source": "PAM (music)"} | {"predicted_musicality": 0.75},
        {**rated, "audio-path": "m0.wav", "musicality": 4.5, "source": "MusicEval"} | {"predicted_musicality": 0.625},
        {**paired, **chosen, "preference": "A", "source": "Music Arena ['01-2025JULAUG']"}
        | {"audio-path": f"{arena}/x-a.mp3", "audio2": f"{arena}/x-b.mp3"},
        {**paired, **chosen, "source": "cmi-arena-annotation", "audio-path": "a.mp3"}
        | {"audio2": "b.mp3", "preference-musicality": "model_a", "preference-alignment": "model_a"},
    ]


def cmi(folder: Any, rows: Any = None) -> Any:
    """`results.jsonl` and `metadata.json`."""
    write(folder / "metadata.json", [{"model": "cmi_rm", "model_name": "CMI-RM"}])
    return write(folder / "results.jsonl", rows or cmi_rows())


WRITERS = {"kimi": kimi, "open-asr": open_asr, "lmms-eval": lmms_eval, "ultraeval": ultraeval, "cmi": cmi}
