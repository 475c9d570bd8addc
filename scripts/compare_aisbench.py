"""Compare Auricle with a checkout of AISBench: configs, prompts, post-processors and evaluators.

    python scripts/compare_aisbench.py ~/src/benchmark

Run it in an environment with AISBench's requirements and Auricle. Upstream's own classes run on rows and replies that
the script generates. Configs that Auricle rejects and evaluators that it does not reproduce are counted as refused.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import logging
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from aisbench_cases import EVALUATOR_CASES, POSTPROCESSOR_OPTIONS, EvaluatorCase, Pair, ReplyGenerator
from comparison import Comparison, checkout_argument

from auricle.api import preview
from auricle.core.errors import SpecError, Unreadable
from auricle.core.types import Generation, LogLikelihood, RejectedRow, Sample
from auricle.data.prompts.template import field_names
from auricle.engine.spec import Spec
from auricle.frameworks.aisbench.config_import import draft_tasks
from auricle.frameworks.aisbench.config_reader import find_datasets
from auricle.frameworks.aisbench.evaluators import check_metric, list_metric_names, resolve_metric
from auricle.frameworks.aisbench.postprocessors import POSTPROCESSORS

CONFIG_FOLDER = "ais_bench/benchmark/configs/datasets"
MODULES = (
    *("utils.postprocess.text_postprocessors", "utils.postprocess.model_postprocessors", "datasets"),
    *("openicl.icl_evaluator", "openicl.icl_retriever", "openicl.icl_prompt_template", "datasets.leval.gsm100"),
    *("datasets.needlebench_v2.origin", "datasets.needlebench_v2.parallel", "datasets.needlebench_v2.atc"),
)
"""Modules of AISBench with what is compared."""
CHAT_FORMAT = {
    "round": [{"role": "HUMAN", "api_role": "user"}, {"role": "BOT", "api_role": "assistant", "generate": True}],
    "reserved_roles": [{"role": "SYSTEM", "api_role": "system"}],
}
REPLY_COUNT = 400
SEED = 20
TEST_ROWS, TRAIN_ROWS = 2, 30
NUMBER_COLUMNS = {"max_out_len", "timestamp"}
MEDIA_FILES = {"image": "picture.png", "video": "film.mp4", "audio": "sound.wav"}
UNREADABLE = "cannot be read"


def main() -> int:
    checkout = checkout_argument(__doc__)
    sys.path.insert(0, str(checkout))
    logging.disable(logging.WARNING)
    upstream = Upstream()
    comparison = Comparison("AISBench")
    compare_configs(comparison, upstream, checkout / CONFIG_FOLDER)
    compare_postprocessors(comparison, upstream)
    compare_evaluators(comparison, upstream)
    print(comparison.format())
    return comparison.exit_code


class Upstream:
    """AISBench's classes and functions, by name."""

    def __init__(self) -> None:
        self._modules = [importlib.import_module(f"ais_bench.benchmark.{name}") for name in MODULES]
        self._registry = importlib.import_module("ais_bench.benchmark.registry").TEXT_POSTPROCESSORS
        api_models = importlib.import_module("ais_bench.benchmark.models.api_models.base_api")
        self.chat_parser = api_models.APITemplateParser(CHAT_FORMAT)

    def get(self, name: str) -> Any:
        registered = self._registry.get(name)
        if registered is not None:
            return registered
        return next((getattr(module, name) for module in self._modules if hasattr(module, name)), None)


# --- configs and prompts --------------------------------------------------------------------


def compare_configs(comparison: Comparison, upstream: Upstream, folder: Path) -> None:
    """Convert every config, and render the prompts of its first dataset and of each with another template."""
    for path in sorted(folder.rglob("*.py")):
        name = str(path.relative_to(folder))
        try:
            drafts = draft_tasks(path, path.parent)
        except SpecError as error:
            comparison.refuse("configs", name, str(error))
            continue
        comparison.add("configs", name, len(drafts), len(find_datasets(path)))
        problems = {problem for draft in drafts for problem in map(check_metric, draft.task.get("metrics", ()))}
        if problems - {""}:
            comparison.refuse("evaluators of configs", name, "; ".join(sorted(problems - {""})))
        else:
            comparison.add("evaluators of configs", name, "", "")
        compare_prompts(comparison, upstream, path, name)


