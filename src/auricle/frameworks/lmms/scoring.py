"""Metrics of a task YAML: `process_results` per sample, and an aggregation over all samples."""

from __future__ import annotations

import copy
import dis
import inspect
import random
import re
import statistics
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, ClassVar, NamedTuple, cast

import orjson

from auricle.core.errors import SampleError, Unreadable, Unsupported
from auricle.core.types import Generation, Output, Sample
from auricle.frameworks.lmms.config_reader import FunctionReference, TaskConfig, UserFunction
from auricle.frameworks.lmms.judges import VIDEO_FUNCTIONS, JudgedMetric, find_judged_metric, make_judged_metric
from auricle.frameworks.lmms.stubs import find_checkout
from auricle.metrics.base import Aggregator, Metric, constant_bounds, mean

LIKELIHOOD_METRICS = {"acc": "acc", "acc_norm": "acc_char"}
"""Metrics of likelihoods, and Auricle's metric with the same rule."""
EXACT_MATCH_OPTIONS = ("ignore_case", "ignore_punctuation", "ignore_numbers", "regexes_to_ignore")
METRIC_FIELDS = ("metric", "aggregation", "higher_is_better")
NETWORK_MODULES = ("requests", "httpx", "aiohttp", "urllib", "urllib3", "openai", "anthropic", "google")
JUDGE_MODULES = ("lmms_eval.llm_judge", "lmms_eval.verifiers")
FILE_FUNCTIONS = ("open", "generate_submission_file")
MODEL_LOADERS = re.compile(
    r"AutoModel\w*|\w+For(CausalLM|ConditionalGeneration|SequenceClassification)|SentenceTransformer|vllm(\.\w+)*|sglang"
)
"""Classes and modules that load the weights of a model."""
IMPORT_MARKER = object()
"""Value for modules that are imported within a function."""
TextFilter = Callable[[str], str]


def _regex_filter(regex_pattern: str, group_select: int = 0, fallback: str = "[invalid]") -> TextFilter:
    pattern = re.compile(regex_pattern)

    def extract(text: str) -> str:
        matches = pattern.findall(text)
        if not matches:
            return fallback
        match = matches[group_select]
        return str(next(filter(None, match), "") if isinstance(match, tuple) else match).strip()

    return extract


THINKING_TAGS = (("<think>", "</think>"), ("<thinking>", "</thinking>"))
REASONING_TAGS = (("<think>", "</think>"), ("<analysis>", "</analysis>"))
"""Tags of what lmms-eval removes from every answer by default."""


def _reasoning_filter(tag_pairs: Sequence[Sequence[str]] = THINKING_TAGS) -> TextFilter:
    """Return a filter that removes reasoning, also where the prompt contained its first tag."""

    def strip(text: str) -> str:
        for start, end in tag_pairs:
            text = re.sub(f"{re.escape(start)}.*?{re.escape(end)}", "", text, flags=re.DOTALL)
            if start not in text:
                text = text.rpartition(end)[2]
        return text.strip()

    return strip


FILTERS: Mapping[str, Callable[..., TextFilter]] = {
    "take_first": lambda: lambda text: text,
    "remove_whitespace": lambda: lambda text: text.removeprefix(" "),
    "lowercase": lambda: str.lower,
    "uppercase": lambda: str.upper,
    "regex": _regex_filter,
    "strip_thinking": _reasoning_filter,
}


def _build_filter(config: TaskConfig, step: Mapping[str, Any]) -> TextFilter:
    name = step["function"]
    if name not in FILTERS:
        raise config.spec_error(f"unknown filter {name}. Supported: {', '.join(FILTERS)}. Or score with -T metrics=…")
    options = {key: value for key, value in step.items() if key not in ("function", "kwargs")}
    try:
        return FILTERS[name](**options, **(step.get("kwargs") or {}))
    except (TypeError, re.error) as error:
        raise config.spec_error(f"invalid filter {name}: {error}.") from error


