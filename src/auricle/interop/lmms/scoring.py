"""How a task's answers count: `process_results` for each, an aggregation for all."""

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
from auricle.core.types import Generation, Output, Sample, Stat
from auricle.interop.lmms.config_reader import FunctionReference, TaskConfig, UserFunction
from auricle.interop.lmms.side_effects import block_random, find_side_effect
from auricle.metrics.base import Aggregator, Metric, constant_bounds, mean

LIKELIHOOD_METRICS = {"acc": "acc", "acc_norm": "acc_char"}
"""What counts likelihoods there, and which of ours is the same rule."""
EXACT_MATCH_OPTIONS = ("ignore_case", "ignore_punctuation", "ignore_numbers", "regexes_to_ignore")
METRIC_FIELDS = ("metric", "aggregation", "higher_is_better")
TextFilter = Callable[[str], str]


# --- filters -----------------------------------------------------------------------------


def _regex_filter(regex_pattern: str, group_select: int = 0, fallback: str = "[invalid]") -> TextFilter:
    pattern = re.compile(regex_pattern)

    def found(text: str) -> str:
        matches = pattern.findall(text)
        if not matches:
            return fallback
        one = matches[group_select]
        return str(next(filter(None, one), "") if isinstance(one, tuple) else one).strip()

    return found


FILTERS: Mapping[str, Callable[..., TextFilter]] = {
    "take_first": lambda: lambda text: text,
    "remove_whitespace": lambda: lambda text: text.removeprefix(" "),
    "lowercase": lambda: str.lower,
    "uppercase": lambda: str.upper,
    "regex": _regex_filter,
}


def build_pipelines(config: TaskConfig) -> dict[str, list[TextFilter]]:
    """What answers go through before they are scored, by the pipeline's name."""
    given = config.get("filter_list") or [{"name": "", "filter": []}]
    return {str(each.get("name", "")): [_build_filter(config, step) for step in each["filter"]] for each in given}


def _build_filter(config: TaskConfig, step: Mapping[str, Any]) -> TextFilter:
    name = step["function"]
    if name not in FILTERS:
        raise config.spec_error(
            f"the filter {name} is not known here; {', '.join(FILTERS)} are. Score with -T metrics=… instead."
        )
    rest = {key: value for key, value in step.items() if key not in ("function", "kwargs")}
    try:
        return FILTERS[name](**rest, **(step.get("kwargs") or {}))
    except (TypeError, re.error) as error:
        raise config.spec_error(f"the filter {name}: {error}.") from error


def filter_texts(outputs: Sequence[Output], filters: Sequence[TextFilter]) -> list[str]:
    """Answers as lmms-eval hands them on to be scored: through the filters."""
    found = []
    for each in outputs:
        if not isinstance(each, Generation):
            raise Unsupported("this task's metrics are for models that write")
        text = each.text
        for step in filters:
            text = step(text)
        found.append(text)
    return found


# --- one sample -----------------------------------------------------------------------------


class ResultProcessor:
    """`process_results`, called once for all metrics of a sample."""

    def __init__(self, function: UserFunction, filters: Sequence[TextFilter], multi_round: bool) -> None:
        self._function, self._filters, self._multi_round = function, filters, multi_round
        self._cached: tuple[Any, Mapping[str, Any]] | None = None
        self.name = function.name.rpartition(".")[2]

    def __call__(self, sample: Sample, outputs: Sequence[Output]) -> Mapping[str, Any]:
        if self._cached is None or self._cached[0] != (sample, outputs):
            doc = copy.deepcopy(dict(sample.meta))  # such functions write into it
            found = self._function.call_silently(doc, self._filtered_results(outputs))
            if not isinstance(found, Mapping):
                raise SampleError(f"{self._function.name} should return names and values, not {type(found).__name__}")
            self._cached = ((sample, outputs), found)
        return self._cached[1]

    def _filtered_results(self, outputs: Sequence[Output]) -> list[Any]:
        """One answer, or all rounds as one."""
        found = filter_texts(outputs, self._filters)
        return [found] if self._multi_round else [each.strip() for each in found]


