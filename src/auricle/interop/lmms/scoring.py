"""Metrics of a task YAML: `process_results` per sample, and an aggregation over all samples."""

from __future__ import annotations

import copy
import re
import statistics
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import orjson

from auricle.core.errors import SampleError, Unsupported
from auricle.core.types import Generation, Output, Sample
from auricle.interop.lmms.config_reader import FunctionReference, TaskConfig, UserFunction
from auricle.interop.lmms.side_effects import block_random, find_side_effect
from auricle.metrics.base import Aggregator, Metric, constant_bounds, mean

LIKELIHOOD_METRICS = {"acc": "acc", "acc_norm": "acc_char"}
"""Metrics of likelihoods, and Auricle's metric with the same rule."""
EXACT_MATCH_OPTIONS = ("ignore_case", "ignore_punctuation", "ignore_numbers", "regexes_to_ignore")
METRIC_FIELDS = ("metric", "aggregation", "higher_is_better")
TextFilter = Callable[[str], str]


# --- filters -----------------------------------------------------------------------------


def _regex_filter(regex_pattern: str, group_select: int = 0, fallback: str = "[invalid]") -> TextFilter:
    pattern = re.compile(regex_pattern)

    def extract(text: str) -> str:
        matches = pattern.findall(text)
        if not matches:
            return fallback
        match = matches[group_select]
        return str(next(filter(None, match), "") if isinstance(match, tuple) else match).strip()

    return extract


FILTERS: Mapping[str, Callable[..., TextFilter]] = {
    "take_first": lambda: lambda text: text,
    "remove_whitespace": lambda: lambda text: text.removeprefix(" "),
    "lowercase": lambda: str.lower,
    "uppercase": lambda: str.upper,
    "regex": _regex_filter,
}


def build_pipelines(config: TaskConfig) -> dict[str, list[TextFilter]]:
    """Return the filters applied to answers before scoring, by pipeline name."""
    pipelines = config.get("filter_list") or [{"name": "", "filter": []}]
    return {
        str(pipeline.get("name", "")): [_build_filter(config, step) for step in pipeline["filter"]]
        for pipeline in pipelines
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


# --- one sample -----------------------------------------------------------------------------


class ResultProcessor:
    """Calls `process_results` once for all metrics of a sample."""

    def __init__(self, function: UserFunction, filters: Sequence[TextFilter], multi_round: bool) -> None:
        self._function, self._filters, self._multi_round = function, filters, multi_round
        self._cached: tuple[Any, Mapping[str, Any]] | None = None
        self.name = function.name.rpartition(".")[2]

    def __call__(self, sample: Sample, outputs: Sequence[Output]) -> Mapping[str, Any]:
        if self._cached is None or self._cached[0] != (sample, outputs):
            doc = copy.deepcopy(dict(sample.meta))  # functions may modify it
            result = self._function.call_silently(doc, self._filtered_results(outputs))
            if not isinstance(result, Mapping):
                raise SampleError(f"{self._function.name} should return a dict, not {type(result).__name__}")
            self._cached = ((sample, outputs), result)
        return self._cached[1]

    def _filtered_results(self, outputs: Sequence[Output]) -> list[Any]:
        """Return the filtered answer, or the answers of all rounds as one result."""
        texts = filter_texts(outputs, self._filters)
        return [texts] if self._multi_round else [text.strip() for text in texts]


@dataclass(frozen=True)
class UserAggregation:
    """An aggregation with a function from the user's files."""

    function: UserFunction
    cost: ClassVar[int] = 100
    """Cost relative to a sum; expensive aggregations get fewer bootstrap draws."""

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


def _median(stats: Sequence[Any]) -> float:
    return float(statistics.median([float(stat) for stat in stats]))


AGGREGATIONS: Mapping[str, Aggregator] = {"mean": mean, "median": _median}


# --- metrics ---------------------------------------------------------------------------------


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
    if process is not None:
        if side_effect := find_side_effect(process.function):
            raise config.spec_error(
                f"process_results {process.name} uses {side_effect}, so it does more than compute a score. "
                "Score with -T metrics=…, or let a judge rate the answers (docs/judges.md)."
            )
        block_random(process.function)
    metrics, notes = [], []
    multi_round = config.get("output_type") == "generate_until_multi_round"
    for name, steps in build_pipelines(config).items():
        shared = ResultProcessor(process, steps, multi_round) if process else None
        for entry in _metric_entries(config, "exact_match"):
            if reason := _reason_left_out(config, entry):
                notes.append(reason)
            else:
                metric = (
                    _metric_from_process_results(config, entry, shared)
                    if shared
                    else _exact_match_metric(config, entry, steps)
                )
                metrics.append(_name_with_pipeline(metric, name))
    if not metrics:
        raise config.spec_error(f"{notes[0]} Score with -T metrics=… instead.")
    return TaskScoring(metrics, tuple(dict.fromkeys(notes)))


def _metric_entries(config: TaskConfig, default: str) -> list[Mapping[str, Any]]:
    entries = config.get("metric_list") or [{"metric": default, "aggregation": "mean"}]
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise config.spec_error("metric_list should be a list of mappings with `metric: NAME`.")
    return entries


def _name_with_pipeline(metric: Metric, pipeline: str) -> Metric:
    """Append the pipeline's name to the metric's name."""
    if not pipeline or pipeline == "none":
        return metric
    return replace(metric, name=f"{metric.name}-{pipeline}")


def _reason_left_out(config: TaskConfig, entry: Mapping[str, Any]) -> str:
    """Return why a metric is left out: aggregations run for every bootstrap draw and must be pure."""
    aggregation = entry.get("aggregation")
    if not isinstance(aggregation, FunctionReference):
        return ""
    side_effect = find_side_effect(config.load_function(aggregation).function)
    return f"{entry.get('metric')} is left out: {aggregation} uses {side_effect}." if side_effect else ""


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
        variant=f"lmms.{processor.name}.{str(entry.get('aggregation', 'mean')).rpartition('.')[2]}",
        applies=lambda _: True,
        custom_badness=(
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


# --- metrics by name ----------------------------------------------------------------------------


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
    return Metric("exact_match", score, mean, variant=variant, bounds=bounds, unit="share", credit=float)


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
