"""Run the functions of lmms-eval's task YAMLs on generated rows; `compare_lmms_eval.py` starts it.

It reads one JSON line per task, `{"path": FILE, "marks": [[4, 3], …], "folder": FOLDER}`, and writes one JSON line per
task with the rows it made and what lmms-eval's own code returns for them. Rows are found by trial: a column gets
another type until the functions of the task accept all rows.
"""

from __future__ import annotations

import copy
import inspect
import json
import math
import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any

ROWS = 12
MAX_TRIALS = 120
TASK_SECONDS = 6
WORDS = ("a dog", "red car", "two", "loud music", "yes", "no", "the cat sat", "rain", "blue", "seven", "piano", "left")
TEMPLATE_COLUMN = re.compile(r"\{\{\s*(\w+)")
AUDIO, IMAGE = {"media": "audio"}, {"media": "image"}
PREDICTIONS = ("B", "(C)", "The answer is A.", "yes", "no", "red car", "", "D. something", "7", "a dog barks loudly")
"""Answers of a model, besides each row's own target."""


# --- values of columns ----------------------------------------------------------------------


def _words(index: int, name: str) -> str:
    return f"{WORDS[(index + len(name)) % len(WORDS)]} {name.replace('_', ' ')}"


VALUES: Mapping[str, Callable[[int, str], Any]] = {
    "text": _words,
    "word": lambda index, _: WORDS[index % len(WORDS)],
    "letter": lambda index, _: "ABCD"[index % 4],
    "digit": lambda index, _: str(index % 4),
    "number": lambda index, _: index % 4,
    "fraction": lambda index, _: (index % 4) / 4,
    "yes or no": lambda index, _: ("yes", "no")[index % 2],
    "flag": lambda index, _: bool(index % 2),
    "list": lambda index, name: [f"{WORDS[(index + item) % len(WORDS)]} {item}" for item in range(4)],
    "list text": lambda index, name: str(VALUES["list"](index, name)),
    "json text": lambda index, name: json.dumps(VALUES["list"](index, name)),
    "options": lambda index, _: [f"{'ABCD'[item]}. {WORDS[(index + item) % len(WORDS)]}" for item in range(4)],
    "mapping": lambda index, _: {letter: WORDS[(index + item) % len(WORDS)] for item, letter in enumerate("ABCD")},
    "audio": lambda index, _: dict(AUDIO),
    "image": lambda index, _: dict(IMAGE),
    "nothing": lambda index, _: None,
    "language": lambda index, _: "English",
    "capability": lambda index, _: "Plot Attribute",
}
KINDS_BY_NAME: Sequence[tuple[str, tuple[str, ...]]] = (
    (r"^(audio|source_wav|wav|sound|speech)$|audio_path", ("audio", "text")),
    (r"^context$", ("text", "audio")),
    (r"image|img|visual|picture", ("image", "text", "list")),
    (r"choices|options|candidates", ("list", "list text", "json text", "options", "mapping", "text")),
    (
        r"answer|label|gt|gold|correct|solution",
        ("letter", "word", "text", "number", "list", "digit", "list text", "yes or no"),
    ),
    (r"language", ("language", "text", "letter")),
    (r"capability", ("capability", "text")),
    (r"index|idx|num|count|year|id$", ("number", "text", "digit")),
    (r"time|duration|start|end|score", ("fraction", "number", "text")),
    (r"", ("text", "word", "letter", "list", "number", "digit", "mapping", "flag", "nothing")),
)


def kinds_for(name: str) -> tuple[str, ...]:
    kinds = next(kinds for pattern, kinds in KINDS_BY_NAME if re.search(pattern, name.lower()))
    return (*kinds, *(kind for kind in VALUES if kind not in (*kinds, "audio", "image")))