def compare_prompts(comparison: Comparison, upstream: Upstream, path: Path, name: str) -> None:
    seen: list[str] = []
    for config, draft in zip(find_datasets(path), draft_tasks(path, path.parent), strict=True):
        template = repr([config["infer_cfg"].get(key) for key in ("prompt_template", "ice_template")])
        if len(seen) == 3 or template in seen:
            continue
        seen.append(template)
        prompts = PromptComparison(upstream, config, draft.task)
        if reason := prompts.reason_to_skip:
            comparison.refuse("prompts", name, reason)
            continue
        try:
            ours = prompts.render_ours()
        except SpecError as error:
            comparison.refuse("prompts", name, str(error))
            continue
        for index, (our_prompt, their_prompt) in enumerate(zip(ours, prompts.render_theirs(), strict=True)):
            comparison.add("prompts", f"{name}, {draft.task['name']}, row {index}", our_prompt, their_prompt)


@dataclass
class PromptComparison:
    """Renders the prompts of one dataset with both frameworks."""

    upstream: Upstream
    config: Mapping[str, Any]
    task: Mapping[str, Any]

    @property
    def infer_config(self) -> Mapping[str, Any]:
        section: Mapping[str, Any] = self.config["infer_cfg"]
        return section

    @property
    def output_column(self) -> str:
        return str(self.config["reader_cfg"].get("output_column") or "answer")

    @property
    def reason_to_skip(self) -> str:
        """Why prompts are not compared, or an empty text."""
        if self.task["kind"] == "chat":
            return "the rows contain the conversation"
        return ""

    @property
    def media(self) -> list[str]:
        """Kinds of media in the template."""
        template = repr(self.infer_config["prompt_template"]) if "prompt_template" in self.infer_config else ""
        return [kind for kind in MEDIA_FILES if f"{kind}_url" in template]

    def make_rows(self) -> dict[str, list[dict[str, Any]]]:
        """Make rows with all columns that the templates name; a label is one of those with a template."""
        text = json.dumps([self.infer_config.get(key) for key in ("prompt_template", "ice_template")], default=str)
        columns = {*field_names(text), *self.config["reader_cfg"]["input_columns"]}
        columns = {name for name in columns if name.isidentifier()} - {self.output_column}
        columns -= {*self.media, "content"} if self.media else set()
        generator = ReplyGenerator(random.Random(SEED))
        labels = self.task.get("inferencer", {}).get("templates") or {"A": "", "B": ""}
        return {
            split: [
                {
                    **{name: f"{name} {index}: {generator.text()}" for name in sorted(columns - NUMBER_COLUMNS)},
                    **dict.fromkeys(sorted(columns & NUMBER_COLUMNS), 64),
                    **{kind: MEDIA_FILES[kind] for kind in self.media},
                    self.output_column: generator.random.choice(list(labels)),
                }
                for index in range(count)
            ]
            for split, count in (("test", TEST_ROWS), ("train", TRAIN_ROWS))
        }

    def render_ours(self) -> list[Any]:
        with tempfile.TemporaryDirectory() as folder:
            for split, rows in self.make_rows().items():
                lines = "".join(f"{json.dumps(row)}\n" for row in rows)
                (Path(folder) / f"{split}.jsonl").write_text(lines, encoding="utf-8")
            for name in MEDIA_FILES.values():
                (Path(folder) / name).write_bytes(b"not read")
            arguments = {key: value for key, value in self.task.items() if key not in ("kind", "split", "rows")}
            arguments |= {"data": f"{folder}/test.jsonl", "metrics": ["empty"], "target": self.output_column}
            if "shots" in arguments:
                arguments["shots"] = {**arguments["shots"], "pool": f"{folder}/train.jsonl"}
            if "labels" in str(arguments.get("inferencer")):
                arguments["metrics"] = ["acc_whole"]
            spec = Spec(task=self.task["kind"], model="echo", task_args=arguments)
            return [
                prompt
                for sample, requests in preview(spec, has_model=False)
                for prompt in _our_prompts(sample, requests)
            ]

    def render_theirs(self) -> Iterator[Any]:
        rows = self.make_rows()
        if self.media:  # AISBench's datasets of media write what a message contains, in order, into one column
            tags = importlib.import_module("ais_bench.benchmark.utils.prompt")
            for row in rows["test"]:
                parts = [(getattr(tags, f"AIS_{kind.upper()}_START"), row[kind]) for kind in self.media]
                parts.append((tags.AIS_TEXT_START, row["question"]))
                row["content"] = "".join(f"{start}{value}{tags.AIS_CONTENT_TAG}" for start, value in parts)
        reader = SimpleNamespace(output_column=self.output_column, dataset=rows)
        dataset = SimpleNamespace(reader=reader, train=rows["train"], test=rows["test"])
        options = {key: value for key, value in self.infer_config["retriever"].items() if key != "type"}
        templates = {
            key: {**self.infer_config[key], "type": str(self.infer_config[key]["type"])}
            for key in ("ice_template", "prompt_template")
            if key in self.infer_config
        }
        retriever = self.upstream.get(str(self.infer_config["retriever"]["type"]))(dataset, **templates, **options)
        with contextlib.redirect_stderr(io.StringIO()):
            example_indices = retriever.retrieve()
        for index, chosen in enumerate(example_indices):
            yield from self._their_prompts(retriever, index, retriever.generate_ice(chosen))

    def _their_prompts(self, retriever: Any, index: int, examples: Any) -> Iterator[Any]:
        parse = self.upstream.chat_parser.parse_template
        if "labels" in str(self.task.get("inferencer")):
            for label in self.infer_config["inferencer"].get("labels") or retriever.get_labels():
                yield _their_turns(parse(retriever.generate_label_prompt(index, examples, label), mode="ppl"))
        else:
            yield _their_turns(parse(retriever.generate_prompt_for_generate_task(index, examples), mode="gen"))


