"""Replacements of AISBench's objects that inferencer classes use: prompts, model, retriever, counters, session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from time import perf_counter
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import (
    Ask,
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Output,
    Part,
    Request,
    Sample,
    Turn,
    get_max_tokens,
)
from auricle.core.user_code import CURRENT_CALL
from auricle.data.prompts import Prompt
from auricle.data.prompts.few_shot import EXAMPLE_IDS_KEY
from auricle.engine.batching import RunStopped
from auricle.frameworks.aisbench.prompt_list import MODES, build_prompt_list, is_marker
from auricle.media import Audio, Image, Video
from auricle.models.base import BatchModel

Role: TypeAlias = Literal["system", "user", "assistant"]
ROLES_TO_AISBENCH: Mapping[Role, str] = {"user": "HUMAN", "assistant": "BOT", "system": "SYSTEM"}
ROLES_FROM_AISBENCH: Mapping[str, Role] = {
    **{name: role for role, name in ROLES_TO_AISBENCH.items()},
    **{role: role for role in ROLES_TO_AISBENCH},
}
MODEL_ATTRIBUTES = "generate, get_ppl, parse_template, get_token_len_from_template, max_out_len, is_api and abbr"
MEDIA_TYPES: Mapping[str, type[Audio | Image | Video]] = {"audio_url": Audio, "image_url": Image, "video_url": Video}


def to_aisbench(turns: Sequence[Turn]) -> Any:
    """Convert turns to AISBench's form: a string for a single user text, else a list of messages."""
    messages = [{"role": ROLES_TO_AISBENCH[turn.role], "prompt": _to_content(turn.parts)} for turn in turns]
    if len(turns) == 1 and turns[0].role == "user" and isinstance(text := messages[0]["prompt"], str):
        return text
    return build_prompt_list(messages)


def conversation_to_aisbench(turns: Sequence[Turn]) -> Any:
    """Convert a conversation to AISBench's messages: an answer, empty if it is unknown, after every user turn."""
    system: list[Any] = []
    dialogue: list[Any] = []
    for turn, following in zip_longest(turns, turns[1:]):
        message = {"role": ROLES_TO_AISBENCH[turn.role], "prompt": _to_content(turn.parts)}
        (system if turn.role == "system" else dialogue).append(message)
        if turn.role == "user" and (following is None or following.role != "assistant"):
            dialogue.append({"role": ROLES_TO_AISBENCH["assistant"], "prompt": ""})
    begin, end = ({"section": "round", "pos": position} for position in ("begin", "end"))
    return build_prompt_list([*system, begin, *dialogue, end])


def from_aisbench(prompt: Any) -> tuple[Turn, ...]:
    """Convert a string, AISBench's messages, or messages with `content` to turns."""
    if isinstance(prompt, str):
        return (Turn("user", (prompt,)),)
    if not isinstance(prompt, (list, tuple)):
        raise SampleError(f"a prompt should be a text or messages, not {type(prompt).__name__}")
    messages = [item for item in prompt if item != "" and not is_marker(item)]
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


