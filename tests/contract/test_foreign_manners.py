"""A misbehaving class of another framework fails its own sample only, and is named in the error."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle.runs.run_directory import Run

KIMI = """
from .base import BaseModel


class Mine(BaseModel):
    def __init__(self, way):
        self.way = way

    def generate_inner(self, msg):
        if msg["text"] != "bad":
            return "", msg["text"]
        if self.way == "raises":
            raise ValueError("no luck")
        if self.way == "prints":
            print("thinking aloud")
        if self.way == "changes":
            msg["audio"].clear()
            msg["meta"].clear()
            del msg["text"]
        return {"nothing": None, "shape": ("", "a", "b")}.get(self.way, ("", "bad"))
"""

LMMS = """
from lmms_eval.api.model import lmms


class Mine(lmms):
    is_simple = False

    def __init__(self, way, batch_size=1):
        super().__init__()
        self.way, self.batch_size = way, 3

    def generate_until(self, requests):
        texts = [request.args[0] for request in requests]
        if "bad" not in texts:
            return texts
        if self.way == "raises":
            raise ValueError("no luck")
        if self.way == "prints":
            print("thinking aloud")
        if self.way == "changes":
            for request in requests:
                context, doc_to_messages, settings, doc_id, task, split = request.args
                doc_to_messages(self.task_dict[task][split][doc_id]).clear()
                self.task_dict[task][split][doc_id].clear()
                settings.clear()
            requests.clear()
        return {"nothing": None, "shape": texts[1:]}.get(self.way, texts)
"""

AISBENCH = """
from ais_bench.benchmark.openicl.icl_inferencer.icl_base_local_inferencer import BaseLocalInferencer


class Mine(BaseLocalInferencer):
    def __init__(self, model_cfg, way="", **kwargs):
        super().__init__(model_cfg, **kwargs)
        self.way = way

    def batch_inference(self, datum):
        (index,), (abbr,) = datum["index"], datum["data_abbr"]
        prompts = list(datum["prompt"])
        (text,) = self.model.generate(prompts, 16)
        if "bad" in str(prompts[0]):
            if self.way == "raises":
                raise ValueError("no luck")
            if self.way == "prints":
                print("thinking aloud")
            if self.way == "changes":
                datum.clear()
            text = {"nothing": None, "shape": 7}.get(self.way, text)
        self.output_handler.report_cache_info_sync(index, prompts[0], text, abbr)
"""

SER = """
from models.base import BaseModelWrapper


class Mine(BaseModelWrapper):
    name, output_type, labels = "Mine", "probabilities", ["one", "two"]

    def __init__(self, way):
        self.way = way

    def load(self): ...

    def predict(self, audio_path):
        return self.predict_batch([audio_path])[0]

    def predict_batch(self, audio_paths):
        answers = [{"labels": self.labels, "scores": [0.75, 0.25]} for _ in audio_paths]
        if not any(path.endswith("bad.wav") for path in audio_paths):
            return answers
        if self.way == "raises":
            raise ValueError("no luck")
        if self.way == "prints":
            print("thinking aloud")
        if self.way == "changes":
            audio_paths.clear()
        return {"nothing": None, "shape": answers[1:]}.get(self.way, answers)
"""

CMI = """
from core.model_abc import BenchmarkModelABC


class Mine(BenchmarkModelABC):
    sr = 16_000

    def __init__(self, checkpoint, device, way):
        self.way = way

    def score_batch(self, inputs, batch_size, max_dur, **kwargs):
        scores = [[len(each.text), len(each.text)] for each in inputs]
        if all(each.text != "bad" for each in inputs):
            return scores
        if self.way == "raises":
            raise ValueError("no luck")
        if self.way == "prints":
            print("thinking aloud")
        if self.way == "changes":
            for each in inputs:
                each.audio = each.text = None
            inputs.clear()
        return {"nothing": None, "shape": scores[1:]}.get(self.way, scores)
"""

SOURCES = {"kimi": KIMI, "lmms": LMMS, "aisbench": AISBENCH, "ser": SER, "cmi": CMI}
TASK_KINDS = {"ser": "classify", "cmi": "reward"}
FAULTS = ("raises", "prints", "changes", "nothing", "shape")
HARMLESS = {(framework, "prints") for framework in SOURCES} | {
    (framework, "changes")
    for framework in SOURCES
    if framework != "ser"  # a changed list of paths is reported as a failure
}


def build_rows(tone: Any) -> Iterator[dict[str, Any]]:
    for name in ("first", "bad", "last"):
        audio = str(tone(f"{name}.wav"))
        yield {"id": name, "audio": audio, "question": name, "text": name, "answer": name,
               "label": "one", "score": len(name)}  # fmt: skip


def model_arguments(framework: str, fault: str) -> list[str]:
    """Return the options that select the class; for AISBench it is an inferencer with a model that repeats."""
    if framework == "aisbench":
        inferencer = json.dumps({"use": "aisbench:mine.py:Mine", "way": fault})
        return ["-T", f"inferencer={inferencer}", "-m", "echo"]
    extra = ["-M", "device=cpu", "-T", "outputs=alignment"] if framework == "cmi" else []
    return ["-m", f"{framework}:mine.py:Mine", "-M", f"way={fault}", *extra]


def answer_of(output: Any) -> Any:
    return output.text if hasattr(output, "text") else next(iter(output.values.values()))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("framework", SOURCES)
def test_a_faulty_class_fails_its_own_sample_and_is_named(
    framework: str, fault: str, auricle: Any, manifest: Any, tone: Any, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(SOURCES[framework])
    data = manifest(build_rows(tone), "rows.jsonl")
    arguments = ["run", str(data), "--as", TASK_KINDS.get(framework, "qa"), *model_arguments(framework, fault)]
    result = auricle(*arguments, "-o", "run", "--json" if fault == "prints" else "--infer-only")
    is_harmless = (framework, fault) in HARMLESS
    assert result.returncode == (0 if is_harmless else 3), result.stderr
    assert fault != "prints" or json.loads(result.stdout)  # output of the class does not mix with the JSON
    records = {record.sample.id: record for record in Run.load(tmp_path / "run").records()}
    assert [name for name, record in records.items() if record.error] == ([] if is_harmless else ["bad"])
    for name, record in records.items():
        if record.error:
            assert "Mine" in record.error.message
        else:
            (output,) = record.outputs
            assert {"ser": 0.75, "cmi": len(name)}.get(framework, name) == answer_of(output)