def _to_stat(value: Any) -> Stat:
    """What an aggregation of somebody's own is given, as it can be kept and counted: one text."""
    return (orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode(),)


@dataclass(frozen=True)
class UserAggregation:
    """A fold that is somebody's function of all values."""

    function: UserFunction
    cost: ClassVar[int] = 100
    """One value takes as long as so many sums: intervals are drawn fewer times."""

    def __call__(self, stats: Sequence[Any]) -> float:
        values = [orjson.loads(each[0]) for each in stats]
        more = {"args": SimpleNamespace()} if "args" in self.function.parameters else {}
        found = self.function.call_silently(values, **more)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            found = getattr(found, "item", lambda: found)()  # numpy's
        if not isinstance(found, (int, float)):
            raise SampleError(f"{self.function.name} returned {type(found).__name__}, which is no number")
        return float(found)

    def rank_sample(self, stat: Any, higher_is_better: bool) -> float:
        """How bad a sample did by itself, where an aggregation of one makes sense."""
        try:
            return self([stat]) * (-1.0 if higher_is_better else 1.0)
        except (SampleError, ArithmeticError):
            return 0.0


def _median(stats: Sequence[Any]) -> float:
    return float(statistics.median([float(each) for each in stats]))


AGGREGATIONS: Mapping[str, Aggregator] = {"mean": mean, "median": _median}


# --- metrics ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class TaskScoring:
    """The metrics of a task, and which of them are left out and why."""

    metrics: list[Metric]
    notes: tuple[str, ...] = ()


def build_scoring(config: TaskConfig) -> TaskScoring:
    """Metrics as the YAML lists them."""
    if config.get("output_type") == "multiple_choice":
        return TaskScoring([_likelihood_metric(config, each) for each in _metric_entries(config, "acc")])
    process = config.get_function("process_results")
    if process is not None:
        if found := find_side_effect(process.function):
            raise config.spec_error(
                f"process_results {process.name} uses {found}, so it does more than score. "
                "Score with -T metrics=…, or have a judge of Auricle's rate the answers "
                "(docs/judges.md)."
            )
        block_random(process.function)
    metrics, notes = [], []
    rounds = config.get("output_type") == "generate_until_multi_round"
    for name, steps in build_pipelines(config).items():
        shared = ResultProcessor(process, steps, rounds) if process else None
        for entry in _metric_entries(config, "exact_match"):
            if words := _reason_left_out(config, entry):
                notes.append(words)
            else:
                found_metric = (
                    _metric_from_process_results(config, entry, shared)
                    if shared
                    else _exact_match_metric(config, entry, steps)
                )
                metrics.append(_name_with_pipeline(found_metric, name))
    if not metrics:
        raise config.spec_error(f"{notes[0]} Score with -T metrics=… instead.")
    return TaskScoring(metrics, tuple(dict.fromkeys(notes)))


def _metric_entries(config: TaskConfig, default: str) -> list[Mapping[str, Any]]:
    given = config.get("metric_list") or [{"metric": default, "aggregation": "mean"}]
    if not isinstance(given, list) or not all(isinstance(each, Mapping) for each in given):
        raise config.spec_error("metric_list should be a list of `metric: NAME` and what goes with it.")
    return given


def _name_with_pipeline(metric: Metric, pipeline: str) -> Metric:
    """A metric of several pipelines is told under the pipeline's name as well."""
    if not pipeline or pipeline == "none":
        return metric
    return replace(metric, name=f"{metric.name}-{pipeline}")


def _reason_left_out(config: TaskConfig, entry: Mapping[str, Any]) -> str:
    """Why a metric is left out: a fold is called a thousand times, and may only reckon."""
    named = entry.get("aggregation")
    if not isinstance(named, FunctionReference):
        return ""
    found = find_side_effect(config.load_function(named).function)
    return f"{entry.get('metric')} is left out: {named} uses {found}." if found else ""


