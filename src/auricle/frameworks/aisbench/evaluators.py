"""AISBench's evaluators as metrics: `aisbench:Gsm8kEvaluator?pred=gsm8k_postprocess&gold=gsm8k_dataset_postprocess`.

A name consists of the evaluator, with the number that it reports if there are several (`RougeEvaluator.rouge1`), and
of its options. `pred` and `gold` are the post-processors of the reply and of the reference; their own options follow
them as `pred.options=ABCD`. Numbers are shares, where AISBench reports per cent. An evaluator, post-processor or option
that is not reproduced is rejected by name.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from auricle.core.errors import MissingExtra, SpecError
from auricle.core.types import Generation, Sample
from auricle.frameworks.aisbench.postprocessors import POSTPROCESSORS, TEXT_POSTPROCESSORS
from auricle.frameworks.aisbench.scorers import AGGREGATES, SCORERS
from auricle.metrics.base import Metric, metric
from auricle.metrics.catalogue import METRICS

OWN_METRICS = {"BleuEvaluator": "bleu"}
"""Evaluators that compute what one of Auricle's metrics does."""
RUNS_CODE = "runs code that the model wrote"
NEEDS_JUDGE = "asks a judge model; use one of Auricle's judges"
TEXT_BENCHMARK = "belongs to one benchmark of text, and Auricle evaluates audio"
REJECTED = {
    **dict.fromkeys(
        (
            *("BBHEvaluator", "BBHEvaluator_mcq", "DropOpenAIEvaluator", "GPQAEvaluator", "JiebaRougeEvaluator"),
            *("LambadaEvaluator", "LEvalEMEvaluator", "LongBenchClassificationEvaluator", "LongBenchCodeSimEvaluator"),
            *("LongBenchCountEvaluator", "LongBenchF1Evaluator", "LongBenchRetrievalEvaluator"),
            *("LongBenchRougeEvaluator", "LongBenchv2Evaluator", "MATHEvaluator"),
            *("MGSM_Evaluator", "MMLUProBaseEvaluator", "NeedleBenchATCEvaluator", "NeedleBenchOriginEvaluator"),
            *("NeedleBenchParallelEvaluator", "RealworldQAEvaluator", "TriviaQAEvaluator"),
        ),
        TEXT_BENCHMARK,
    ),
    **dict.fromkeys(("HumanEvalEvaluator", "HumanevalXEvaluator", "MBPPPassKEvaluator"), RUNS_CODE),
    "LCBCodeGenerationEvaluator": RUNS_CODE,
    **dict.fromkeys(("LLMJudgeCorrectEvaluator", "HLEJudgeEvaluator", "AALCRJudgeEvaluator"), NEEDS_JUDGE),
    "EDAccEvaluator": "has references that are objects",
    "MooncakeTraceEvaluator": "computes nothing",
}
"""Why an evaluator is not reproduced, where there is more to say than that."""
CHOOSE_ANOTHER = "Choose a metric with -T metrics=NAME; see `auricle list metrics`."
SIDES = ("pred", "gold")
PREFIX = "aisbench:"
ESCAPED = re.compile(r"[%&=,]")


def list_metric_names(evaluator: str, options: Mapping[str, str]) -> list[str]:
    """Return the names of the metrics for an evaluator, one per number that it reports."""
    names = [name for name in SCORERS if name.partition(".")[0] == evaluator] or [evaluator]
    query = "&".join(f"{key}={_escape(value)}" for key, value in options.items())
    return [f"{PREFIX}{name}{'?' if query else ''}{query}" for name in names]


def _escape(value: str) -> str:
    return ESCAPED.sub(lambda match: f"%{ord(match[0]):02X}", str(value))


def resolve_metric(name: str) -> Metric:
    """Return the metric of an AISBench evaluator with its post-processors.

    Args:
        name: The evaluator and its options, such as `AccEvaluator?pred=first_option_postprocess&pred.options=ABCD`.

    Raises:
        SpecError: if Auricle does not reproduce the evaluator, a post-processor, or an option.
    """
    evaluator, _, query = name.partition("?")
    options = dict(_parse_options(query))
    inner = _build_metric(
        evaluator, {key: value for key, value in options.items() if key.partition(".")[0] not in SIDES}
    )
    readers = {side: _build_reader(side, options) for side in SIDES}
    return _read_with(inner, readers).replace(variant=query)


def check_metric(name: str) -> str:
    """Return why the metric of an AISBench evaluator is rejected, or an empty text."""
    if not name.startswith(PREFIX):
        return ""
    try:
        resolve_metric(name.removeprefix(PREFIX))
    except MissingExtra:
        return ""
    except SpecError as error:
        return str(error)
    return ""


def _parse_options(query: str) -> Iterator[tuple[str, str]]:
    for option in filter(None, query.split("&")):
        key, separator, value = option.partition("=")
        if not separator:
            raise SpecError(f"An option of an AISBench evaluator should be key=value, not {option!r}.")
        yield key, re.sub(r"%([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), value)


def _build_reader(side: str, options: Mapping[str, str]) -> Callable[[Any], Any]:
    """Return the function that applies the post-processor of one side."""
    name = options.get(side)
    arguments = {key.removeprefix(f"{side}."): value for key, value in options.items() if key.startswith(f"{side}.")}
    if name is None:
        return lambda text: text
    if name not in POSTPROCESSORS:
        reason = f": it {TEXT_BENCHMARK}" if name in TEXT_POSTPROCESSORS else ""
        raise SpecError(f"AISBench's post-processor {name} is not reproduced{reason}. {CHOOSE_ANOTHER}")
    postprocess = POSTPROCESSORS[name]
    _check_arguments(name, inspect.signature(postprocess), arguments, positional=1)
    return lambda text: postprocess(text, **arguments) if isinstance(text, str) else text


def _build_metric(evaluator: str, options: Mapping[str, str]) -> Metric:
    if evaluator in OWN_METRICS and not options:
        own: Metric = METRICS.get(OWN_METRICS[evaluator])
        return own.replace(name=evaluator, title=evaluator)
    if evaluator not in SCORERS:
        reason = f": it {REJECTED[evaluator]}" if evaluator in REJECTED else ""
        raise SpecError(f"AISBench's {evaluator} is not reproduced{reason}. {CHOOSE_ANOTHER}")
    compare = SCORERS[evaluator]
    _check_arguments(evaluator, inspect.signature(compare), options, positional=2)

    def score(sample: Sample, output: Generation) -> float:
        return compare(output.text, sample.target, **options)

    return metric(AGGREGATES.get(evaluator), name=evaluator, limits=(0.0, 1.0))(score)


def _check_arguments(name: str, signature: inspect.Signature, arguments: Mapping[str, str], positional: int) -> None:
    parameters = list(signature.parameters.values())[positional:]
    if unknown := {*arguments} - {parameter.name for parameter in parameters}:
        raise SpecError(f"The option {', '.join(sorted(unknown))} of AISBench's {name} is not reproduced.")
    required = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    if missing := [parameter for parameter in required if parameter not in arguments]:
        raise SpecError(f"AISBench's {name} needs the option {missing[0]}.")


def _read_with(inner: Metric, readers: Mapping[str, Callable[[Any], Any]]) -> Metric:
    """Return the metric for replies and references as the readers return them."""

    def score(sample: Sample, output: Generation) -> Any:
        reference = readers["gold"](sample.target)
        return inner.score(replace(sample, target=reference), replace(output, text=readers["pred"](output.text)))

    return inner.replace(score=score, read_answer=lambda _, output: str(readers["pred"](output.text)))