def _our_prompts(sample: Sample | RejectedRow, requests: Sequence[tuple[Any, str]]) -> Iterator[Any]:
    if isinstance(sample, RejectedRow):
        yield sample.reason
        return
    for request, _ in requests:
        turns = [[turn.role, "".join(map(_format_part, turn.parts))] for turn in request.turns]
        if isinstance(request, LogLikelihood):
            turns.append(["assistant" if turns else "user", request.continuation])
        yield turns


def _their_turns(prompt: Any) -> Any:
    if isinstance(prompt, str):
        return [["user", prompt]]
    return [[turn["role"], _format_content(turn["prompt"])] for turn in prompt]


def _format_part(part: Any) -> str:
    return part if isinstance(part, str) else f"<{type(part).__name__.lower()} {Path(part.uri).name}>"


def _format_content(content: Any) -> str:
    """Return a message of AISBench as text, with media in angle brackets."""
    if isinstance(content, str):
        return content
    texts = []
    for part in content:
        kind = part["type"].removesuffix("_url")
        value = part[part["type"]]
        url = value["url"] if isinstance(value, dict) else value
        texts.append(url if kind == "text" else f"<{kind} {re.split('[/,]', url)[-1]}>")
    return "".join(texts)


# --- post-processors ------------------------------------------------------------------------


def compare_postprocessors(comparison: Comparison, upstream: Upstream) -> None:
    """Apply each post-processor to every reply."""
    generator = ReplyGenerator(random.Random(SEED))
    replies = [generator.any_reply() for _ in range(REPLY_COUNT)]
    for name, options in postprocessor_cases():
        for reply in replies:
            ours = apply(POSTPROCESSORS[name], reply, options)
            theirs = apply(upstream.get(name), reply, options)
            comparison.add("post-processors", f"{name} {options} of {reply!r}", ours, theirs)