def filter_texts(outputs: Sequence[Output], filters: Sequence[TextFilter]) -> list[str]:
    """Return the texts of answers after the filters."""
    texts = []
    for output in outputs:
        if not isinstance(output, Generation):
            raise Unsupported("this task's metrics need models that generate text")
        text = output.text
        for step in filters:
            text = step(text)
        texts.append(text)
    return texts


class ResultProcessor:
    """Calls `process_results` once for all metrics of a sample."""

    def __init__(self, function: UserFunction, filters: Sequence[TextFilter], multi_round: bool) -> None:
        self._function, self._filters, self._multi_round = function, filters, multi_round
        self._cached: tuple[Any, Mapping[str, Any]] | None = None
        self.name = function.name.rpartition(".")[2]

    def __call__(self, sample: Sample, outputs: Sequence[Output]) -> Mapping[str, Any]:
        if self._cached is None or self._cached[0] != (sample, outputs):
            doc = copy.deepcopy(dict(sample.meta))  # functions may modify it
            texts = filter_texts(outputs, self._filters)
            results = [texts] if self._multi_round else [text.strip() for text in texts]
            result = self._function.call_silently(doc, results)
            if not isinstance(result, Mapping):
                raise SampleError(f"{self._function.name} should return a dict, not {type(result).__name__}")
            self._cached = ((sample, outputs), result)
        return self._cached[1]


@dataclass(frozen=True)
class UserAggregation:
    """An aggregation with a function from the user's files."""

    function: UserFunction
    cost: ClassVar[int] = 100
    """Cost relative to a sum; expensive aggregations are computed less often."""

    def __call__(self, stats: Sequence[Any]) -> float:
        values = [orjson.loads(stat[0]) for stat in stats]
        kwargs = {"args": SimpleNamespace()} if "args" in self.function.parameters else {}
        result = self.function.call_silently(values, **kwargs)
        if isinstance(result, bool) or not isinstance(result, (int, float)):
            result = getattr(result, "item", lambda: result)()  # a numpy scalar
        if not isinstance(result, (int, float)):
            raise SampleError(f"{self.function.name} returned {type(result).__name__}, expected a number")
        return float(result)

    def rank_sample(self, stat: Any, higher_is_better: bool) -> float:
        """Return how badly a sample did, if the aggregation of a single value is defined."""
        try:
            return self([stat]) * (-1.0 if higher_is_better else 1.0)
        except (SampleError, ArithmeticError):
            return 0.0


AGGREGATIONS: Mapping[str, Aggregator] = {
    "mean": mean,
    "median": lambda stats: float(statistics.median([float(stat) for stat in stats])),
}


@dataclass(frozen=True)
class TaskScoring:
    """The metrics of a task, and notes on those left out."""

    metrics: list[Metric]
    notes: tuple[str, ...] = ()


def build_scoring(config: TaskConfig) -> TaskScoring:
    """Build the metrics that the YAML lists."""
    if config.get("output_type") == "multiple_choice":
        return TaskScoring([_likelihood_metric(config, entry) for entry in _metric_entries(config, "acc")])
    process = config.get_function("process_results")
    entries = _metric_entries(config, "exact_match")
    reasons = [_reason_left_out(config, entry, process) for entry in entries]
    applied = [entry for entry, reason in zip(entries, reasons, strict=True) if not reason]
    notes = tuple(dict.fromkeys(filter(None, reasons)))
    if not applied:
        raise config.spec_error(
            f"{notes[0]} Score with -T metrics=…, or have a judge score the answers: "
            "-T metrics=judge-1-5 --judge MODEL (docs/judges.md)."
        )
    if process:
        block_random(process.function)
    pipelines = config.get("filter_list") or [{"name": "", "filter": []}]
    return TaskScoring([metric for steps in pipelines for metric in _pipeline_metrics(config, steps, applied)], notes)


