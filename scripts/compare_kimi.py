"""Run Kimi-Audio-Evalkit's own code beside Auricle, on data and predictions made here, and count what is equal.

    python scripts/compare_kimi.py ~/src/Kimi-Audio-Evalkit

Needs Auricle and the evalkit's scoring packages in one environment: torch librosa loguru pandas jsonlines validators
editdistance zhconv aiohttp tqdm sacrebleu==1.5.1 absl-py immutabledict nltk langdetect. Nothing is downloaded or sent:
the judge is a script.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import sys
import tempfile
import textwrap
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from comparison import Comparison, checkout_argument
from kimi_cases import (
    JUDGE_FILE,
    MODEL_NAME,
    make_pairs,
    make_predictions,
    make_replies,
    make_rows,
    reply_of_judge,
    write_recordings,
)

from auricle import api
from auricle.core.types import Generation, Sample
from auricle.engine.spec import JudgeSpec, Spec
from auricle.frameworks.exchange.result_export import export_run
from auricle.frameworks.exchange.result_import import ImportOptions, import_results
from auricle.frameworks.kimi.checkout import list_classes, parse_classes
from auricle.frameworks.kimi.datasets import DATASETS, GROUPS, find_group
from auricle.frameworks.kimi.judge_metrics import RUBRICS_DIR, read_letter
from auricle.frameworks.kimi.stubs import DATASETS_PACKAGE, MODELS_PACKAGE
from auricle.metrics.catalogue import METRICS
from auricle.metrics.rubric import load_rubric
from auricle.runs.run_directory import Run

Json = dict[str, Any]
MODEL_TEMPLATE = """
import json
from pathlib import Path

from almeval.models.base import BaseModel

PREDICTIONS = json.loads(Path(__file__).with_name("predictions.json").read_text())

{functions}

PROMPTS = {prompts}


class Settings:
    # Stands for a loaded model: every attribute is its own name.
    def __getattr__(self, name):
        return name


class Scripted(BaseModel):
    NAME = "{name}"

    def generate_inner(self, msg):
        prompts = {{
            name: function(msg) if is_static else function(Settings(), msg)
            for name, (function, is_static) in PROMPTS.items()
        }}
        prediction = PREDICTIONS[msg["meta"]["dataset_name"]][str(msg["index"])]
        return json.dumps({{"message": msg, **prompts}}, sort_keys=True), prediction