def postprocessor_cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for name in POSTPROCESSORS:
        for options in POSTPROCESSOR_OPTIONS.get(name, [{}]):
            yield name, options


def apply(function: Callable[..., Any], reply: str, options: Mapping[str, Any]) -> Any:
    """Return the result, an empty text if there is none, or that the function cannot read the reply."""
    try:
        return function(reply, **options) or ""
    except (Unreadable, LookupError):
        return UNREADABLE
    except Exception as error:
        if type(error).__module__.startswith("ais_bench"):
            return UNREADABLE
        raise


# --- evaluators -----------------------------------------------------------------------------

SCORED_AS_A_WHOLE = ("AccEvaluator", "BleuEvaluator")
"""Evaluators that load a package for every call."""


def compare_evaluators(comparison: Comparison, upstream: Upstream) -> None:
    """Score generated replies with each evaluator, one by one and together."""
    for case in EVALUATOR_CASES:
        try:
            names = [name.removeprefix("aisbench:") for name in list_metric_names(case.evaluator, case.options)]
            metrics = [resolve_metric(name) for name in names]
        except SpecError as error:
            comparison.refuse("evaluators", case.evaluator, str(error))
            continue
        evaluator = UpstreamEvaluator(upstream, case)
        pairs = [pair for pair in case.make_pairs(SEED, REPLY_COUNT) if evaluator.can_read(pair)]
        for metric in metrics:
            stats = [
                metric.score(Sample(id="1", inputs={}, target=gold), Generation(text=text)) for text, gold in pairs
            ]
            total = metric.aggregate(stats)
            comparison.add("evaluators", repr(metric), total, evaluator.score(pairs, metric.name))
            if "." in metric.name or case.evaluator in SCORED_AS_A_WHOLE:
                continue
            for pair, stat in zip(pairs, stats, strict=True):
                comparison.add("single replies", f"{metric!r} of {pair}", stat, evaluator.score([pair], metric.name))


@dataclass
class UpstreamEvaluator:
    """An evaluator of AISBench with its post-processors."""

    upstream: Upstream
    case: EvaluatorCase

    def can_read(self, pair: Pair) -> bool:
        """Return whether the post-processor accepts the reply; if not, AISBench's evaluation ends with an error."""
        return bool(apply(lambda reply: self._postprocess("pred", reply), pair[0], {}) != UNREADABLE)

    def score(self, pairs: Sequence[Pair], name: str) -> float:
        """Return a number of the evaluator, as a share if it is in per cent."""
        options = {
            key: value for key, value in self.case.options.items() if key.partition(".")[0] not in ("pred", "gold")
        }
        evaluator = self.upstream.get(self.case.evaluator)(**options)
        references = [self._postprocess("gold", reference) for _, reference in pairs]
        arguments: dict[str, Any] = {
            "predictions": [self._postprocess("pred", reply) for reply, _ in pairs],
            "references": references,
            "gold": references,
            "origin_prompt": [""] * len(pairs),
            "test_set": [{}] * len(pairs),
        }
        accepted = {key: arguments[key] for key in inspect.signature(evaluator.score).parameters}
        with contextlib.redirect_stdout(io.StringIO()):
            scores = evaluator.score(**accepted)
        keys = (name.rpartition(".")[2], "accuracy", "score", "average_score")
        number = float(next(scores[key] for key in keys if key in scores))
        return number if name == "BleuEvaluator" else number / 100

    def _postprocess(self, side: str, value: Any) -> Any:
        if side not in self.case.options:
            return value
        prefix = f"{side}."
        options = {key[len(prefix) :]: text for key, text in self.case.options.items() if key.startswith(prefix)}
        return self.upstream.get(self.case.options[side])(value, **options)


if __name__ == "__main__":
    raise SystemExit(main())
