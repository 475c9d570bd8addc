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
from auricle.interop.lmms.config_reader import Config, Function, Named
from auricle.interop.lmms.side_effects import impure, without_dice
from auricle.metrics.base import Fold, Metric, mean, within

LIKELIHOODS = {"acc": "acc", "acc_norm": "acc_char"}
"""What counts likelihoods there, and which of ours is the same rule."""
EXACT = ("ignore_case", "ignore_punctuation", "ignore_numbers", "regexes_to_ignore")
ABOUT = ("metric", "aggregation", "higher_is_better")
Strip = Callable[[str], str]


# --- filters -----------------------------------------------------------------------------


def _regex(regex_pattern: str, group_select: int = 0, fallback: str = "[invalid]") -> Strip:
    pattern = re.compile(regex_pattern)

    def found(text: str) -> str:
        matches = pattern.findall(text)
        if not matches:
            return fallback
        one = matches[group_select]
        return str(next(filter(None, one), "") if isinstance(one, tuple) else one).strip()

    return found


FILTERS: Mapping[str, Callable[..., Strip]] = {
    "take_first": lambda: lambda text: text,
    "remove_whitespace": lambda: lambda text: text.removeprefix(" "),
    "lowercase": lambda: str.lower,
    "uppercase": lambda: str.upper,
    "regex": _regex,
}


def pipelines(config: Config) -> dict[str, list[Strip]]:
    """What answers go through before they are scored, by the pipeline's name."""
    given = config.get("filter_list") or [{"name": "", "filter": []}]
    return {
        str(each.get("name", "")): [_filter(config, step) for step in each["filter"]]
        for each in given
    }


def _filter(config: Config, step: Mapping[str, Any]) -> Strip:
    name = step["function"]
    if name not in FILTERS:
        raise config.refuse(
            f"the filter {name} is not known here; {', '.join(FILTERS)} are. "
            "Score with -T metrics=… instead."
        )
    rest = {key: value for key, value in step.items() if key not in ("function", "kwargs")}
    try:
        return FILTERS[name](**rest, **(step.get("kwargs") or {}))
    except (TypeError, re.error) as error:
        raise config.refuse(f"the filter {name}: {error}.") from error


def texts_of(outputs: Sequence[Output], steps: Sequence[Strip]) -> list[str]:
    """Answers as lmms-eval hands them on to be scored: through the filters."""
    found = []
    for each in outputs:
        if not isinstance(each, Generation):
            raise Unsupported("this task's metrics are for models that write")
        text = each.text
        for step in steps:
            text = step(text)
        found.append(text)
    return found


# --- one sample -----------------------------------------------------------------------------


class Process:
    """`process_results`, called once for all metrics of a sample."""

    def __init__(self, function: Function, steps: Sequence[Strip], rounds: bool) -> None:
        self._function, self._steps, self._rounds = function, steps, rounds
        self._last: tuple[Any, Mapping[str, Any]] | None = None
        self.name = function.name.rpartition(".")[2]

    def __call__(self, sample: Sample, outputs: Sequence[Output]) -> Mapping[str, Any]:
        if self._last is None or self._last[0] != (sample, outputs):
            doc = copy.deepcopy(dict(sample.meta))  # such functions write into it
            found = self._function.quietly(doc, self._results(outputs))
            if not isinstance(found, Mapping):
                raise SampleError(
                    f"{self._function.name} should return names and values, not "
                    f"{type(found).__name__}"
                )
            self._last = ((sample, outputs), found)
        return self._last[1]

    def _results(self, outputs: Sequence[Output]) -> list[Any]:
        """One answer, or all rounds as one."""
        found = texts_of(outputs, self._steps)
        return [found] if self._rounds else [each.strip() for each in found]


def _kept(value: Any) -> Stat:
    """What an aggregation of somebody's own is given, as it can be kept and counted: one text."""
    return (orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode(),)


@dataclass(frozen=True)
class Aggregation:
    """A fold that is somebody's function of all values."""

    function: Function
    cost: ClassVar[int] = 100
    """One value takes as long as so many sums: intervals are drawn fewer times."""

    def __call__(self, stats: Sequence[Any]) -> float:
        values = [orjson.loads(each[0]) for each in stats]
        more = {"args": SimpleNamespace()} if "args" in self.function.parameters else {}
        found = self.function.quietly(values, **more)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            found = getattr(found, "item", lambda: found)()  # numpy's
        if not isinstance(found, (int, float)):
            raise SampleError(
                f"{self.function.name} returned {type(found).__name__}, which is no number"
            )
        return float(found)

    def badness(self, stat: Any, higher: bool) -> float:
        """How bad a sample did by itself, where an aggregation of one makes sense."""
        try:
            return self([stat]) * (-1.0 if higher else 1.0)
        except (SampleError, ArithmeticError):
            return 0.0


def _median(stats: Sequence[Any]) -> float:
    return float(statistics.median([float(each) for each in stats]))


FOLDS: Mapping[str, Fold] = {"mean": mean, "median": _median}


# --- metrics ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scoring:
    """The metrics of a task, and which of them are left out and why."""

    metrics: list[Metric]
    notes: tuple[str, ...] = ()