"""
"""A model that gives scripted predictions, and whose prompt contains its message and the prompts of all real models."""
PLACEHOLDER = re.compile(r"\{(question|prediction|answer|reference)\??\}")


def main() -> int:
    checkout = checkout_argument(__doc__)
    comparison = Comparison("Kimi-Audio-Evalkit")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        evalkit = Evalkit(checkout, Path(folder))
        compare_definitions(comparison, evalkit)
        compare_error_rates(comparison, evalkit)
        compare_letters(comparison, evalkit)
        for name in evalkit.datasets.ALL_DATASETS:
            compare_dataset(comparison, evalkit, name)
        compare_letter_accuracy(comparison, evalkit)
        compare_instructions(comparison, evalkit)
    comparison.refuse("scorers", "vb-advbench", "refusals are recognised by other rules: metric refusal")
    comparison.refuse("scorers", "vb-qa", "PEDANT is not reproduced; the evalkit's own call ends with a KeyError")
    print(comparison.format())
    return comparison.exit_code


class Evalkit:
    """The evalkit's modules, with a workspace of its own and a scripted judge."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.checkout, self.folder = checkout, folder
        self.judge_prompts: list[tuple[str, float]] = []
        config = folder / "config.yaml"
        config.write_text(json.dumps({"DATASETS": {"dataset_root": str(folder / "data"), "datasets": {}}}))
        os.environ |= {"PROJECT_CONFIG_PATH": str(config), "OPENAI_API_KEY": "unused", "PYTHONPATH": str(checkout)}
        sys.path.insert(0, str(checkout))
        self.recordings = write_recordings(folder)
        for dataset in DATASETS:
            path = folder / "data" / dataset.name / f"{dataset.name}.jsonl"
            path.parent.mkdir(parents=True)
            rows = make_rows(dataset, self.recordings)
            path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
        predictions = {dataset.name: make_predictions(dataset) for dataset in DATASETS}
        (folder / "predictions.json").write_text(json.dumps(predictions))
        (folder / "judge.py").write_text(JUDGE_FILE)
        self._write_model()
        with quiet():
            self.datasets = import_module("almeval.datasets")
            self.wer = import_module("almeval.metrics.wer")
            self.run_audio = import_module("run_audio")
            self._replace_judge()

    def evaluate(self, name: str, method: str = "default") -> tuple[list[Json], Json]:
        """Run the evalkit's own loop over a dataset and return its rows and the numbers of each subset."""
        arguments = Namespace(
            work_dir=str(self.folder / "theirs"),
            model=MODEL_NAME,
            rank=0,
            world_size=1,
            reeval=False,
            eval_method=method,
            force_reinfer=False,
            skip_eval=False,
            debug=False,
        )
        self.judge_prompts.clear()
        with quiet():
            from scripted import Scripted  # type: ignore[import-not-found]  # written above

            dataset = self.datasets.build_dataset(name)
            self.run_audio.process_dataset(arguments, dataset, Scripted())
        performance = self.result_file(name).with_name(f"{MODEL_NAME}_{name}_{method}_performance.json")
        rows = [json.loads(line) for line in self.result_file(name).read_text(encoding="utf-8").splitlines()]
        return rows, json.loads(performance.read_text())["performance"]

    def result_file(self, name: str) -> Path:
        return self.folder / "theirs" / MODEL_NAME / name / f"{MODEL_NAME}_{name}.jsonl"

    def _write_model(self) -> None:
        """Write the model with the prompt functions of all models of the checkout, which are read but not imported."""
        functions, prompts = [], []
        for source in list_classes(MODELS_PACKAGE):
            owner = _owner_of(source.node, "get_prompt", parse_classes(source.file))
            if owner is None:
                continue
            name = f"prompt_{len(prompts)}"
            is_static, function = bool(owner.decorator_list), ast.unparse(owner)
            functions.append(function.replace("@staticmethod\n", "").replace("def get_prompt(", f"def {name}(", 1))
            prompts.append(f"{source.name!r}: ({name}, {is_static})")
        text = MODEL_TEMPLATE.format(
            functions="\n\n".join(functions), prompts="{" + ", ".join(prompts) + "}", name=MODEL_NAME
        )
        (self.folder / "scripted.py").write_text(text, encoding="utf-8")
        sys.path.insert(0, str(self.folder))

    def _replace_judge(self) -> None:
        base = import_module("almeval.datasets.base")

        async def judge_response(prompt: str, judge_model: object, temperature: float = 0.0, **_: Any) -> str:
            self.judge_prompts.append((prompt, temperature))
            return reply_of_judge(prompt)

        base.judge_response = judge_response  # type: ignore[attr-defined]
        for module in ("ds_mqa", "ds_openqa", "ds_refqa"):
            dataset_module: Any = import_module(f"almeval.datasets.{module}")
            dataset_module.get_judge_model = lambda _: SimpleNamespace(model="scripted")

    def judge_templates(self) -> list[str]:
        """Return the judge prompts that the evalkit's modules define."""
        modules = [import_module(f"almeval.datasets.{name}") for name in ("ds_mqa", "ds_openqa", "ds_refqa")]
        values = [value for module in modules for name, value in vars(module).items() if "_PR" in name]
        return [text for value in values for text in (value.values() if isinstance(value, dict) else [value])]


def _owner_of(node: ast.ClassDef, method: str, classes: Mapping[str, ast.ClassDef]) -> ast.FunctionDef | None:
    """Return a method of a class, or of its base class in the same file."""
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == method:
            return member
    bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    return _owner_of(bases[0], method, classes) if bases else None


@contextmanager
def quiet() -> Iterator[None]:
    """Discard what the evalkit prints."""
    with Path(os.devnull).open("w") as sink, redirect_stdout(sink), redirect_stderr(sink):
        yield


def compare_definitions(comparison: Comparison, evalkit: Evalkit) -> None:
    """Compare the attributes of datasets and the members of groups."""
    theirs = evalkit.datasets
    for dataset in DATASETS:
        cls = theirs.ALL_DATASETS[dataset.name]
        attributes = (cls.TASK, cls.INTERACTIVE, cls.AUDIO_TYPE, cls.DATASET_SERIES, getattr(cls, "LANG", None) or "")
        ours = (dataset.task, dataset.interactive, dataset.audio_type, dataset.series, dataset.lang)
        comparison.add("dataset definitions", dataset.name, ours, attributes)
    for group in GROUPS:
        with quiet():
            built = sorted(dataset.DATASET_NAME for dataset in theirs.build_dataset(group))
        comparison.add("groups", group, sorted(dataset.name for dataset in find_group(group) or ()), built)
    names = sorted(source.name for source in list_classes(DATASETS_PACKAGE))
    comparison.add("groups", "names in the source", names, sorted(theirs.ALL_DATASETS))