class Report(NamedTuple):
    """What a class reported: an output, and the prediction that its handler made of it."""

    output: Any
    prediction: Any


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
    reports: list[Report] = field(default_factory=list)
    failure: SampleError | None = None
    """Error of the last request, if it failed."""
    fatal_error: BaseException | None = None
    """Error that ends the run; an `except` in the class must not hide it."""

    async def generate(self, prompt: Any, max_tokens: Any, options: Mapping[str, Any]) -> Generation:
        """Send a prompt to the model; `options` are the class's generation arguments."""
        generation = await self._send(lambda: self.build_request(prompt, max_tokens, options))
        self.generations.append(cast(Generation, generation))
        return self.generations[-1]

    async def score(self, prompt: Any) -> Likelihood:
        """Return the log-probabilities of all tokens of a prompt."""
        return cast(Likelihood, await self._send(lambda: _build_scoring_request(prompt)))

    async def _send(self, build_request: Callable[[], Request]) -> Output:
        """Send a request, and keep the reason if it fails, because the class may catch the exception."""
        call = CURRENT_CALL.get()
        try:
            with call.waiting() if call else nullcontext():
                return await self.ask(build_request())
        except SampleError as error:
            self.failure = error
            raise
        except (RunStopped, SpecError) as error:
            self.fatal_error = error
            raise

    def add_report(self, index: Any, output: Any, result: Mapping[str, Any]) -> None:
        """Keep what a class reports, and the result that its handler made of it."""
        self.reports.append(Report(output, result.get("prediction")))

    def generate_blocking(self, prompts: Sequence[Any], max_tokens: Any, options: Mapping[str, Any]) -> list[str]:
        """Send several prompts from a thread and return the texts."""
        limits = max_tokens if isinstance(max_tokens, (list, tuple)) else [max_tokens] * len(prompts)

        async def generate_all() -> list[Generation]:
            return await asyncio.gather(
                *(self.generate(prompt, limit, options) for prompt, limit in zip(prompts, limits, strict=True))
            )

        generations = asyncio.run_coroutine_threadsafe(generate_all(), self.loop).result()
        return [generation.text for generation in generations]

    def build_request(self, prompt: Any, max_tokens: Any, options: Mapping[str, Any]) -> Generate:
        requested = options.get("temperature")
        temperature = float(requested) if isinstance(requested, (int, float)) else self.temperature
        index = len(self.generations) if temperature else 0  # otherwise a seed would repeat the answer
        # A sample's own limit overrides the model's, which local classes pass for all.
        sample_limit: Any = get_max_tokens(self.sample)
        limit = sample_limit if self.is_local and isinstance(sample_limit, int) else max_tokens
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise SampleError(f"max_out_len should be a positive integer, not {limit!r}")
        return Generate(
            turns=from_aisbench(prompt),
            max_tokens=limit,
            temperature=temperature,
            stop=_stop_strings(options) or self.stop,
            answer_index=index,
            seed=index,
        )

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

    def _to_generations(self, report: Report, class_name: str) -> list[Generation]:
        if getattr(report.output, "success", True) is False:
            reason = getattr(report.output, "error_info", "") or "the request failed without a reason"
            raise self.failure or SampleError(f"{class_name} reported: {reason}")
        prediction = report.prediction
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


@dataclass(slots=True)
class BatchContext(SampleContext):
    """State of one call of `batch_inference`; beside what all samples share, it has the context of each."""

    model: BatchModel = field(default_factory=BatchModel)
    requests: Sequence[Generate] = ()
    samples: Mapping[Any, SampleContext] = field(default_factory=dict)
    """The contexts of the samples, by the index of their row."""

    def generate_blocking(self, prompts: Sequence[Any], max_tokens: Any, options: Mapping[str, Any]) -> list[str]:
        """Pass prompts to the model, in batches of its size, and return the texts."""
        limits = max_tokens if isinstance(max_tokens, (list, tuple)) else [max_tokens] * len(prompts)
        contexts: Sequence[SampleContext] = [*self.samples.values()]
        is_one_each = len(prompts) == len(contexts) == len(self.requests)
        owners = contexts if is_one_each else [self] * len(prompts)
        requests = [
            owner.build_request(prompt, limit, options)
            for owner, prompt, limit in zip(owners, prompts, limits, strict=True)
        ]
        if is_one_each:  # the first prompt is that of the first row, and so on
            requests = [
                replace(request, answer_index=row.answer_index, seed=row.seed)
                for request, row in zip(requests, self.requests, strict=True)
            ]
        generations: list[Generation] = []
        for start in range(0, len(requests), self.model.batch_size):
            generations += self.model.generate(requests[start : start + self.model.batch_size])
        for index, context in enumerate(contexts):
            context.generations += generations[index : index + 1] if is_one_each else generations
        return [generation.text for generation in generations]

    def add_report(self, index: Any, output: Any, result: Mapping[str, Any]) -> None:
        if index not in self.samples:
            raise SampleError(f"report_cache_info_sync got the index {index!r}, which no row of the batch has")
        self.samples[index].add_report(index, output, result)