class RecordingDoc(dict[str, Any]):
    """A doc that notes which columns a function looks for without finding them."""

    def __init__(self, values: Mapping[str, Any], missing: set[str]) -> None:
        super().__init__(values)
        self.missing = missing

    def get(self, name: str, default: Any = None) -> Any:
        self._note(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self._note(name)
        return super().__contains__(name)

    def __missing__(self, name: str) -> Any:
        self._note(name)
        raise KeyError(name)

    def __deepcopy__(self, memo: dict[int, Any]) -> RecordingDoc:
        return RecordingDoc(copy.deepcopy(dict(self), memo), self.missing)

    def _note(self, name: object) -> None:
        if isinstance(name, str) and name not in self.keys():
            self.missing.add(name)


# --- lmms-eval's side ----------------------------------------------------------------------------


class TaskAborted(BaseException):
    """A task took too long or asked a judge too often; not an `Exception`, because tasks catch those and try again."""


class FakeJudge:
    """Answers every request to a judge with the next prepared reply."""

    def __init__(self) -> None:
        self.replies: Iterator[str] = iter(())

    def install(self) -> None:
        requests, openai = import_module("requests"), import_module("openai")
        vars(requests).update(post=self._post)
        client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=self._create)))
        vars(openai).update(dict.fromkeys(("OpenAI", "AzureOpenAI"), lambda *_, **__: client))

    def _next_reply(self) -> str:
        for reply in self.replies:
            return reply
        raise TaskAborted("asked a judge more often than expected")

    def _post(self, *_: Any, **__: Any) -> Any:
        document = {"choices": [{"message": {"content": self._next_reply()}}], "model": "fake"}
        return SimpleNamespace(raise_for_status=lambda: None, json=lambda: document, status_code=200)

    def _create(self, *_: Any, **__: Any) -> Any:
        message = SimpleNamespace(content=self._next_reply(), role="assistant")
        choice = SimpleNamespace(message=message, finish_reason="stop")
        return SimpleNamespace(choices=[choice], model="fake", usage=None)


JUDGE = FakeJudge()
REPLIES: Mapping[str, Callable[[int, int], str]] = {
    "voicebench_process_results_open": lambda mark, _: str(mark),
    "voicebench_process_results_qa": lambda mark, _: "Yes" if mark else "No",
    "air_bench_process_results_chat": lambda mark, order: f"{mark} 7" if order else f"7 {mark}",
    "mix_evals_audio2text_process_results_freeform": lambda mark, _: str(mark / 2),
    "semantic_match_aggregate": lambda mark, _: "yes" if mark else "no",
}
"""A judge's reply with a mark, in the form that the function reads; others read `Rating: N`."""


def format_reply(function: str, mark: int, order: int) -> str:
    if function in REPLIES:
        return REPLIES[function](mark, order)
    return f"Explanation: as it is.\nRating: {mark}"


class GuessNoticed(BaseException):
    """lmms-eval drew a random number to read an answer."""


@contextmanager
def random_raises() -> Iterator[None]:
    names = ("choice", "choices", "randint", "random", "sample", "shuffle")
    originals = {name: getattr(random, name) for name in names}

    def guess(*_: Any, **__: Any) -> Any:
        raise GuessNoticed

    for name in names:
        setattr(random, name, guess)
    try:
        yield
    finally:
        for name, function in originals.items():
            setattr(random, name, function)


