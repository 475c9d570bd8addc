"""lmms-eval's task YAMLs as tasks: `auricle run lmms:my_task.yaml -m MODEL`."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, cast

from auricle.audio import Audio
from auricle.core.errors import SampleError, SpecError, UnknownName
from auricle.core.types import Ability, Ask, Generate, Generation, Likelihood, LogLikelihood, Output, Sample, Turn
from auricle.interop.lmms.config_reader import TaskConfig, UserFunction, read_config, reject_unsupported
from auricle.interop.lmms.data import SampleBuilder, resolve_source
from auricle.interop.lmms.media import LazyAudioDict, to_part
from auricle.interop.lmms.scoring import TaskScoring, build_scoring
from auricle.metrics.base import as_metric
from auricle.metrics.catalogue import METRICS
from auricle.tasks.base import Task
from auricle.tasks.inferencers import Inferencer
from auricle.tasks.inferencers.base import resolve_max_tokens
from auricle.tasks.options import parse_span, split_list

NEUTRAL_GENERATION_KWARGS: Mapping[str, tuple[Any, ...]] = {
    "top_p": (None, 1, 1.0),
    "top_k": (None, 0, -1),
    "num_beams": (None, 1),
    "do_sample": (None, False, True),
    "use_cache": (None, True, False),
}
"""What may be said of a generation without changing it."""
MAX_ROUNDS = 16


@dataclass(frozen=True)
class LmmsTaskOptions:
    """What may be said of a YAML task with `-T name=value`; all else is the file's."""

    name: str = ""
    data: str = ""
    root: str | None = None
    split: str = ""
    revision: str | None = None
    rows: str = ""
    specific: str = ""
    """Whose `lmms_eval_specific_kwargs`; by default those under `default`."""
    metrics: str | Sequence[str] = ()
    """Metrics of Auricle's in the place of the file's own."""
    max_tokens: int | None = None
    temperature: float | None = None
    stop: str | Sequence[str] | None = None

    @classmethod
    def parse(cls, path: str, options: Mapping[str, Any]) -> LmmsTaskOptions:
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in options if name not in known]:
            near = difflib.get_close_matches(unknown[0], known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"It takes {', '.join(known)}."
            raise SpecError(f"lmms:{path} takes no option {', '.join(unknown)}. {hint}")
        return cls(**options)


# --- how a model is asked --------------------------------------------------------------------


@dataclass(frozen=True)
class GenerateOnce:
    """What a doc says, once."""

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
    """How likely is each option after what a doc says?"""

    delimiter: str = " "
    needs: ClassVar[Ability] = "loglikelihood"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        choices = cast(Sequence[str], sample.inputs["choices"])
        texts = [f"{self.delimiter}{each}" for each in choices]
        asked = (LogLikelihood(turns=_get_turns(sample), continuation=text) for text in texts)
        found = await asyncio.gather(*map(ask, asked))
        pairs = zip(found, texts, strict=True)
        return tuple(replace(cast(Likelihood, each), text=text) for each, text in pairs)


@dataclass(frozen=True)
class MultiRound:
    """Rounds that `doc_to_text` makes up from the answers so far, each said alone."""

    generation: GenerateOnce
    text: UserFunction
    model_kwargs: Any = field(default=None, repr=False)
    root: Path = field(default=Path(), repr=False)
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        answers: list[Generation] = []
        turns: tuple[Turn, ...] = _get_turns(sample)
        told: list[str] = []
        between: Any = None
        while turns:
            if len(answers) == MAX_ROUNDS:
                raise SampleError(f"not done after {MAX_ROUNDS} rounds")
            answers.append(cast(Generation, await ask(self.generation.request(sample, turns))))
            told = [*told, answers[-1].text]
            turns, told, between = self._next_round(sample, len(answers), told, between)
        return tuple(answers)

    def _next_round(
        self, sample: Sample, round_index: int, previous_outputs: list[str], round_info: Any
    ) -> tuple[tuple[Turn, ...], list[str], Any]:
        sounds = {n: LazyAudioDict(each) for n, each in sample.inputs.items() if isinstance(each, Audio)}
        doc = {**sample.meta, **sounds}
        found = self.text(
            doc,
            lmms_eval_specific_kwargs=self.model_kwargs,
            round_idx=round_index,
            previous_output=previous_outputs,
            previous_round_info=round_info,
        )
        if not isinstance(found, tuple) or len(found) != 5:
            raise SampleError(f"{self.text.name} should give five things for a later round")
        seen, text, over, outputs, round_info = found
        if over:
            return (), previous_outputs, round_info
        parts = [to_part(each, self.root) for each in seen or ()]
        return (Turn("user", (*parts, str(text))),), list(outputs), round_info


def _get_turns(sample: Sample) -> tuple[Turn, ...]:
    return cast("tuple[Turn, ...]", tuple(sample.inputs["turns"]))  # type: ignore[arg-type]


# --- the task -----------------------------------------------------------------------------------


def create_task_factory(path: str) -> Callable[..., Task]:
    """What makes the task of a YAML file; a group's file has `members`."""
    file = Path(path).expanduser()
    if file.suffix not in (".yaml", ".yml"):
        raise UnknownName(f"'lmms:{path}' should be lmms:FILE.yaml, a task of lmms-eval.")

    def make(**options: Any) -> Task:
        return _build_task(read_config(file), LmmsTaskOptions.parse(path, options))

    config = read_config(file)
    if isinstance(members := config.get("task"), list):
        make.members = lambda _arguments: _find_members(config, members)  # type: ignore[attr-defined]
    return make


def _find_members(config: TaskConfig, names: Sequence[Any]) -> list[str]:
    """The files of a group's tasks, which lie beside its own."""
    beside = {}
    for each in sorted(config.source.parent.rglob("*.yaml")):
        if isinstance(name := read_config(each).get("task"), str):
            beside[name] = str(each)
    if missing := [str(name) for name in names if name not in beside]:
        raise config.spec_error(
            f"the group's task {missing[0]} is in no file beside it; there are {', '.join(beside)}."
        )
    return [beside[name] for name in names]


def _build_task(config: TaskConfig, options: LmmsTaskOptions) -> Task:
    ours = split_list(options.metrics)
    reject_unsupported(config, bool(ours))
    asking = SampleBuilder(config, _select_model_kwargs(config, options.specific), Path())
    inferencer, left = _build_inferencer(config, options, asking)
    scoring = TaskScoring([as_metric(METRICS.get(name)) for name in ours]) if ours else build_scoring(config)
    source = replace(
        resolve_source(config, {"data": options.data, "split": options.split, "revision": options.revision}),
        root=Path(options.root) if options.root else None,
        span=parse_span(options.rows),
    )
    return Task(
        source.load_samples(asking, (*left, *scoring.notes)),
        inferencer,
        scoring.metrics,
        name=options.name or str(config.get("task") or config.source.stem),
        source=source.data,
    )


def _select_model_kwargs(config: TaskConfig, model: str) -> Any:
    """What prompts are told of the model: its own words where they are asked for by name."""
    given = config.get("lmms_eval_specific_kwargs")
    if given is None:
        if model:
            raise config.spec_error("it has no lmms_eval_specific_kwargs, so leave out -T specific.")
        return None
    held = config.get_section("lmms_eval_specific_kwargs")
    if model:
        if model not in held:
            raise config.spec_error(f"nothing is said of {model!r}; there are {', '.join(held)}.")
        return held[model]
    return {**held, **(held.get("default") or held.get("dataset") or {})}


def _build_inferencer(
    config: TaskConfig, options: LmmsTaskOptions, sample_builder: SampleBuilder
) -> tuple[Inferencer, tuple[str, ...]]:
    """How it is asked, and what of its generation_kwargs is left to the model."""
    if config.get("output_type") == "multiple_choice":
        return ChooseByLikelihood(str(config.values.get("target_delimiter", " "))), ()
    say, left = build_generation(config, options)
    if config.get("output_type") != "generate_until_multi_round":
        return say, left
    text = config.get_function("doc_to_text")
    if text is None:
        raise config.spec_error("rounds are made up by a function; doc_to_text names none.")
    return MultiRound(say, text, sample_builder.model_kwargs, sample_builder.root), left


def build_generation(config: TaskConfig, options: LmmsTaskOptions) -> tuple[GenerateOnce, tuple[str, ...]]:
    """A generation's settings as the file has them, and what of them is the model's to follow."""
    given = config.get_section("generation_kwargs")
    given |= config.get_section("model_specific_generation_kwargs").get("default") or {}
    until = given.pop("until", config.get("fewshot_delimiter", "\n\n"))  # as it adds one itself
    stop = options.stop if options.stop is not None else until
    tokens = options.max_tokens or given.pop("max_new_tokens", None) or GenerateOnce.max_tokens
    warm = given.pop("temperature", None)
    temperature = options.temperature if options.temperature is not None else warm or 0.0
    given.pop("max_new_tokens", None)
    left = tuple(
        f"{name}={value!r} of its generation_kwargs is the model's to follow; -M gives it one."
        for name, value in given.items()
        if value not in NEUTRAL_GENERATION_KWARGS.get(name, ())
    )
    words = (stop,) if isinstance(stop, str) else tuple(map(str, stop or ()))
    return GenerateOnce(int(tokens), float(temperature), tuple(filter(None, words))), left