def scoring_of(config: Config) -> Scoring:
    """Metrics as the YAML lists them."""
    if config.get("output_type") == "multiple_choice":
        return Scoring([_likelihood(config, each) for each in _entries(config, "acc")])
    process = config.callable("process_results")
    if process is not None:
        if found := impure(process.body):
            raise config.refuse(
                f"process_results {process.name} uses {found}, so it does more than score. "
                "Score with -T metrics=…, or have a judge of Auricle's rate the answers "
                "(docs/judges.md)."
            )
        without_dice(process.body)
    metrics, notes = [], []
    rounds = config.get("output_type") == "generate_until_multi_round"
    for name, steps in pipelines(config).items():
        shared = Process(process, steps, rounds) if process else None
        for entry in _entries(config, "exact_match"):
            if words := _left_out(config, entry):
                notes.append(words)
            else:
                found_metric = (
                    _processed(config, entry, shared) if shared else _exact(config, entry, steps)
                )
                metrics.append(_called(found_metric, name))
    if not metrics:
        raise config.refuse(f"{notes[0]} Score with -T metrics=… instead.")
    return Scoring(metrics, tuple(dict.fromkeys(notes)))


def _entries(config: Config, otherwise: str) -> list[Mapping[str, Any]]:
    given = config.get("metric_list") or [{"metric": otherwise, "aggregation": "mean"}]
    if not isinstance(given, list) or not all(isinstance(each, Mapping) for each in given):
        raise config.refuse("metric_list should be a list of `metric: NAME` and what goes with it.")
    return given


def _called(metric: Metric, pipeline: str) -> Metric:
    """A metric of several pipelines is told under the pipeline's name as well."""
    if not pipeline or pipeline == "none":
        return metric
    return replace(metric, name=f"{metric.name}-{pipeline}")


def _left_out(config: Config, entry: Mapping[str, Any]) -> str:
    """Why a metric is left out: a fold is called a thousand times, and may only reckon."""
    named = entry.get("aggregation")
    if not isinstance(named, Named):
        return ""
    found = impure(config.function(named).body)
    return f"{entry.get('metric')} is left out: {named} uses {found}." if found else ""


def _processed(config: Config, entry: Mapping[str, Any], process: Process) -> Metric:
    name, higher = str(entry.get("metric")), bool(entry.get("higher_is_better", True))
    fold = _fold(config, entry)
    own = isinstance(fold, Aggregation)

    def score(sample: Sample, *outputs: Output) -> Any:
        found = process(sample, outputs)
        if name not in found:
            return None
        return _kept(found[name]) if own else _number(name, found[name])

    return Metric(
        name,
        score,
        fold,
        higher,
        variant=f"lmms.{process.name}.{_told(entry)}",
        applies=lambda _: True,
        rank=(lambda stat: fold.badness(stat, higher)) if isinstance(fold, Aggregation) else None,
    )


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise SampleError(
            f"process_results gave {type(value).__name__} as {name}; a mean is of numbers"
        ) from error


def _fold(config: Config, entry: Mapping[str, Any]) -> Fold:
    given = entry.get("aggregation", "mean")
    if isinstance(given, Named):
        return Aggregation(_reckoning(config, given))
    if given not in FOLDS:
        raise config.refuse(
            f"the aggregation {given} of {entry.get('metric')} is not known here; "
            f"{', '.join(FOLDS)} and functions are. Score with -T metrics=… instead."
        )
    return FOLDS[str(given)]


def _reckoning(config: Config, named: Named) -> Function:
    function = config.function(named)
    without_dice(function.body)
    return function


def _told(entry: Mapping[str, Any]) -> str:
    return str(entry.get("aggregation", "mean")).rpartition(".")[2]


# --- metrics with names of their own -------------------------------------------------------------


def _exact(config: Config, entry: Mapping[str, Any], steps: Sequence[Strip]) -> Metric:
    """Is the answer the target, once what is to be ignored is taken out of both?"""
    name = entry.get("metric")
    unknown = [each for each in entry if each not in (*ABOUT, *EXACT)]
    if name != "exact_match" or unknown or entry.get("aggregation", "mean") != "mean":
        raise config.refuse(
            f"the metric {name} is not scored as lmms-eval does; exact_match is, and what "
            "process_results gives. Name metrics of Auricle's: -T metrics=… (auricle list metrics)."
        )
    plain = _plain({each: entry.get(each) for each in EXACT})
    choices = config.get("doc_to_choice") is not None

    def score(sample: Sample, *outputs: Output) -> float:
        wanted = {plain(each) for each in _targets(sample, choices)}
        said = [plain(each.strip()) for each in texts_of(outputs, steps)]
        return float(said[0] in wanted)

    variant = ".".join(["lmms", *(each for each in EXACT if entry.get(each))])
    return Metric(
        "exact_match", score, mean, variant=variant, bounds=within((0.0, 1.0)), unit="share"
    )


def _targets(sample: Sample, choices: bool) -> list[str]:
    target: Any = sample.target
    if choices and isinstance(target, int):
        target = cast(Sequence[str], sample.inputs["choices"])[target]
    return [str(each) for each in target] if isinstance(target, (list, tuple)) else [str(target)]


def _plain(ignored: Mapping[str, Any]) -> Strip:
    taken = {"ignore_punctuation": string.punctuation, "ignore_numbers": string.digits}
    table = str.maketrans("", "", "".join(v for name, v in taken.items() if ignored[name]))

    def plain(text: str) -> str:
        for each in ignored["regexes_to_ignore"] or ():
            text = re.sub(each, "", text)
        text = text.lower() if ignored["ignore_case"] else text
        return text.translate(table)

    return plain


def _likelihood(config: Config, entry: Mapping[str, Any]) -> Metric:
    from auricle.metrics.catalogue import METRICS

    name = entry.get("metric")
    if name not in LIKELIHOODS:
        raise config.refuse(
            f"{name} of likelihoods is not told here; {', '.join(LIKELIHOODS)} are. Name metrics "
            "of Auricle's: -T metrics=acc,acc_token."
        )
    found: Metric = METRICS.get(LIKELIHOODS[str(name)])
    return found
