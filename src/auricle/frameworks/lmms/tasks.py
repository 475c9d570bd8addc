"""Tasks from task YAMLs of lmms-eval: `auricle run lmms:my_task.yaml -m MODEL`."""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, cast

from auricle.core.errors import SampleError, SpecError, UnknownName
from auricle.core.types import Ability, Ask, Generate, Generation, Likelihood, LogLikelihood, Output, Sample, Turn
from auricle.engine.inferencers import Inferencer
from auricle.engine.inferencers.base import resolve_max_tokens
from auricle.engine.task import Task
from auricle.engine.task_options import parse_row_range, split_list
from auricle.frameworks.lmms.config_reader import TaskConfig, UserFunction, reject_unsupported
from auricle.frameworks.lmms.data import SampleBuilder, resolve_source
from auricle.frameworks.lmms.groups import format_member, is_group, list_members, read_task
from auricle.frameworks.lmms.media import LazyAudioDict, to_part
from auricle.frameworks.lmms.scoring import TaskScoring, build_scoring
from auricle.media import Audio
from auricle.metrics.base import resolve_metrics

NEUTRAL_GENERATION_KWARGS: Mapping[str, tuple[Any, ...]] = {
    "top_p": (None, 1, 1.0),
    "top_k": (None, 0, -1),
    "num_beams": (None, 1),
    "do_sample": (None, False, True),
    "use_cache": (None, True, False),
}
"""Generation options, and the values that have no effect."""
MAX_ROUNDS = 16
DOC_FUNCTIONS = ("doc_to_messages", "doc_to_visual", "doc_to_text", "doc_to_target", "doc_to_choice", "process_docs")


@dataclass(frozen=True)
class LmmsTaskOptions:
    """Options of a YAML task, given as `-T name=value`."""

    name: str = ""
    data: str = ""
    root: str | None = None
    split: str = ""
    revision: str | None = None
    rows: str = ""
    specific: str = ""
    """Model whose `lmms_eval_specific_kwargs` are used; by default those under `default`."""
    metrics: str | Sequence[str] = ()
    """Auricle's metrics, in place of the file's."""
    max_tokens: int | None = None
    temperature: float | None = None
    stop: str | Sequence[str] | None = None

    @classmethod
    def parse(cls, path: str, options: Mapping[str, Any]) -> LmmsTaskOptions:
        option_names = [option.name for option in fields(cls)]
        if unknown := [name for name in options if name not in option_names]:
            matches = difflib.get_close_matches(unknown[0], option_names, n=1)
            hint = f"Did you mean {matches[0]}?" if matches else f"Available: {', '.join(option_names)}."
            raise SpecError(f"lmms:{path}: unknown option {', '.join(unknown)}. {hint}")
        return cls(**options)


@dataclass(frozen=True)
class GenerateOnce:
    """Sends a doc's turns once."""

    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return (await ask(self.request(sample, _get_turns(sample))),)

    def request(self, sample: Sample, turns: tuple[Turn, ...]) -> Generate:
        return Generate(
            turns=turns,
            max_tokens=resolve_max_tokens(sample, self.max_tokens),
            temperature=self.temperature,
            stop=self.stop,
        )


@dataclass(frozen=True)
class ChooseByLikelihood:
    """Asks for the likelihood of each choice after a doc's turns."""

    delimiter: str = " "
    needs: ClassVar[Ability] = "loglikelihood"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        choices = cast(Sequence[str], sample.inputs["choices"])
        texts = [f"{self.delimiter}{choice}" for choice in choices]
        requests = (LogLikelihood(turns=_get_turns(sample), continuation=text) for text in texts)
        outputs = await asyncio.gather(*map(ask, requests))
        return tuple(replace(cast(Likelihood, output), text=text) for output, text in zip(outputs, texts, strict=True))


@dataclass(frozen=True)
class MultiRound:
    """Runs rounds that `doc_to_text` builds from the previous answers; each round is sent on its own."""

    generation: GenerateOnce
    text: UserFunction
    model_kwargs: Any = field(default=None, repr=False)
    root: Path = field(default=Path(), repr=False)
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        answers: list[Generation] = []
        turns: tuple[Turn, ...] = _get_turns(sample)
        previous_outputs: list[str] = []
        round_info: Any = None
        while turns:
            if len(answers) == MAX_ROUNDS:
                raise SampleError(f"not finished after {MAX_ROUNDS} rounds")
            answers.append(cast(Generation, await ask(self.generation.request(sample, turns))))
            previous_outputs = [*previous_outputs, answers[-1].text]
            turns, previous_outputs, round_info = self._next_round(sample, len(answers), previous_outputs, round_info)
        return tuple(answers)

    def _next_round(
        self, sample: Sample, round_index: int, previous_outputs: list[str], round_info: Any
    ) -> tuple[tuple[Turn, ...], list[str], Any]:
        audio = {name: LazyAudioDict(value) for name, value in sample.inputs.items() if isinstance(value, Audio)}
        next_round = self.text(
            {**sample.meta, **audio},
            lmms_eval_specific_kwargs=self.model_kwargs,
            round_idx=round_index,
            previous_output=previous_outputs,
            previous_round_info=round_info,
        )
        if not isinstance(next_round, tuple) or len(next_round) != 5:
            raise SampleError(f"{self.text.name} should return a tuple of five values for a later round")
        visuals, text, is_last, outputs, round_info = next_round
        if is_last:
            return (), previous_outputs, round_info
        parts = [to_part(visual, self.root) for visual in visuals or ()]
        return (Turn("user", (*parts, str(text))),), list(outputs), round_info