def compare_error_rates(comparison: Comparison, evalkit: Evalkit) -> None:
    """Compare edit distance and error rate, pair by pair."""
    for language, pairs in make_pairs().items():
        metric = METRICS.get("wer").with_profile(f"kimi-{language}")
        for reference, hypothesis in pairs:
            cleaned = [evalkit.wer.remove_sp(text, language) for text in (reference, hypothesis)]
            with quiet():
                rate, (distance,) = evalkit.wer.compute_wer([cleaned[0]], [cleaned[1]], language, return_details=True)
            stat = metric.score(Sample(id="0", inputs={}, target=reference), Generation(text=hypothesis))
            ours = (sum(stat[:3]) if len(stat) > 2 else stat[0], metric.aggregate([stat]))
            comparison.add(f"error rates ({language})", f"{reference!r} / {hypothesis!r}", ours, (distance, rate))


def compare_letters(comparison: Comparison, evalkit: Evalkit) -> None:
    """Compare the letters that `vb-mcq` reads, in every context that the evalkit knows and in replies made here."""
    extract = evalkit.datasets.AudioMQADataset.extract_answer_vb_mcq
    tree = ast.parse(textwrap.dedent(inspect.getsource(extract)))
    contexts = [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and "[CHOICE]" in str(node.value)
    ]
    for reply in make_replies([str(context) for context in contexts]):
        comparison.add("letters", repr(reply), read_letter(reply), extract(None, reply))


def compare_dataset(comparison: Comparison, evalkit: Evalkit, name: str) -> None:
    """Run a dataset in both frameworks, import the evalkit's results, and compare rows, numbers and judge prompts."""
    rows, performance = evalkit.evaluate(name)
    result = api.evaluate(make_spec(evalkit, name), evalkit.folder / "ours" / name)
    exported, exported_performance = export_run(result.path, "kimi", evalkit.folder / "exported")
    our_rows = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    compare_rows(comparison, name, our_rows, rows)
    compare_performance(comparison, "numbers of runs", name, exported_performance, performance)
    compare_judge_inputs(comparison, evalkit, name, result.path)
    imported, options = evalkit.folder / "imported" / name, ImportOptions(profile="kimi")
    with quiet():
        ((folder, _),) = import_results(evalkit.result_file(name), "kimi", imported, options)
    is_judged = evalkit.datasets.ALL_DATASETS[name].TASK != "ASR"
    api.score(folder, "kimi", judge=judge_spec(evalkit) if is_judged else None)
    again, again_performance = export_run(folder, "kimi", evalkit.folder / "again")
    compare_performance(comparison, "numbers of imports", name, again_performance, performance)
    for ours, theirs in zip(map(json.loads, again.read_text(encoding="utf-8").splitlines()), rows, strict=True):
        shared = {column: ours.get(column) for column in theirs}
        comparison.add("imported rows", f"{name} {theirs['index']}", with_audio_list(shared), with_audio_list(theirs))


def with_audio_list(row: Json) -> Json:
    """Return a row whose audio is a list; both frameworks treat a path like a list of one path."""
    paths = row["audio_path"]
    return {**row, "audio_path": paths if isinstance(paths, list) else [paths]}


def make_spec(evalkit: Evalkit, name: str, profile: str | None = "kimi") -> Spec:
    model = f"kimi:{evalkit.folder / 'scripted.py'}:Scripted"
    judge = judge_spec(evalkit) if profile else None
    return Spec(task=f"kimi:{name}", model=model, profile=profile, judge=judge).resolved()


def judge_spec(evalkit: Evalkit) -> JudgeSpec:
    return JudgeSpec(model=f"{evalkit.folder / 'judge.py'}:judge")


