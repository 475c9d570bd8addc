"""Replacements of AISBench's objects that inferencer classes use: prompts, model, retriever, counters, session."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from time import perf_counter
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias, cast

from auricle.audio import Audio, Image, Video
from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Ask, Generate, Generation, Part, Sample, Turn, get_max_tokens
from auricle.engine.batching import RunStopped
from auricle.prompts import Prompt
from auricle.prompts.few_shot import EXAMPLE_IDS_KEY

Role: TypeAlias = Literal["system", "user", "assistant"]
ROLES_TO_AISBENCH: Mapping[Role, str] = {"user": "HUMAN", "assistant": "BOT", "system": "SYSTEM"}
ROLES_FROM_AISBENCH: Mapping[str, Role] = {
    **{name: role for role, name in ROLES_TO_AISBENCH.items()},
    **{role: role for role in ROLES_TO_AISBENCH},
}
MODEL_ATTRIBUTES = "generate, parse_template, max_out_len, is_api and abbr"
MEDIA_TYPES: Mapping[str, type[Audio | Image | Video]] = {"audio_url": Audio, "image_url": Image, "video_url": Video}


class PromptList(list[Any]):
    """AISBench's list of messages with `role` and `prompt`, and texts."""

    def __add__(self, other: Any) -> PromptList:
        return PromptList([*self, *(other if isinstance(other, list) else [other])])

    def __str__(self) -> str:
        return "".join(item if isinstance(item, str) else str(item["prompt"]) for item in self)


def to_aisbench(turns: Sequence[Turn]) -> str | PromptList:
    """Convert turns to AISBench's form: a string for a single user text, else a list of messages."""
    messages = [{"role": ROLES_TO_AISBENCH[turn.role], "prompt": _to_content(turn.parts)} for turn in turns]
    if len(turns) == 1 and turns[0].role == "user" and isinstance(text := messages[0]["prompt"], str):
        return text
    return PromptList(messages)


def from_aisbench(prompt: Any) -> tuple[Turn, ...]:
    """Convert a string, AISBench's messages, or messages with `content` to turns."""
    if isinstance(prompt, str):
        return (Turn("user", (prompt,)),)
    if not isinstance(prompt, (list, tuple)):
        raise SampleError(f"a prompt should be a text or messages, not {type(prompt).__name__}")
    # An item with `section` marks the begin or end of a template's section.
    messages = [item for item in prompt if item != "" and not (isinstance(item, Mapping) and "section" in item)]
    turns = [_to_turn(message) for message in messages]
    if not turns:
        raise SampleError("the prompt is empty")
    return tuple(turns)


