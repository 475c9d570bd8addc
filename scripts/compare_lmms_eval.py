"""Compare Auricle with lmms-eval: groups, prompts, targets, choices, generation settings and metric values.

    python scripts/compare_lmms_eval.py ~/src/lmms-eval

Every task YAML of the checkout is imported. For those that Auricle does not refuse, rows and answers are generated, and
the functions of the YAML run twice: through lmms-eval's own classes in a second process, and through Auricle. Judges of
lmms-eval get replies with the same marks as Auricle's rubrics. The Python that runs this script needs Auricle and the
packages of lmms-eval; nothing is downloaded.
"""

from __future__ import annotations

import json
import logging
import os
import select
import subprocess
import sys
import tempfile
import warnings
import wave
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

from auricle.core.errors import AuricleError, Unreadable
from auricle.core.types import Generation, Likelihood, RejectedRow, Sample, Turn
from auricle.engine.task import Task
from auricle.frameworks.lmms.config_reader import TaskConfig, read_config
from auricle.frameworks.lmms.groups import is_group, list_members
from auricle.frameworks.lmms.judges import find_judged_metric
from auricle.frameworks.lmms.tasks import GenerateOnce, LmmsTaskOptions, build_task
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Judged

sys.path.insert(0, str(Path(__file__).parents[1]))
from scripts.comparison import Comparison, checkout_argument

REFERENCE = Path(__file__).with_name("lmms_eval_reference.py")
MAX_TASK_SECONDS = 120
"""Time for one task, and for the first one to import lmms-eval."""
MARKS = 12
"""Rows of which a judge gives marks."""
DATA_FIELDS = (
    *("task", "task_alias", "tag", "group", "description", "metadata"),
    *("dataset_path", "dataset_name", "dataset_kwargs", "training_split", "validation_split", "test_split"),
)
MAX_PER_FAMILY = 15
"""Most tasks that are run of those which differ only in their data, such as the subjects of an exam."""
MEDIA_FILES = {"audio": "0.wav", "image": "0.png"}


# --- Auricle's side --------------------------------------------------------------------------


def build_our_task(config: TaskConfig, data: Path, *, with_media: bool) -> Task:
    """Build the task of a YAML with generated rows, without separate media if they cannot be generated."""
    if not with_media:
        config = replace(config, values={**config.values, "doc_to_visual": None})
    return build_task(config, LmmsTaskOptions(data=str(data), root=str(data.parent)))


def describe_sample(sample: Sample, has_media: bool) -> dict[str, Any]:
    turns: Sequence[Turn] = sample.inputs["turns"]  # type: ignore[assignment]
    parts = [part for turn in turns for part in turn.parts]
    described: dict[str, Any] = {"target": sample.target, "texts": [part for part in parts if isinstance(part, str)]}
    if has_media:
        described["media"] = len(parts) - len(described["texts"])
    if "choices" in sample.inputs:
        described["choices"] = sample.inputs["choices"]
    return described


def score_metric(metric: Metric, samples: Sequence[Sample], result: Mapping[str, Any], marks: Any) -> Any:
    """Return a metric's value over the rows that lmms-eval scored without guessing."""
    stats = []
    for index, sample in enumerate(samples):
        if index in result["guessed"]:
            continue
        outputs = make_outputs(sample, result["predictions"][index])
        arguments = {"verdicts": write_verdicts(metric, marks[index])} if isinstance(metric, Judged) else {}
        stat = metric.score(sample, *outputs, **arguments)
        if stat is not None:
            stats.append(stat)
    return float(metric.aggregate(stats)) if stats else "no values"


def make_outputs(sample: Sample, prediction: Any) -> list[Any]:
    if isinstance(prediction, str):
        return [Generation(text=prediction)]
    choices: Sequence[str] = sample.inputs["choices"]  # type: ignore[assignment]
    return [
        Likelihood(logprobs=(-loss,), text=f" {choice}", conditioned_on="context")
        for loss, choice in zip(prediction, choices, strict=True)
    ]


def write_verdicts(metric: Metric, marks: Sequence[int]) -> list[str]:
    """Write replies in the form of the metric's rubric."""
    if "two-answers" in metric.variant:
        return [json.dumps({"first": 7, "second": marks[0]}), json.dumps({"first": marks[1], "second": 7})]
    if "judge-reference" in metric.variant or "same-description" in metric.variant:
        return [f"Verdict: {'yes' if marks[0] else 'no'}"]
    return [f"Score: {marks[0]}"]