def _pipeline_metrics(
    config: TaskConfig, pipeline: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> list[Metric]:
    """Build the metrics of answers after the filters of a pipeline, whose name is appended to theirs."""
    filters = [_build_filter(config, step) for step in pipeline["filter"]]
    process = config.get_function("process_results")
    multi_round = config.get("output_type") == "generate_until_multi_round"
    if tag_pairs := () if multi_round else _read_reasoning_tags(config):  # as in lmms-eval, not of several rounds
        filters.append(_reasoning_filter(tag_pairs))
    elif config.get("auto_strip_thinking") and not multi_round:
        filters.insert(0, _reasoning_filter())
    processor = ResultProcessor(process, filters, multi_round) if process else None

    def build(entry: Mapping[str, Any]) -> Metric:
        if judged := _find_judged_metric(config, entry, process):
            return make_judged_metric(
                str(entry["metric"]), judged, lambda outputs: filter_texts(outputs, filters)[0].strip()
            )
        if processor:
            return _metric_from_process_results(config, entry, processor)
        return _exact_match_metric(config, entry, filters)

    metrics = [build(entry) for entry in entries]
    name = str(pipeline.get("name", ""))
    return metrics if name in ("", "none") else [metric.replace(name=f"{metric.name}-{name}") for metric in metrics]


def _read_reasoning_tags(config: TaskConfig) -> Sequence[Sequence[str]]:
    """Return the tags of reasoning that is removed after the filters; none if the file turns that off."""
    value: Any = config.get("reasoning_tags", REASONING_TAGS)
    if value in (False, "none"):
        return ()
    try:
        pairs = orjson.loads(value) if isinstance(value, str) else value
        return [(str(start), str(end)) for start, end in pairs]
    except (TypeError, ValueError) as error:
        raise config.spec_error(f"reasoning_tags should be a list of pairs of tags, not {value!r}.") from error


def _metric_entries(config: TaskConfig, default: str) -> list[Mapping[str, Any]]:
    entries = config.get("metric_list") or [{"metric": default, "aggregation": "mean"}]
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise config.spec_error("metric_list should be a list of mappings with `metric: NAME`.")
    return entries


def _reason_left_out(config: TaskConfig, entry: Mapping[str, Any], process: UserFunction | None) -> str:
    """Return why a metric is left out: its functions run on many draws of samples and must only compute."""
    if _find_judged_metric(config, entry, process):
        return ""
    for function in (process, _aggregation_function(config, entry)):
        if function and (model := find_local_model(function.function)):
            return (
                f"{entry.get('metric')} is left out: {function.name} loads a model on this machine with {model}, "
                "beside the one that is evaluated."
            )
        if function and (side_effect := find_side_effect(function.function)):
            if function.name.rpartition(".")[2] in VIDEO_FUNCTIONS:
                return (
                    f"{entry.get('metric')} is left out: {function.name} has a judge mark answers about videos or "
                    "pictures, and Auricle evaluates audio."
                )
            return (
                f"{entry.get('metric')} is left out: {function.name} uses {side_effect}, "
                "so it does more than compute a score."
            )
    return ""


def _aggregation_function(config: TaskConfig, entry: Mapping[str, Any]) -> UserFunction | None:
    aggregation = entry.get("aggregation")
    return config.load_function(aggregation) if isinstance(aggregation, FunctionReference) else None


def _find_judged_metric(
    config: TaskConfig, entry: Mapping[str, Any], process: UserFunction | None
) -> JudgedMetric | None:
    """Return how a metric is judged if one of its functions sends requests to a judge and is recognised."""
    for function in (process, _aggregation_function(config, entry)):
        if function and find_side_effect(function.function):
            return find_judged_metric(function.name, str(entry.get("metric")))
    return None


def _metric_from_process_results(config: TaskConfig, entry: Mapping[str, Any], processor: ResultProcessor) -> Metric:
    name, higher = str(entry.get("metric")), bool(entry.get("higher_is_better", True))
    aggregation = _resolve_aggregation(config, entry)
    is_user_function = isinstance(aggregation, UserAggregation)

    def score(sample: Sample, *outputs: Output) -> Any:
        results = processor(sample, outputs)
        if name not in results:
            return None
        if not is_user_function:
            return _to_float(name, results[name])
        return (orjson.dumps(results[name], option=orjson.OPT_SERIALIZE_NUMPY).decode(),)  # can be stored

    return Metric(
        name,
        score,
        aggregation,
        higher,
        version=2,
        variant=f"lmms.{processor.name}.{str(entry.get('aggregation', 'mean')).rpartition('.')[2]}",
        applies=lambda _: True,
        badness=(
            (lambda stat: aggregation.rank_sample(stat, higher)) if isinstance(aggregation, UserAggregation) else None
        ),
    )


def _to_float(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise SampleError(
            f"process_results returned {type(value).__name__} for {name}; a mean needs numbers"
        ) from error


def _resolve_aggregation(config: TaskConfig, entry: Mapping[str, Any]) -> Aggregator:
    aggregation = entry.get("aggregation", "mean")
    if isinstance(aggregation, FunctionReference):
        function = config.load_function(aggregation)
        block_random(function.function)
        return UserAggregation(function)
    if aggregation not in AGGREGATIONS:
        raise config.spec_error(
            f"unknown aggregation {aggregation} of {entry.get('metric')}. "
            f"Supported: {', '.join(AGGREGATIONS)} and functions. Or score with -T metrics=…"
        )
    return AGGREGATIONS[str(aggregation)]


def _exact_match_metric(config: TaskConfig, entry: Mapping[str, Any], filters: Sequence[TextFilter]) -> Metric:
    """Build exact_match: whether answer and target are equal after removing what the entry ignores."""
    name = entry.get("metric")
    unknown = [field for field in entry if field not in (*METRIC_FIELDS, *EXACT_MATCH_OPTIONS)]
    if name != "exact_match" or unknown or entry.get("aggregation", "mean") != "mean":
        raise config.spec_error(
            f"unsupported metric {name}. Supported: exact_match, and the values of process_results. "
            "Or use Auricle's metrics: -T metrics=… (see `auricle list metrics`)."
        )
    normalize = _build_normalizer({option: entry.get(option) for option in EXACT_MATCH_OPTIONS})
    has_choices = config.get("doc_to_choice") is not None

    def score(sample: Sample, *outputs: Output) -> float:
        targets = {normalize(text) for text in _target_texts(sample, has_choices)}
        answers = [normalize(text.strip()) for text in filter_texts(outputs, filters)]
        return float(answers[0] in targets)

    variant = ".".join(["lmms", *(option for option in EXACT_MATCH_OPTIONS if entry.get(option))])
    bounds = constant_bounds((0.0, 1.0))
    return Metric("exact_match", score, mean, version=2, variant=variant, bounds=bounds, unit="share", credit=float)


def _target_texts(sample: Sample, has_choices: bool) -> list[str]:
    target: Any = sample.target
    if has_choices and isinstance(target, int):
        target = cast(Sequence[str], sample.inputs["choices"])[target]
    return [str(text) for text in target] if isinstance(target, (list, tuple)) else [str(target)]


def _build_normalizer(options: Mapping[str, Any]) -> TextFilter:
    removable = {"ignore_punctuation": string.punctuation, "ignore_numbers": string.digits}
    table = str.maketrans("", "", "".join(characters for name, characters in removable.items() if options[name]))

    def normalize(text: str) -> str:
        for pattern in options["regexes_to_ignore"] or ():
            text = re.sub(pattern, "", text)
        text = text.lower() if options["ignore_case"] else text
        return text.translate(table)

    return normalize


def _likelihood_metric(config: TaskConfig, entry: Mapping[str, Any]) -> Metric:
    from auricle.metrics.catalogue import METRICS

    name = entry.get("metric")
    if name not in LIKELIHOOD_METRICS:
        raise config.spec_error(
            f"unsupported metric {name} of likelihoods. Supported: {', '.join(LIKELIHOOD_METRICS)}. "
            "Or use Auricle's metrics: -T metrics=acc,acc_token."
        )
    metric: Metric = METRICS.get(LIKELIHOOD_METRICS[str(name)])
    return metric


def find_side_effect(function: Callable[..., Any]) -> str:
    """Return the first name with a side effect that a function reaches, or "" if there is none.

    Files matter only in the function's own file: what it imports may read word lists.
    """
    reached = _reachable_names(function)
    return next((use.name for use in reached if _has_side_effect(use.name, use.value, use.is_in_own_file)), "")


def find_local_model(function: Callable[..., Any]) -> str:
    """Return the first class with which a function loads a model's weights, or "" if there is none."""
    names = (use.name for use in _reachable_names(function))
    return next((name for name in names if MODEL_LOADERS.fullmatch(name)), "")


class NameUse(NamedTuple):
    """A name that a function, or one that it calls, uses."""

    name: str
    value: Any
    is_in_own_file: bool


def _reachable_names(function: Any) -> Iterator[NameUse]:
    """Yield the imports and globals that a function uses, and those of functions it uses in the user's files."""
    seen: set[Any] = set()
    pending = [inspect.unwrap(function)]
    own_globals, folder = getattr(pending[0], "__globals__", None), _user_folder(pending[0])
    while pending:
        current = pending.pop()
        if not isinstance(current, FunctionType) or current in seen:
            continue
        seen.add(current)
        for code in _nested_code(current.__code__):
            is_own = current.__globals__ is own_globals
            imports = [step for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME"]
            yield from (NameUse(str(step.argval), IMPORT_MARKER, is_own) for step in imports)
            for name in code.co_names:
                value = current.__globals__.get(name)
                yield NameUse(name, value, is_own)
                yield from _class_attributes(value, folder)
                pending += [
                    candidate for candidate in _functions_behind(value, code.co_names) if _is_in(folder, candidate)
                ]


def _functions_behind(value: Any, names: Sequence[str]) -> list[FunctionType]:
    """Return a function, the methods of a class or of an object's class, or the functions used of a module."""
    if isinstance(value, ModuleType):
        members = [vars(value).get(name) for name in names]
        return [function for member in members for function in _functions_behind(member, ()) if member is not value]
    if isinstance(value, FunctionType):
        return [inspect.unwrap(value)]
    methods = vars(value if isinstance(value, type) else type(value)).values()
    return [method for method in methods if isinstance(method, FunctionType)]


def _class_attributes(value: Any, folder: Path) -> Iterator[NameUse]:
    """Yield what a class of the user's files, or that of an object, keeps beside its methods, such as a client."""
    cls = value if isinstance(value, type) else type(value)
    if any(_is_in(folder, method) for method in vars(cls).values() if isinstance(method, FunctionType)):
        attributes = {name: item for name, item in vars(cls).items() if not isinstance(item, FunctionType)}
        yield from (NameUse(name, item, False) for name, item in attributes.items())


def _user_folder(function: Any) -> Path:
    """Return the folder of the user's files: all tasks of a checkout, or the folder of the function's file."""
    code = getattr(function, "__code__", None)
    file = Path(code.co_filename if code else "")
    checkout = find_checkout(file)
    return Path(checkout) / "tasks" if checkout else file.parent


def _is_in(folder: Path, function: FunctionType) -> bool:
    return Path(function.__code__.co_filename).is_relative_to(folder)


def _nested_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested_code(constant)


def _has_side_effect(name: str, value: Any, is_in_own_file: bool) -> bool:
    if value is None:
        return name == "open" and is_in_own_file
    defining_module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    module = name if value is IMPORT_MARKER else str(defining_module or "")
    is_network = module.partition(".")[0] in NETWORK_MODULES or module.startswith(JUDGE_MODULES)
    return is_network or (name in FILE_FUNCTIONS and is_in_own_file)


class RandomGuard:
    """Replacement of `random` that marks an answer unreadable instead of guessing its meaning."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def raise_unreadable(*_: Any, **__: Any) -> Any:
            raise Unreadable(f"no answer could be extracted, and random.{name} would have guessed one")

        return raise_unreadable


def block_random(function: Callable[..., Any]) -> Callable[..., Any]:
    """Replace `random` in the globals of a function's file with `RandomGuard`."""
    namespace = getattr(function, "__globals__", {})
    for name, value in list(namespace.items()):
        if value is random:
            namespace[name] = RandomGuard()
        elif getattr(value, "__self__", None) is getattr(random, "_inst", random):
            namespace[name] = getattr(RandomGuard(), value.__name__)
    return function