def _metric_from_process_results(config: TaskConfig, entry: Mapping[str, Any], processor: ResultProcessor) -> Metric:
    name, higher = str(entry.get("metric")), bool(entry.get("higher_is_better", True))
    fold = _resolve_aggregation(config, entry)
    own = isinstance(fold, UserAggregation)

    def score(sample: Sample, *outputs: Output) -> Any:
        found = processor(sample, outputs)
        if name not in found:
            return None
        return _to_stat(found[name]) if own else _to_float(name, found[name])

    return Metric(
        name,
        score,
        fold,
        higher,
        variant=f"lmms.{processor.name}.{_aggregation_name(entry)}",
        applies=lambda _: True,
        custom_badness=(lambda stat: fold.rank_sample(stat, higher)) if isinstance(fold, UserAggregation) else None,
    )


def _to_float(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise SampleError(f"process_results gave {type(value).__name__} as {name}; a mean is of numbers") from error


def _resolve_aggregation(config: TaskConfig, entry: Mapping[str, Any]) -> Aggregator:
    given = entry.get("aggregation", "mean")
    if isinstance(given, FunctionReference):
        return UserAggregation(_load_pure_function(config, given))
    if given not in AGGREGATIONS:
        raise config.spec_error(
            f"the aggregation {given} of {entry.get('metric')} is not known here; "
            f"{', '.join(AGGREGATIONS)} and functions are. Score with -T metrics=… instead."
        )
    return AGGREGATIONS[str(given)]


def _load_pure_function(config: TaskConfig, reference: FunctionReference) -> UserFunction:
    function = config.load_function(reference)
    block_random(function.function)
    return function


def _aggregation_name(entry: Mapping[str, Any]) -> str:
    return str(entry.get("aggregation", "mean")).rpartition(".")[2]


# --- metrics with names of their own -------------------------------------------------------------


def _exact_match_metric(config: TaskConfig, entry: Mapping[str, Any], filters: Sequence[TextFilter]) -> Metric:
    """Is the answer the target, once what is to be ignored is taken out of both?"""
    name = entry.get("metric")
    unknown = [each for each in entry if each not in (*METRIC_FIELDS, *EXACT_MATCH_OPTIONS)]
    if name != "exact_match" or unknown or entry.get("aggregation", "mean") != "mean":
        raise config.spec_error(
            f"the metric {name} is not scored as lmms-eval does; exact_match is, and what "
            "process_results gives. Name metrics of Auricle's: -T metrics=… (auricle list metrics)."
        )
    plain = _build_normalizer({each: entry.get(each) for each in EXACT_MATCH_OPTIONS})
    choices = config.get("doc_to_choice") is not None

    def score(sample: Sample, *outputs: Output) -> float:
        wanted = {plain(each) for each in _target_texts(sample, choices)}
        said = [plain(each.strip()) for each in filter_texts(outputs, filters)]
        return float(said[0] in wanted)

    variant = ".".join(["lmms", *(each for each in EXACT_MATCH_OPTIONS if entry.get(each))])
    return Metric("exact_match", score, mean, variant=variant, bounds=constant_bounds((0.0, 1.0)), unit="share")


def _target_texts(sample: Sample, has_choices: bool) -> list[str]:
    target: Any = sample.target
    if has_choices and isinstance(target, int):
        target = cast(Sequence[str], sample.inputs["choices"])[target]
    return [str(each) for each in target] if isinstance(target, (list, tuple)) else [str(target)]


def _build_normalizer(options: Mapping[str, Any]) -> TextFilter:
    taken = {"ignore_punctuation": string.punctuation, "ignore_numbers": string.digits}
    table = str.maketrans("", "", "".join(v for name, v in taken.items() if options[name]))

    def plain(text: str) -> str:
        for each in options["regexes_to_ignore"] or ():
            text = re.sub(each, "", text)
        text = text.lower() if options["ignore_case"] else text
        return text.translate(table)

    return plain


def _likelihood_metric(config: TaskConfig, entry: Mapping[str, Any]) -> Metric:
    from auricle.metrics.catalogue import METRICS

    name = entry.get("metric")
    if name not in LIKELIHOOD_METRICS:
        raise config.spec_error(
            f"{name} of likelihoods is not told here; {', '.join(LIKELIHOOD_METRICS)} are. Name metrics "
            "of Auricle's: -T metrics=acc,acc_token."
        )
    found: Metric = METRICS.get(LIKELIHOOD_METRICS[str(name)])
    return found