def choose_marks(config: TaskConfig) -> list[list[int]]:
    """Choose two marks per row on the scale of the rubric."""
    names = [
        str(config.get("process_results")),
        *(str(entry.get("aggregation")) for entry in config.get("metric_list", [])),
    ]
    metrics = [str(entry.get("metric")) for entry in config.get("metric_list", [])]
    judged = next(filter(None, (find_judged_metric(name, metric) for name in names for metric in metrics)), None)
    rubric = judged.load_rubric() if judged else None
    low, high = (rubric.low, rubric.high) if rubric and rubric.kind == "scale" else (0, 1)
    return [[low + (7 * index + order) % (high - low + 1) for order in range(2)] for index in range(MARKS)]


# --- the comparison ----------------------------------------------------------------------------------


class Reference:
    """A process that runs lmms-eval's own code; it is started again if a task does not end."""

    def __init__(self, checkout: Path, log: Path) -> None:
        self._environment = {**os.environ, "PYTHONPATH": str(checkout)}
        self._log = log.open("w")
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(REFERENCE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=self._environment,
        )

    def ask(self, job: Mapping[str, Any], seconds: float = MAX_TASK_SECONDS) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        is_ready, *_ = select.select([self._process.stdout], [], [], seconds)
        line = self._process.stdout.readline() if is_ready else ""
        if line:
            result: dict[str, Any] = json.loads(line)
            return result
        self._process.kill()
        self._process.wait()
        self._start()
        return {"error": "lmms-eval's process ended or did not answer"}

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
        self._log.close()