def _get_turns(sample: Sample) -> tuple[Turn, ...]:
    return cast("tuple[Turn, ...]", tuple(sample.inputs["turns"]))  # type: ignore[arg-type]


def create_task_factory(path: str) -> Callable[..., Task]:
    """Return the task factory of a YAML file; for a group, it has `members`."""
    if not re.search(r"\.ya?ml(:[^/]+)?$", path):
        raise UnknownName(f"Not a task: 'lmms:{path}'. Expected lmms:FILE.yaml, a task of lmms-eval.")
    config = read_task(path)

    def build(**options: Any) -> Task:
        if is_group(config):
            raise config.spec_error("it is a group of tasks; run it with `auricle run`, which runs each of them.")
        return build_task(read_task(path), LmmsTaskOptions.parse(path, options))

    if is_group(config):
        build.members = lambda _arguments: [  # type: ignore[attr-defined]
            format_member(config, member) for member in list_members(config)
        ]
    return build


def build_task(config: TaskConfig, options: LmmsTaskOptions) -> Task:
    metric_names = split_list(options.metrics)
    reject_unsupported(config, bool(metric_names))
    for name in DOC_FUNCTIONS:
        config.get_function(name)  # a file that cannot be loaded is reported before the first row
    sample_builder = SampleBuilder(config, _select_model_kwargs(config, options.specific), Path())
    inferencer, notes = _build_inferencer(config, options, sample_builder)
    metrics = [metric for name in metric_names for metric in resolve_metrics(name)]
    scoring = TaskScoring(metrics) if metrics else build_scoring(config)
    source = replace(
        resolve_source(config, {"data": options.data, "split": options.split, "revision": options.revision}),
        root=Path(options.root) if options.root else None,
        span=parse_row_range(options.rows),
    )
    name = options.name or str(config.get("task") or config.source.stem)
    if (alias := config.get("task_alias", name)) != name:
        notes = (*notes, f"task_alias={alias!r} is not shown: other tasks may have it, too. -T name=… sets the name.")
    return Task(
        source.load_samples(sample_builder, (*notes, *scoring.notes)),
        inferencer,
        scoring.metrics,
        name=name,
        source=source.data,
        cluster=str(config.get("cluster_key", "")),
    )


def _select_model_kwargs(config: TaskConfig, model: str) -> Any:
    """Return the `lmms_eval_specific_kwargs` of a model, or the default ones."""
    if config.get("lmms_eval_specific_kwargs") is None:
        if model:
            raise config.spec_error("missing field lmms_eval_specific_kwargs. Remove -T specific.")
        return None
    kwargs_by_model = config.get_section("lmms_eval_specific_kwargs")
    if model:
        if model not in kwargs_by_model:
            raise config.spec_error(
                f"lmms_eval_specific_kwargs has no entry {model!r}. Available: {', '.join(kwargs_by_model)}."
            )
        return kwargs_by_model[model]
    return {**kwargs_by_model, **(kwargs_by_model.get("default") or kwargs_by_model.get("dataset") or {})}


def _build_inferencer(
    config: TaskConfig, options: LmmsTaskOptions, sample_builder: SampleBuilder
) -> tuple[Inferencer, tuple[str, ...]]:
    """Build the inferencer, and notes on generation_kwargs that are not applied."""
    if config.get("output_type") == "multiple_choice":
        return ChooseByLikelihood(str(config.values.get("target_delimiter", " "))), ()
    generation, notes = build_generation(config, options)
    if config.get("output_type") != "generate_until_multi_round":
        return generation, notes
    text = config.get_function("doc_to_text")
    if text is None:
        raise config.spec_error("multi-round tasks need a function as doc_to_text.")
    return MultiRound(generation, text, sample_builder.model_kwargs, sample_builder.root), notes


def build_generation(config: TaskConfig, options: LmmsTaskOptions) -> tuple[GenerateOnce, tuple[str, ...]]:
    """Build the generation settings of a file, and notes on settings that are not applied."""
    generation_kwargs = config.get_section("generation_kwargs")
    generation_kwargs |= config.get_section("model_specific_generation_kwargs").get("default") or {}
    until = generation_kwargs.pop("until", config.get("fewshot_delimiter", "\n\n"))  # lmms-eval's default
    stop = options.stop if options.stop is not None else until
    file_tokens, file_temperature = (generation_kwargs.pop(name, None) for name in ("max_new_tokens", "temperature"))
    tokens = options.max_tokens or file_tokens or GenerateOnce.max_tokens
    temperature = options.temperature if options.temperature is not None else file_temperature or 0.0
    notes = tuple(
        f"{name}={value!r} of generation_kwargs is not applied; pass it to the model with -M."
        for name, value in generation_kwargs.items()
        if value not in NEUTRAL_GENERATION_KWARGS.get(name, ())
    )
    stops = (stop,) if isinstance(stop, str) else tuple(map(str, stop or ()))
    return GenerateOnce(int(tokens), float(temperature), tuple(filter(None, stops))), notes