class ReferenceTask:
    """A task of lmms-eval without its dataset."""

    def __init__(self, path: str, folder: str) -> None:
        self.folder = folder
        api = import_module("lmms_eval.api.task")
        config = import_module("lmms_eval.utils").load_yaml_config(path, mode="full")
        self.task = object.__new__(api.ConfigurableMessagesTask)
        self.config = api.TaskConfig(**config)
        self.task.model_name = None
        # What the constructor does, except for loading the dataset.
        vars(self.task)["_config"] = self.config
        for step in ("_prepare_model_specific_config", "_prepare_metric_and_aggregation"):
            getattr(self.task, step)()
        self.task.OUTPUT_TYPE = self.config.output_type
        self.task.multiple_input = self.task.multiple_target = 0
        self.media_works = True

    def columns_in_yaml(self) -> set[str]:
        fields = (
            getattr(self.config, name) for name in ("doc_to_text", "doc_to_target", "doc_to_choice", "description")
        )
        names: set[str] = set()
        for value in (field for field in fields if isinstance(field, str)):
            names.update([value] if re.fullmatch(r"[a-zA-Z]\w*", value) else TEMPLATE_COLUMN.findall(value))
        return names

    def describe(self, doc: Mapping[str, Any]) -> dict[str, Any]:
        """Return what lmms-eval makes of a doc: texts, target, choices."""
        self.task.features = list(doc)
        described: dict[str, Any] = {"target": self.task.doc_to_target(copy.deepcopy(doc))}
        if callable(self.config.doc_to_messages):
            described["texts"] = _message_texts(self.task.doc_to_messages(copy.deepcopy(doc)))
        else:
            prefix = ""
            if self.config.description:
                prefix = import_module("lmms_eval.utils").apply_template(self.config.description, doc)
            text = self.task.doc_to_text(copy.deepcopy(doc))
            if isinstance(text, int) and self.config.doc_to_choice is not None:
                text = self.task.doc_to_choice(doc)[text]
            described["texts"] = [f"{prefix}{text}"]
            if self.media_works:
                described["media"] = len(self.task.doc_to_visual(copy.deepcopy(doc)) or ())
        if self.config.doc_to_choice is not None:
            described["choices"] = [str(choice) for choice in self.task.doc_to_choice(copy.deepcopy(doc))]
            if self.config.output_type == "multiple_choice":
                _check_target(described["target"], described["choices"])
        return described

    def judge_function(self) -> str:
        aggregations = [getattr(function, "__name__", "") for function in self.task.aggregation().values()]
        names = [*aggregations, getattr(self.config.process_results, "__name__", "")]
        return next((name for name in names if name in REPLIES), names[-1])

    def filtered(self, prediction: str) -> str:
        """Apply the first filter pipeline of the task."""
        filters = import_module("lmms_eval.filters")
        pipelines = self.config.filter_list or [{"name": "none", "filter": [{"function": "take_first"}]}]
        steps = [
            [step["function"], {key: value for key, value in step.items() if key != "function"}]
            for step in pipelines[0]["filter"]
        ]
        instance = import_module("lmms_eval.api.instance").Instance(
            "generate_until", (prediction,), 0, {"task": "t", "doc_id": 0, "repeats": 1}, resps=[prediction]
        )
        filters.build_filter_ensemble("none", steps).apply([instance], None)
        result = instance.filtered_resps["none"]
        return str(result[0] if isinstance(result, list) else result)

    def score(self, doc: dict[str, Any], prediction: Any) -> dict[str, Any]:
        if self.config.output_type == "multiple_choice":
            results: Any = [(loss, False) for loss in prediction]
        else:
            results = [self.filtered(prediction)]
        without_media = copy.deepcopy(doc)
        for name in [
            name for name, value in doc.items() if isinstance(value, AudioDecoder) or hasattr(value, "convert")
        ]:
            del without_media[name]  # lmms-eval scores docs without their media
        with random_raises():
            scores = self.task.process_results(without_media, results)
        return dict(scores)

    def aggregate(self, metric: str, values: Sequence[Any]) -> Any:
        function = self.task.aggregation()[metric]
        takes_args = inspect.isfunction(function) and "args" in inspect.signature(function).parameters
        arguments = {"args": SimpleNamespace(output_path=self.folder, model="m")} if takes_args else {}
        return function(copy.deepcopy(values), **arguments)


def _check_target(target: Any, choices: Sequence[str]) -> None:
    """Raise if lmms-eval would count every answer as wrong because the target is not among the choices."""
    targets = target if isinstance(target, list) else [target]
    if not all(item in choices if isinstance(item, str) else 0 <= item < len(choices) for item in targets):
        raise ValueError(f"the target {target} is not among the choices")