def compare_rows(comparison: Comparison, name: str, ours: Sequence[Json], theirs: Sequence[Json]) -> None:
    """Compare predictions, messages, and the prompts of each model class."""
    for our_row, their_row in zip(ours, theirs, strict=True):
        label = f"{name} {their_row['index']}"
        predictions = our_row["prediction"], their_row["prediction"]
        comparison.add("predictions", label, *predictions)
        if their_row["prediction"] == "null":  # the audio was rejected, so nothing was asked
            continue
        prompts, their_prompts = json.loads(our_row["real_prompt"]), json.loads(their_row["real_prompt"])
        comparison.add("messages", label, prompts.pop("message"), their_prompts.pop("message"))
        for model in their_prompts:
            comparison.add("prompts of model classes", f"{label} {model}", prompts.get(model), their_prompts[model])


def compare_performance(comparison: Comparison, subject: str, name: str, ours: Path, theirs: Json) -> None:
    performance = json.loads(ours.read_bytes())["performance"]
    for subset in sorted({*performance, *theirs}):
        comparison.add(subject, f"{name} {subset}", performance.get(subset), theirs.get(subset))


def compare_judge_inputs(comparison: Comparison, evalkit: Evalkit, name: str, path: Path) -> None:
    """Compare what the judges see: question, answer and reference, and the temperature."""
    templates = evalkit.judge_templates()
    theirs = [(*extract_inputs(prompt, templates), temperature) for prompt, temperature in evalkit.judge_prompts]
    task, run = api.build_task(Spec.from_run(Run.load(path))), Run.load(path)
    ours = [
        (*extract_inputs(str(request.turns[0].parts[0]), our_templates()), request.temperature)
        for record in run.records()
        for metric in task.metrics
        if metric.judge_requests and record.outputs and (not metric.applies or metric.applies(record.sample))
        for request in metric.judge_requests(record.sample, *record.outputs)
    ]
    for index, (our_inputs, their_inputs) in enumerate(zip(sorted(ours), sorted(theirs), strict=True)):
        comparison.add("judge inputs", f"{name} {index}", our_inputs, their_inputs)


def our_templates() -> list[str]:
    return [load_rubric(path).template for path in RUBRICS_DIR.glob("kimi-*.yaml")]


def extract_inputs(prompt: str, templates: Sequence[str]) -> tuple[str, str, str]:
    """Return the question, the answer and the reference (empty if there is none) that a template was filled with."""
    for template in templates:
        names = [match[1] for match in PLACEHOLDER.finditer(template)]
        # Theirs is a format string, in which {{ stands for a brace, and names our answer a prediction.
        is_theirs = "prediction" in names
        literals = PLACEHOLDER.split(template)[::2]
        pattern = "(.*?)".join(re.escape(_unescape(text) if is_theirs else text) for text in literals)
        if match := re.fullmatch(pattern, prompt, re.DOTALL):
            values = dict(zip(names, match.groups(), strict=True))
            answer, reference = ("prediction", "answer") if is_theirs else ("answer", "reference")
            return values["question"], values[answer], values.get(reference, "")
    return "unknown template", prompt[:80], ""


def _unescape(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def compare_letter_accuracy(comparison: Comparison, evalkit: Evalkit) -> None:
    """Compare `vb-mcq` where every answer can be read."""
    for name in ("openbookqa", "mmsu"):
        _, performance = evalkit.evaluate(name, "vb-mcq")
        folder = evalkit.folder / "ours" / name
        api.score(folder, task_args={"metrics": "vb-mcq"})
        _, ours = export_run(folder, "kimi", evalkit.folder / "letters")
        compare_performance(comparison, "vb-mcq", name, ours, performance)


def compare_instructions(comparison: Comparison, evalkit: Evalkit) -> None:
    """Compare `vb-ifeval` with the default metrics of `kimi:ifeval`."""
    with quiet():  # with its default arguments, the evalkit fails after computing the numbers
        dataset = evalkit.datasets.build_dataset("ifeval")
        results = str(evalkit.result_file("ifeval"))
        performance = dataset.evaluate(results, dump_judge=False, method="vb-ifeval")["performance"]
    result = api.evaluate(make_spec(evalkit, "ifeval", profile=None), evalkit.folder / "instructions")
    _, path = export_run(result.path, "kimi", evalkit.folder / "instructions-exported")
    ours = json.loads(path.read_bytes())["performance"]
    for subset, numbers in performance.items():
        for field, value in numbers.items():
            comparison.add("vb-ifeval", f"{subset} {field}", ours[subset].get(field), value)


if __name__ == "__main__":
    sys.exit(main())
