"""Write a task of lmms-eval with functions, rows and recordings, and build or run it."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle import Spec, evaluate
from auricle.core.types import RejectedRow, Request
from auricle.engine.catalogue import TASKS
from auricle.engine.inferencers.base import preview_requests
from auricle.engine.task import Task

UTILS_MODULE = """
import random
import urllib.request
from collections import defaultdict

from loguru import logger as eval_logger
from lmms_eval.llm_judge import ServerConfig, get_server
from lmms_eval.tasks._task_utils.file_utils import generate_submission_file


def doc_to_audio(doc):
    return [doc["audio"]]


def doc_to_text(doc, lmms_eval_specific_kwargs):
    print("a line on stdout")
    pre, post = (lmms_eval_specific_kwargs[f"{each}_prompt"] for each in ("pre", "post"))
    return f"{pre}{doc['question']}{post}"


def doc_to_messages(doc, lmms_eval_specific_kwargs=None):
    content = [{"type": "text", "text": "First:"}, {"type": "audio", "url": doc["audio"]}]
    return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": content}]


def process_results(doc, result):
    doc["seen"] = True
    answer = result[0] or random.choice(["yes", "no"])
    right = float(answer == doc["answer"])
    scores = {"accuracy": {"overall": right, "task": doc["task"]}, "plain": right, "all": {**doc}}
    return scores if doc["task"] == "music" else {**scores, "sometimes": right}


def aggregate(results, args):
    groups = defaultdict(list)
    for result in results:
        groups[result["task"]].append(result["overall"])
    return round(100 * sum(sum(values) / len(values) for values in groups.values()) / len(groups), 5)


def submit(results, args):
    with open(generate_submission_file("all.json", args), "w") as file:
        file.write(str(results))


def judged(doc, result):
    return {"plain": ask_judge(result[0])}


def ask_judge(text):
    return urllib.request.urlopen("http://judge", data=text).read()


def judged_within(doc, result):
    from openai import OpenAI

    return {"plain": OpenAI().rate(result[0])}


server = get_server(server_name="openai", config=ServerConfig(model_name="judge"))


class Judge:
    def rate(self, text):
        return server.evaluate(text)


def judged_by_class(doc, result):
    return {"plain": Judge().rate(result[0])}


def count_rounds(doc, results):
    return {"rounds": len(results[0]) if results[0][0] == "a " else 0}


def broken(doc, *_):
    return doc["nothing"]


def dataset_map(dataset):
    return dataset.filter(lambda doc: doc["task"] == "music")


def rounds(
    doc,
    lmms_eval_specific_kwargs=None,
    round_idx=None,
    previous_output=None,
    previous_round_info=None,
):
    if round_idx is None:
        return "Start."
    if round_idx == 3:
        return None, None, True, previous_output, previous_round_info
    text = f"You answered {previous_output[-1]}; {doc['audio']['sampling_rate']}"
    return [doc["audio"]], text, False, previous_output, {"at": round_idx}
"""

BASE_YAML = """
dataset_path: json
dataset_kwargs:
  data_files: {test: rows.jsonl, dev: other.jsonl}
doc_to_visual: !function utils.doc_to_audio
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
generation_kwargs:
  max_new_tokens: 16
  temperature: 0
  top_p: 1.0
lmms_eval_specific_kwargs:
  default: {pre_prompt: "", post_prompt: " Say it."}
  qwen: {pre_prompt: "<q>", post_prompt: ""}
process_results: !function utils.process_results
metric_list:
  - metric: accuracy
    aggregation: !function utils.aggregate
    higher_is_better: true
  - metric: plain
    aggregation: mean
    higher_is_better: true
"""
TASK_YAML = "include: _base\ntask: mine\ntest_split: test\n"
MULTIPLE_CHOICE = """
output_type: multiple_choice
doc_to_choice: ["no", "yes"]
generation_kwargs: null
process_results: null
"""
FAULTY_FUNCTIONS = """
def nothing(doc, *_):
    return None


def leaving(doc, *_):
    raise SystemExit(1)


def clearing(doc, *_):
    doc.clear()
    return "What?"


def lone(doc):
    return doc["audio"]
"""


def build_lmms_task(
    folder: Path, added: str = "", options: Mapping[str, Any] | None = None, text: str | None = None
) -> Task:
    """Build the task of `task.yaml`, with lines added to it or with another text."""
    if text is not None:
        (folder / "task.yaml").write_text(text)
    if added:
        with (folder / "task.yaml").open("a") as file:
            file.write(added)
    task: Task = TASKS.get(f"lmms:{folder / 'task.yaml'}")(**(options or {}))
    return task


def first_requests(task: Task) -> list[Any]:
    """Return the requests for the first sample of a task."""
    sample = next(iter(task.samples))
    assert not isinstance(sample, RejectedRow), sample
    requests: list[Request] = asyncio.run(preview_requests(task.inferencer, sample))
    return list(requests)


def run_task(folder: Path, expression: str) -> dict[str, Any]:
    """Run the task with a model that returns an expression of `text`; return metrics.json."""
    (folder / "model.py").write_text(f"def answer(text, audio) -> str:\n    return {expression}\n")
    spec = Spec(task=f"lmms:{folder / 'task.yaml'}", model=f"{folder}/model.py:answer")
    evaluate(spec, out=folder / "run")
    return read_metrics(folder)


def read_metrics(folder: Path) -> dict[str, Any]:
    metrics: dict[str, Any] = json.loads((folder / "run" / "metrics.json").read_text())
    return metrics


def overall_values(metrics: Mapping[str, Any]) -> dict[str, float]:
    return {number["metric"]: number["value"] for number in metrics["numbers"] if number["group"] == "all"}