def _message_texts(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    texts = []
    for message in messages:
        content = message["content"]
        parts = [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]
        texts += parts
    return texts


# --- rows ---------------------------------------------------------------------------------------


class RowSearch:
    """Finds types of columns with which lmms-eval's functions accept every row."""

    def __init__(self, reference: ReferenceTask, materialize: Callable[[Any], Any]) -> None:
        self.reference, self.materialize = reference, materialize
        self.kinds: dict[str, str] = {name: kinds_for(name)[0] for name in reference.columns_in_yaml()}
        self.random = random.Random(0)
        self.last_error = ""

    def find(self, evaluate: Callable[[Sequence[dict[str, Any]], bool], dict[str, Any]]) -> dict[str, Any]:
        """Return what `evaluate` returns for the first rows that it accepts."""
        for trial in range(MAX_TRIALS):
            if trial == MAX_TRIALS // 2:
                self.reference.media_works = False  # videos and archives of images do not exist here
            rows = [self._row(index) for index in range(ROWS)]
            missing: set[str] = set()
            try:
                docs = [RecordingDoc(self.materialize(row), missing) for row in rows]
                result = evaluate(docs, trial < MAX_TRIALS * 3 // 4)
                if not missing - self.kinds.keys():
                    return {"rows": rows, **result}
            except (Exception, SystemExit) as error:  # noqa: BLE001 - any error means another type
                self.last_error = f"{type(error).__name__}: {error}"
            new = {name for name in missing if name not in self.kinds and len(name) < 60}
            self.kinds.update((name, kinds_for(name)[0]) for name in new)
            if not new:
                self._mutate()
        raise ValueError(f"no row was accepted; the last error was {self.last_error:.200}")

    def _row(self, index: int) -> dict[str, Any]:
        row = {name: VALUES[kind](index, name) for name, kind in self.kinds.items()}
        lists = [value for value in row.values() if isinstance(value, list)]
        lettered = [name for name in row if re.fullmatch(r"(choice|option)s?_?[a-dA-D]", name)]
        for name, kind in self.kinds.items():
            if kind == "word" and re.search("answer|label|gt|gold|correct", name.lower()):
                options = lists[0] if lists else [row[other] for other in lettered]
                row[name] = options[index % len(options)] if options else row[name]
        return row

    def _mutate(self) -> None:
        if not self.kinds:
            raise ValueError(f"no columns; {self.last_error:.200}")
        for name in self.random.sample(sorted(self.kinds), k=min(len(self.kinds), self.random.choice((1, 1, 2, 3)))):
            kinds = kinds_for(name)
            self.kinds[name] = self.random.choice(kinds[:4] if self.random.random() < 0.7 else kinds)


class AudioDecoder(dict[str, Any]):
    """A sound as newer versions of datasets return it: an object that can also be indexed."""

    def __init__(self, array: Any, path: str) -> None:
        super().__init__(array=array, sampling_rate=16000, path=path)

    def get_all_samples(self) -> Any:
        samples = import_module("torch").from_numpy(self["array"])
        return SimpleNamespace(data=samples, samples=samples, sample_rate=16000)

    def __deepcopy__(self, memo: dict[int, Any]) -> AudioDecoder:
        return AudioDecoder(self["array"], self["path"])


def materialize_with(folder: str) -> Callable[[Any], Any]:
    """Return a function that puts sounds and images in place of their marks."""
    np, pillow = import_module("numpy"), import_module("PIL.Image")

    def materialize(value: Any) -> Any:
        if value == AUDIO:
            return AudioDecoder(np.zeros(1600, dtype=np.float32), f"{folder}/0.wav")
        if value == IMAGE:
            return pillow.new("RGB", (8, 8))
        if isinstance(value, dict):
            return {name: materialize(item) for name, item in value.items()}
        return [materialize(item) for item in value] if isinstance(value, list) else value

    return materialize


# --- one task ----------------------------------------------------------------------------------------


class TaskRun:
    """Evaluates one task on rows that are found for it."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        self.reference = ReferenceTask(job["path"], job["folder"])
        self.function = self.reference.judge_function()
        self.marks: Sequence[Sequence[int]] = job["marks"]

    def evaluate(self, docs: Sequence[dict[str, Any]], is_strict: bool) -> dict[str, Any]:
        """Return what lmms-eval makes of all docs; aggregations may fail unless `is_strict`."""
        described = [self.reference.describe(doc) for doc in docs]
        if " at 0x" in str(described):
            raise ValueError("a prompt contains the address of an object")
        predictions = [self._prediction(doc, index) for index, doc in enumerate(docs)]
        scores = [self._score(doc, index, predictions[index]) for index, doc in enumerate(docs)]
        values = self._aggregate(scores)
        if is_strict and (errors := [value for value in values.values() if "Error" in str(value)]):
            raise ValueError(errors[0])
        return {
            "described": described,
            "predictions": predictions,
            "guessed": [index for index, row_scores in enumerate(scores) if row_scores is None],
            "values": values,
            "media_works": self.reference.media_works,
            "generation": self.reference.config.generation_kwargs or {},
        }

    def _prediction(self, doc: Mapping[str, Any], index: int) -> Any:
        task = self.reference.task
        if self.reference.config.output_type == "multiple_choice":
            return [1.0 + ((index + position) * 7 % 5) / 10 for position in range(len(task.doc_to_choice(doc)))]
        target = task.doc_to_target(doc)
        text = str(target[0] if isinstance(target, list) and target else target)
        answers = (text, text.upper(), " ".join(text.split()[1:]) + " more", PREDICTIONS[index % len(PREDICTIONS)])
        return answers[index % len(answers)]

    def _score(self, doc: dict[str, Any], index: int, prediction: Any) -> dict[str, Any] | None:
        replies = [format_reply(self.function, mark, order) for order, mark in enumerate(self.marks[index])]
        JUDGE.replies = iter(replies * 10)  # lmms-eval scores again after an error
        try:
            return self.reference.score(doc, prediction)
        except GuessNoticed:
            return None

    def _aggregate(self, scores: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
        kept = [index for index, row_scores in enumerate(scores) if row_scores is not None]
        values = {}
        for metric in self.reference.task.aggregation():
            column = [row_scores[metric] for row_scores in scores if row_scores is not None and metric in row_scores]
            JUDGE.replies = iter([format_reply(self.function, self.marks[index][0], 0) for index in kept])
            values[metric] = _aggregate(self.reference, metric, column)
        return values


def run_task(job: Mapping[str, Any]) -> dict[str, Any]:
    run = TaskRun(job)
    return RowSearch(run.reference, materialize_with(job["folder"])).find(run.evaluate)


def _aggregate(reference: ReferenceTask, metric: str, column: Sequence[Any]) -> Any:
    if not column:
        return "no values"
    try:
        value = reference.aggregate(metric, column)
    except Exception as error:  # noqa: BLE001 - reported as the outcome
        return f"{type(error).__name__}: {error}"[:200]
    is_number = hasattr(value, "__float__") and math.isfinite(float(value))
    return float(value) if is_number else f"not a number: {value}"[:200]


def list_groups(tasks_folder: str) -> dict[str, list[str]]:
    """Return the tasks of every group by the path of its file, according to lmms-eval's index."""
    manager = import_module("lmms_eval.tasks").TaskManager()
    index = manager.task_index
    load = import_module("lmms_eval.utils").load_yaml_config

    def leaves(entry: Any) -> list[str]:
        if isinstance(entry, dict):
            return [leaf for item in entry["task"] for leaf in leaves(item)]
        if entry not in index:
            return [f"missing: {entry}"]
        if index[entry]["type"] == "group":
            return leaves(load(index[entry]["yaml_path"], mode="simple"))
        return list(index[entry]["task"]) if index[entry]["type"] == "tag" else [entry]

    groups = {value["yaml_path"]: leaves(name) for name, value in index.items() if value["type"] == "group"}
    return {os.path.relpath(path, tasks_folder): members for path, members in groups.items()}


def main() -> None:
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what tasks print must not mix with the results
    os.environ.update(HF_HUB_OFFLINE="1", OPENAI_API_KEY="x", API_TYPE="openai", QWEN_API_URL="http://judge")
    os.environ.setdefault("HF_HOME", "/tmp/none")
    time.sleep = lambda _: None
    JUDGE.install()
    import_module("lmms_eval.tasks")
    import_module("loguru").logger.remove()
    with suppress(ImportError):  # METEOR waits for its own lock when it is deleted after the alarm interrupted it
        import_module("pycocoevalcap.meteor.meteor").Meteor.__del__ = lambda scorer: scorer.meteor_p.kill()

    def time_out(*_: Any) -> None:
        raise TaskAborted(f"took longer than {TASK_SECONDS} s")

    signal.signal(signal.SIGALRM, time_out)
    for line in sys.stdin:
        job = json.loads(line)
        signal.alarm(TASK_SECONDS if "path" in job else 0)
        try:
            result = run_task(job) if "path" in job else {"groups": list_groups(job["tasks_folder"])}
        except BaseException as error:  # noqa: BLE001 - files of tasks raise anything, SystemExit included
            result = {"error": f"{type(error).__name__}: {error}"[:300]}
        signal.alarm(0)
        output.write(json.dumps(result, default=str) + "\n")
        output.flush()


if __name__ == "__main__":
    main()