def _to_content(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    if all(isinstance(part, str) for part in parts):
        return "".join(map(str, parts))
    return [_to_part_dict(part) for part in parts]


def _to_part_dict(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = next(name for name, medium in MEDIA_TYPES.items() if isinstance(part, medium))
    return {"type": kind, kind: {"url": part}}


def _to_turn(message: Any) -> Turn:
    if isinstance(message, str):
        return Turn("user", (message,))
    if not isinstance(message, Mapping) or message.get("role") not in ROLES_FROM_AISBENCH:
        raise SampleError(
            f"a message should have a role ({', '.join(ROLES_FROM_AISBENCH)}) and a prompt, not {message!r}"
        )
    content = message["prompt"] if "prompt" in message else message.get("content", "")
    parts = content if isinstance(content, (list, tuple)) else (content,)
    return Turn(ROLES_FROM_AISBENCH[message["role"]], tuple(_to_part(part) for part in parts))


def _to_part(part: Any) -> Part:
    if isinstance(part, (str, Audio, Image, Video)):
        return part
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    kind = next((name for name in MEDIA_TYPES if isinstance(part, Mapping) and name in part), None)
    if kind is None:
        raise SampleError(f"a part of a prompt should be text or media, not {part!r}")
    medium, location = MEDIA_TYPES[kind], part[kind]
    if isinstance(location, Mapping):
        location = location.get("url")
    return location if isinstance(location, medium) else medium.of(str(location).removeprefix("file://"))


@dataclass(slots=True)
class SampleContext:
    """State of one sample; the object of the class is shared by all samples."""

    sample: Sample
    ask: Ask
    loop: asyncio.AbstractEventLoop
    is_local: bool
    """Whether requests come from `batch_inference` in a thread instead of `do_request`."""
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    generations: list[Generation] = field(default_factory=list)
    reports: list[Any] = field(default_factory=list)
    failure: SampleError | None = None
    """Error of the last request, if it failed."""
    fatal_error: BaseException | None = None
    """Error that ends the run; an `except` in the class must not hide it."""

    async def generate(self, prompt: Any, max_tokens: Any, options: Mapping[str, Any]) -> Generation:
        """Send a prompt to the model; `options` are the class's generation arguments."""
        try:
            request = self._build_request(prompt, max_tokens, options)
            generation = cast(Generation, await self.ask(request))
        except SampleError as error:
            self.failure = error
            raise
        except (RunStopped, SpecError) as error:
            self.fatal_error = error
            raise
        self.generations.append(generation)
        return generation

    def generate_blocking(self, prompts: Sequence[Any], max_tokens: Any, options: Mapping[str, Any]) -> list[str]:
        """Send several prompts from a thread and return the texts."""
        limits = max_tokens if isinstance(max_tokens, (list, tuple)) else [max_tokens] * len(prompts)

        async def generate_all() -> list[Generation]:
            return await asyncio.gather(
                *(self.generate(prompt, limit, options) for prompt, limit in zip(prompts, limits, strict=True))
            )

        generations = asyncio.run_coroutine_threadsafe(generate_all(), self.loop).result()
        return [generation.text for generation in generations]

    def _build_request(self, prompt: Any, max_tokens: Any, options: Mapping[str, Any]) -> Generate:
        requested = options.get("temperature")
        temperature = float(requested) if isinstance(requested, (int, float)) else self.temperature
        return Generate(
            turns=from_aisbench(prompt),
            max_tokens=self._resolve_max_tokens(max_tokens),
            temperature=temperature,
            stop=_stop_strings(options) or self.stop,
            answer_index=len(self.generations) if temperature else 0,  # otherwise a seed would repeat the answer
        )

    def _resolve_max_tokens(self, max_tokens: Any) -> int:
        """Return the token limit; a sample's own limit overrides the model's, which local classes pass for all."""
        sample_limit: Any = get_max_tokens(self.sample)
        limit = sample_limit if self.is_local and isinstance(sample_limit, int) else max_tokens
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise SampleError(f"max_out_len should be a positive integer, not {limit!r}")
        return limit

    def outputs(self, class_name: str) -> tuple[Generation, ...]:
        """Return what the class reported, or raise the reason why there is nothing."""
        if self.fatal_error:
            raise self.fatal_error
        if not self.reports:
            raise self.failure or SampleError(
                f"{class_name} reported nothing for this sample; it should call "
                "self.output_handler.report_cache_info or report_cache_info_sync"
            )
        return tuple(generation for report in self.reports for generation in self._to_generations(report, class_name))

    def _to_generations(self, report: Any, class_name: str) -> list[Generation]:
        if getattr(report, "success", True) is False:
            reason = getattr(report, "error_info", "") or "the request failed without a reason"
            raise self.failure or SampleError(f"{class_name} reported: {reason}")
        get_prediction = getattr(report, "get_prediction", None)
        prediction = get_prediction() if get_prediction else report
        texts = prediction if isinstance(prediction, (list, tuple)) else [prediction]
        return [self._to_generation(text, class_name) for text in texts]

    def _to_generation(self, text: Any, class_name: str) -> Generation:
        """Convert a reported text, with the metadata of the model's answer if it can be matched."""
        if isinstance(text, Generation):
            return text
        if not isinstance(text, str):
            raise SampleError(f"{class_name} should report a text, not {type(text).__name__}")
        match = next((generation for generation in self.generations if generation.text == text), None)
        if match is None and len(self.generations) == 1:
            return replace(self.generations[0], text=text, logprobs=None, first_token_logprobs=None)
        return match or Generation(text=text)


def _stop_strings(options: Mapping[str, Any]) -> tuple[str, ...]:
    stops = options.get("stopping_criteria") or options.get("stop") or ()
    if isinstance(stops, str):
        return (stops,)
    return tuple(stop for stop in stops if isinstance(stop, str))


CURRENT_SAMPLE: ContextVar[SampleContext] = ContextVar("current_sample")


class ModelAdapter:
    """`self.model`: sends prompts through the engine, which batches, retries and counts."""

    def __init__(self, abbr: str, max_out_len: int) -> None:
        self.abbr, self.max_out_len = abbr, max_out_len

    @property
    def is_api(self) -> bool:
        """Whether prompts are sent one at a time, by `do_request`."""
        return not CURRENT_SAMPLE.get().is_local

    def parse_template(self, prompt: Any, mode: str = "gen") -> Any:
        """Return the prompt unchanged; the model applies its own chat template."""
        if mode != "gen":
            raise SampleError(f"parse_template supports mode='gen' only, not {mode!r}")
        return prompt

    def generate(self, inputs: Any, max_out_len: Any = None, output: Any = None, **generation_kwargs: Any) -> Any:
        """Return a coroutine that fills `output`, or the texts if called from `batch_inference`."""
        context, max_tokens = CURRENT_SAMPLE.get(), max_out_len or self.max_out_len
        if context.is_local:
            return context.generate_blocking(inputs, max_tokens, generation_kwargs)
        return _fill_output(context, inputs, max_tokens, output, generation_kwargs)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the model provided by Auricle has no {name}; it has {MODEL_ATTRIBUTES}")


async def _fill_output(
    context: SampleContext, prompt: Any, max_tokens: Any, output: Any, generation_kwargs: dict[str, Any]
) -> Any:
    """Fill an output as AISBench's models do; failures are recorded in it instead of raised."""
    started = perf_counter()
    try:
        generation = await context.generate(prompt, max_tokens, generation_kwargs)
    except SampleError as error:
        if output is None:
            raise
        output.success, output.error_info = False, str(error)
        return output
    if output is None:
        return generation.text
    output.success, output.error_info = True, ""
    output.content, output.reasoning_content = generation.text, ""
    output.input_tokens, output.output_tokens = generation.input_tokens or 0, generation.tokens or 0
    output.input, output.time_points = prompt, [started, perf_counter()]
    return output


class DatasetReader:
    """`retriever.dataset_reader`: the columns of one sample."""

    output_column = "target"

    def __init__(self, sample: Sample) -> None:
        self.input_columns = list(sample.inputs)
        self._limit = get_max_tokens(sample)

    def get_max_out_len(self) -> list[Any] | None:
        return None if self._limit is None else [self._limit]

    def get_timestamp(self) -> None:
        return None


class BaseRetriever:
    """The prompt, examples and target of one sample, with the interface of AISBench's retrievers."""

    def __init__(self, sample: Sample, prompt: Prompt, abbr: str) -> None:
        self._sample, self._prompt = sample, prompt
        row = {**sample.meta, **sample.inputs}  # only get_gold_ans returns the target
        self.test_ds = [row]
        self.dataset = SimpleNamespace(abbr=abbr, test=self.test_ds)
        self.dataset_reader = DatasetReader(sample)

    def retrieve(self) -> list[list[str]]:
        """Return the ids of the sample's examples."""
        shots = self._prompt.shots
        return [[shot.id for shot in shots.examples_for(self._sample)] if shots else []]

    def generate_ice(self, idx_list: Sequence[Any]) -> Any:
        """Return the text of examples, with their ids, by which the prompt looks them up again."""
        shots = self._prompt.shots
        if not shots or not idx_list:
            return ""
        parts = [
            part
            for example_id in idx_list
            for part in self._prompt.example_parts(shots.pool.get_example(str(example_id)))
        ]
        return ExampleText([str(example_id) for example_id in idx_list], "".join(map(str, parts)))

    def generate_prompt_for_generate_task(
        self, idx: int, ice: Any, gen_field_replace_token: str = ""
    ) -> str | PromptList:
        """Render the prompt of the sample with its examples; the target is not available to it."""
        if idx != 0:
            raise IndexError(f"there is no row {idx}: a retriever contains one sample")
        ids = ice.ids if isinstance(ice, ExampleText) else []
        sample = replace(self._sample, meta={**self._sample.meta, EXAMPLE_IDS_KEY: ids})
        prompt = to_aisbench(self._prompt.render(sample))
        return f"{ice}{prompt}" if type(ice) is str and ice and isinstance(prompt, str) else prompt

    def get_gold_ans(self) -> list[Any] | None:
        return None if self._sample.target is None else [self._sample.target]


class ExampleText(str):
    """Text of examples, with their ids."""

    __slots__ = ("ids",)
    ids: list[str]

    def __new__(cls, ids: list[str], text: str) -> ExampleText:
        example_text = super().__new__(cls, text)
        example_text.ids = ids
        return example_text


class StatusCounter:
    """Counts requests sent, answered, failed and finished, and finished samples."""

    def __init__(self, batch_size: int = 0) -> None:
        self.post_req = self.get_req = self.failed_req = 0
        self.finish_req = self.case_finish_req = 0

    async def post(self) -> None:
        self.post_req += 1

    async def rev(self) -> None:
        self.get_req += 1

    async def failed(self) -> None:
        self.failed_req += 1

    async def finish(self) -> None:
        self.finish_req += 1

    async def case_finish(self) -> None:
        self.case_finish_req += 1

    def __str__(self) -> str:
        return (
            f"{self.post_req:,} requests posted, {self.get_req:,} received, "
            f"{self.failed_req:,} failed, {self.finish_req:,} finished; "
            f"{self.case_finish_req:,} cases finished"
        )


class TokenBucket:
    """`token_bucket`: always has a token, because the engine limits the rate."""

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        return True

    def release(self) -> None: ...

    def __enter__(self) -> bool:
        return True

    def __exit__(self, *_: object) -> None: ...


class LazySession:
    """`session`: an aiohttp session that is created on first use."""

    def __init__(self) -> None:
        self._session: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._session is None:
            try:
                import aiohttp
            except ImportError as error:
                raise MissingExtra("A session", "api") from error
            self._session = aiohttp.ClientSession(trust_env=True)
        return getattr(self._session, name)

    async def aclose(self) -> None:
        """Close the session if it was created."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