class TaskComparison:
    """Compares one task after the other."""

    def __init__(self, comparison: Comparison, reference: Reference, folder: Path, tasks_folder: Path) -> None:
        self.comparison, self.reference, self.folder, self.tasks_folder = comparison, reference, folder, tasks_folder
        self.not_run: list[str] = []
        self.families: Counter[str] = Counter()
        self.compared = self.repeated = 0

    def compare(self, path: Path) -> None:
        name = str(path.relative_to(self.tasks_folder).with_suffix(""))
        data = self.folder / "rows.jsonl"
        try:
            config = read_config(path)
            with silence():
                build_our_task(config, data, with_media=True)
        except AuricleError as error:
            reason = str(error).replace(f"{self.tasks_folder}/", "")
            self.comparison.refuse("task files", name, reason[:300])
            return
        self.comparison.add("task files", name, "imported", "imported")
        if config.get("output_type") == "generate_until_multi_round" or config.get("process_docs") is not None:
            self.not_run.append(f"{name}: its docs depend on rounds or on a whole dataset")
            return
        family = family_of(config)
        self.families[family] += 1
        if self.families[family] > MAX_PER_FAMILY:
            self.repeated += 1
            return
        marks = choose_marks(config)
        result = self.reference.ask({"path": str(path), "marks": marks, "folder": str(self.folder)})
        if "error" in result:
            self.not_run.append(f"{name}: {result['error']}")
            return
        self.compared += 1
        self._write_rows(data, result["rows"])
        with silence():
            task = build_our_task(config, data, with_media=result["media_works"])
            self._compare_rows(name, task, result)
            self._compare_metrics(name, task, result, marks)
        self._compare_generation(name, task, result["generation"])

    def _write_rows(self, data: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        data.write_text("".join(json.dumps(place_media(row)) + "\n" for row in rows))

    def _compare_rows(self, name: str, task: Task, result: Mapping[str, Any]) -> None:
        for index, (sample, theirs) in enumerate(zip(task.samples, result["described"], strict=True)):
            if isinstance(sample, RejectedRow):
                self.comparison.refuse("prompts", f"{name}[{index}]", sample.reason)
                continue
            ours = describe_sample(sample, "media" in theirs)
            subjects = {"texts": "prompts", "target": "targets", "choices": "choices", "media": "media counts"}
            for field, subject in subjects.items():
                if field in theirs:
                    self.comparison.add(subject, f"{name}[{index}]", ours.get(field), theirs[field])

    def _compare_metrics(self, name: str, task: Task, result: Mapping[str, Any], marks: Any) -> None:
        samples = [sample for sample in task.samples if isinstance(sample, Sample)]
        if len(samples) < len(result["rows"]):
            return  # refused above
        ours = {metric.name: metric for metric in task.metrics}
        if task.inferencer.needs == "loglikelihood":
            ours |= {"acc_norm": ours["acc_char"]} if "acc_char" in ours else {}
        for metric in task.metrics:
            ours.setdefault(metric.name.partition("-")[0], metric)  # the first of several filter pipelines
        notes = {note.partition(" ")[0]: note for note in task.notes("", {})}
        for metric, value in result["values"].items():
            label = f"{name} {metric}"
            subject = "judged metric values" if isinstance(ours.get(metric), Judged) else "metric values"
            if metric not in ours:
                self.comparison.refuse(subject, label, notes.get(metric, "not among Auricle's metrics of the task"))
                continue
            try:
                number = score_metric(ours[metric], samples, result, marks)
            except AuricleError as error:
                if isinstance(error, Unreadable) or str(value).startswith("not a number"):
                    self.comparison.refuse(subject, label, str(error))
                    continue
                # A function that rejects its values does so on both sides.
                number = value if str(value) in str(error) and "Error" in str(value) else str(error)
            self.comparison.add(subject, label, number, value)

    def _compare_generation(self, name: str, task: Task, theirs: Mapping[str, Any]) -> None:
        if not isinstance(task.inferencer, GenerateOnce):
            return
        until = theirs.get("until")
        expected: dict[str, Any] = {"stop": [until] if isinstance(until, str) else list(filter(None, until or ()))}
        expected["temperature"] = float(theirs.get("temperature") or 0.0)
        ours: dict[str, Any] = {"stop": list(task.inferencer.stop), "temperature": task.inferencer.temperature}
        if theirs.get("max_new_tokens"):
            ours["tokens"], expected["tokens"] = task.inferencer.max_tokens, theirs["max_new_tokens"]
        self.comparison.add("generation settings", name, ours, expected)


def family_of(config: TaskConfig) -> str:
    """Return the fields that decide prompts and scores; tasks that share them differ only in their data."""
    folder = config.source.parent
    return repr(
        (folder, sorted((name, repr(value)) for name, value in config.values.items() if name not in DATA_FIELDS))
    )


def place_media(value: Any) -> Any:
    """Put files in place of the marks of sounds and images."""
    if isinstance(value, Mapping):
        if value.keys() == {"media"}:
            return {"bytes": None, "path": MEDIA_FILES[value["media"]]}
        return {name: place_media(item) for name, item in value.items()}
    return [place_media(item) for item in value] if isinstance(value, list) else value


def compare_groups(comparison: Comparison, theirs: Mapping[str, Sequence[str]], tasks_folder: Path) -> None:
    """Compare the members of groups; lmms-eval expands tags in the order of the file system."""
    for path, members in theirs.items():
        try:
            ours = sorted(member.name for member in list_members(read_config(tasks_folder / path)))
        except AuricleError as error:
            comparison.refuse("groups", path, str(error)[:200])
        else:
            comparison.add("groups", path, ours, sorted(members))


@contextmanager
def silence() -> Iterator[None]:
    """Discard what the functions of tasks print."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):  # noqa: PTH123
        yield


def write_media(folder: Path) -> None:
    from PIL import Image

    with wave.open(str(folder / MEDIA_FILES["audio"]), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(bytes(3200))
    Image.new("RGB", (8, 8)).save(folder / MEDIA_FILES["image"])


def run(checkout: Path, pattern: str = "*.yaml") -> TaskComparison:
    """Compare the tasks whose path matches a pattern."""
    tasks_folder = checkout / "lmms_eval" / "tasks"
    comparison = Comparison("lmms-eval")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_media(folder)
        reference = Reference(checkout, folder / "lmms_eval.log")
        tasks = TaskComparison(comparison, reference, folder, tasks_folder)
        for path in sorted(tasks_folder.rglob(pattern)):
            config = read_config(path)
            if isinstance(config.get("task"), str) and not is_group(config):
                tasks.compare(path)
        if pattern == "*.yaml":
            answer = reference.ask({"tasks_folder": str(tasks_folder)}, seconds=1200)  # it reads every YAML slowly
            compare_groups(comparison, answer.get("groups", {}), tasks_folder)
        reference.close()
    return tasks


def main() -> int:
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    tasks = run(checkout_argument(__doc__))
    for line in tasks.not_run:
        print(f"imported, not run  {line}")
    print(tasks.comparison.format())
    print(f"run on generated rows: {tasks.compared} tasks")
    print(f"imported, not run: {tasks.repeated} that differ from these only in their data, {len(tasks.not_run)} others")
    return tasks.comparison.exit_code


if __name__ == "__main__":
    sys.exit(main())