def _build_scoring_request(prompt: Any) -> LogLikelihood:
    *before, last = from_aisbench(prompt)
    if before and last.role != "assistant":
        raise SampleError("the prompt of a label should be a text or end with a BOT message")
    text = "".join(part for part in last.parts if isinstance(part, str))
    return LogLikelihood(turns=tuple(before), continuation=text, include_context=True)


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
        if mode not in MODES:
            raise SampleError(f"parse_template supports mode='gen' and mode='ppl', not {mode!r}")
        return prompt

    def get_token_len_from_template(self, prompt: Any, mode: str = "ppl") -> int | None:
        """Return None, as AISBench's models behind an API do: only the server knows the tokens."""
        return None

    async def get_ppl(self, prompt: Any, max_out_len: Any, output: Any, session: Any = None, **_: Any) -> None:
        """Fill an output with the perplexity of a text: the mean negative log-probability of its tokens."""
        output.input = prompt
        try:
            logprobs = (await CURRENT_SAMPLE.get().score(prompt)).logprobs
        except SampleError as error:
            output.success, output.error_info = False, str(error)
            return
        output.ppl = -sum(logprobs) / max(1, len(logprobs))
        output.origin_prompt_logprobs = [{"": {"logprob": logprob}} for logprob in logprobs]
        output.success, output.error_info = True, ""

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
    arrivals = [] if generation.timing is None else [generation.timing.first_token, generation.timing.last_token]
    points = [started + arrival for arrival in arrivals if arrival is not None]
    output.input, output.time_points = prompt, [started, *points, max(perf_counter(), *points, started)]
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
    """The prompt, examples and target of one sample, with the interface of AISBench's retrievers.

    Args:
        sample: The sample.
        prompt: Its prompt; None if it is a conversation.
        abbr: Name of the dataset.
        templates: Prompt of each label, for perplexities.
    """

    def __init__(
        self, sample: Sample, prompt: Prompt | None, abbr: str, templates: Mapping[str, Prompt] | None = None
    ) -> None:
        self._sample, self._prompt, self._templates = sample, prompt, templates or {}
        row = {**sample.meta, **sample.inputs}  # only get_gold_ans returns the target
        self.test_ds = [row]
        self.dataset = SimpleNamespace(abbr=abbr, test=self.test_ds)
        self.dataset_reader = DatasetReader(sample)

    def retrieve(self) -> list[list[str]]:
        """Return the ids of the sample's examples."""
        shots = self._prompt.shots if self._prompt else None
        return [[shot.id for shot in shots.examples_for(self._sample)] if shots else []]

    def generate_ice(self, idx_list: Sequence[Any]) -> Any:
        """Return the text of examples, with their ids, by which the prompt looks them up again."""
        if not self._prompt or not (shots := self._prompt.shots) or not idx_list:
            return ""
        parts = [
            part
            for example_id in idx_list
            for part in self._prompt.example_parts(shots.pool.get_example(str(example_id)))
        ]
        return ExampleText([str(example_id) for example_id in idx_list], "".join(map(str, parts)))

    def generate_prompt_for_generate_task(self, idx: int, ice: Any, gen_field_replace_token: str = "") -> Any:
        """Render the prompt of the sample with its examples; the target is not available to it."""
        if self._prompt is None:
            return conversation_to_aisbench(self._get_turns())
        prompt = to_aisbench(self._render(self._prompt, idx, ice))
        return f"{ice}{prompt}" if type(ice) is str and ice and isinstance(prompt, str) else prompt

    def get_labels(self) -> list[str]:
        """Return the labels: those that have a prompt, else the choices of the sample."""
        if self._templates:
            return list(self._templates)
        choices = self._sample.inputs.get("choices")
        if not isinstance(choices, (list, tuple)):
            raise SampleError("there are no labels: set `templates` or `labels`, or use rows with choices")
        return [str(choice) for choice in choices]

    def generate_label_prompt(self, idx: int, ice: Any, label: Any, remain_sep: bool = False) -> Any:
        """Render the prompt of a label: its own one, else that of the sample with the label as the answer."""
        if template := self._templates.get(str(label)):
            shots = self._prompt.shots if self._prompt else None
            return to_aisbench(self._render(replace(template, shots=shots), idx, ice))
        if self._prompt is None:
            raise SampleError("a conversation has no prompt for labels")
        return to_aisbench((*self._render(self._prompt, idx, ice), Turn("assistant", (str(label),))))

    def _render(self, prompt: Prompt, idx: int, ice: Any) -> tuple[Turn, ...]:
        if idx != 0:
            raise IndexError(f"there is no row {idx}: a retriever contains one sample")
        ids = ice.ids if isinstance(ice, ExampleText) else []
        return prompt.render(replace(self._sample, meta={**self._sample.meta, EXAMPLE_IDS_KEY: ids}))

    def _get_turns(self) -> list[Turn]:
        turns = self._sample.inputs.get("turns")
        if not isinstance(turns, (list, tuple)):
            raise SampleError("the task has no prompt, and the sample is not a conversation")
        return [turn for turn in turns if isinstance(turn, Turn)]

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
