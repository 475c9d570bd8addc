"""Adapters for model classes written for AISBench.

-m aisbench:my_custom_api.py:MyCustomAPI -M host_port=8000        a subclass of BaseAPIModel
-m aisbench:my_custom_model.py:MyCustomModel -M path=./weights    a subclass of BaseModel
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from uuid import uuid4

from auricle.core.errors import Rejected, SampleError, SpecError, Unsupported
from auricle.core.redaction import SECRETS, find_secrets
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Part, Request, Turn
from auricle.core.user_code import annotate_errors
from auricle.frameworks.aisbench.adapters import MEDIA_TYPES, ROLES_TO_AISBENCH
from auricle.frameworks.aisbench.outputs import PPLRequestOutput, RequestOutput
from auricle.frameworks.aisbench.prompt_list import build_prompt_list
from auricle.frameworks.aisbench.session import TimedSession
from auricle.frameworks.user_classes import AudioFiles, UserModel, describe_type, instantiate
from auricle.media import Audio, Image, Video
from auricle.models.base import AsyncModel, Model, answer_in_groups
from auricle.models.http.base import render_request
from auricle.models.http.media import AudioEncoder, data_url, is_remote, read_media_file
from auricle.models.http.timing import TIMER_FACTORY, RequestTimer

MAX_MEGABYTES = 25.0
"""Largest sound, image or video in a request."""
IGNORED_ARGUMENTS = (
    "abbr", "attr", "batch_size", "min_out_len", "pred_postprocessor", "request_rate", "response_anomaly",
    "returns_tool_calls", "run_cfg", "summarizer_abbr", "traffic_cfg", "type", "use_timestamp",
)  # fmt: skip
"""Fields of a model config that are not arguments of its class."""

Medium: TypeAlias = Audio | Image | Video
CURRENT_FAILURE: ContextVar[list[SampleError]] = ContextVar("current_failure")
"""Why requests of the current call failed, the last one at the end."""


class AisbenchApiModel(AsyncModel):
    """A subclass of AISBench's `BaseAPIModel`, which builds request bodies and reads responses."""

    class_path = ""
    _name = ""
    _user_class: type[Any]

    def __init__(self, **arguments: Any) -> None:
        SECRETS.add(find_secrets(arguments))
        self._model = _instantiate(self._name, self._user_class, arguments)
        self._session = TimedSession(lambda error: CURRENT_FAILURE.get().append(error))
        self._encoder = AudioEncoder("auto", None, MAX_MEGABYTES)
        self._perf_mode = False

    @property
    def streams(self) -> bool:
        """Whether the class asks the server for streamed answers: its own argument `stream`."""
        return bool(getattr(self._model, "stream", False))

    @streams.setter
    def streams(self, value: bool) -> None:
        self._model.stream = value

    def prepare_for_load_test(self) -> None:
        """Create outputs in performance mode, in which they record time points."""
        self._perf_mode = True

    async def generate(self, request: Generate) -> Generation:
        output = RequestOutput(self._perf_mode)
        timer = TIMER_FACTORY.get()()
        token = TIMER_FACTORY.set(lambda: timer)
        try:
            prompt = await asyncio.to_thread(self._build_prompt, request)
            await self._call(self._model.generate, prompt, request.max_tokens, output)
        finally:
            TIMER_FACTORY.reset(token)
        return _to_generation(self._name, output, request, timer)

    async def _call(self, method: Callable[..., Any], prompt: Any, max_tokens: int, output: Any) -> None:
        """Call a method of the class, and raise the reason if its request failed."""
        output.uuid = uuid4().hex
        failures: list[SampleError] = []
        token = CURRENT_FAILURE.set(failures)
        try:
            with annotate_errors(self._name), _refuse_missing_methods(self._name):
                await method(prompt, max_tokens, output, session=self._session)
        except Exception:
            if failures:
                raise failures[-1] from None
            raise
        finally:
            CURRENT_FAILURE.reset(token)
        if not output.success:
            reason = output.error_info or "the request failed without a reason"
            raise failures[-1] if failures else SampleError(f"{self._name}: {reason}")

    def _build_prompt(self, request: Generate) -> Any:
        check_sampling(self._name, request, self._model)
        return self._model.parse_template(to_prompt_list(request.turns, self._to_url), "gen")

    def _to_url(self, part: Medium) -> str:
        """Return a sound, image or video as a data URL, or its address if the server can fetch it."""
        if is_remote(part):
            return part.uri
        if isinstance(part, Audio):
            encoded = self._encoder(part)
            return data_url(encoded.media_type, encoded.content).decode()
        return data_url(part.media_type, read_media_file(part, MAX_MEGABYTES)).decode()

    def preview_request(self, request: Request) -> str:
        if not isinstance(request, Generate):
            return ""
        output = RequestOutput(self._perf_mode)
        build = self._model.get_request_body(self._build_prompt(request), request.max_tokens, output)
        with annotate_errors(self._name):
            body = asyncio.run(build)
        return render_request(urlsplit(self._model.url).path, json.dumps(body).encode())

    async def close(self) -> None:
        await self._session.aclose()


class ScoringApiModel(AisbenchApiModel):
    """A subclass of AISBench's `BaseAPIModel` that also measures the perplexity of texts."""

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        if not request.include_context:
            raise Unsupported(f"{self._name} measures the perplexity of whole prompts only (-T inferencer=labels).")
        output = PPLRequestOutput()
        turns = (*request.turns, Turn("assistant" if request.turns else "user", (request.continuation,)))
        prompt = self._model.parse_template(to_prompt_list(turns, self._to_url), "ppl")
        await self._call(self._model.get_ppl, prompt, 1, output)
        tokens = [token for token in output.origin_prompt_logprobs or () if token is not None]
        return Likelihood(logprobs=tuple(float(next(iter(token.values()))["logprob"]) for token in tokens))


class AisbenchLocalModel(UserModel):
    """A subclass of AISBench's `BaseModel`, which generates text from weights on this machine."""

    _user_class: type[Any]

    def __init__(self, **arguments: Any) -> None:
        size = arguments.get("batch_size")
        self.batch_size = size if isinstance(size, int) and size > 0 else 1
        self._model = _instantiate(self._name, self._user_class, arguments)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        settings = [(request.max_tokens, request.stop) for request in batch]
        return answer_in_groups(batch, settings, self._generate_group)

    def _generate_group(self, settings: tuple[int, tuple[str, ...]], batch: list[Generate]) -> list[Generation]:
        """Generate answers with the same token limit and stop strings."""
        max_tokens, stop = settings
        takes_stop = stop and _accepts(self._model.generate, "stopping_criteria")
        options = {"stopping_criteria": list(stop)} if takes_stop else {}
        with AudioFiles() as files:
            prompts = [self._build_prompt(request, files) for request in batch]
            with annotate_errors(self._name):
                texts = self._model.generate(prompts, max_tokens, **options)
        if not isinstance(texts, (list, tuple)) or len(texts) != len(batch):
            raise SampleError(
                f"{self._name}: generate should return a list of {len(batch)} texts for {len(batch)} prompts, "
                f"not {describe_type(texts)}"
            )
        return [Generation(text=cut_at_stop(_check_text(self._name, text), stop)) for text in texts]

    def _build_prompt(self, request: Generate, files: AudioFiles) -> Any:
        check_sampling(self._name, request, self._model)

        def to_url(part: Medium) -> str:
            path = files.get_path(part) if isinstance(part, Audio) else part.uri
            return path if "://" in path else f"file://{path}"

        return self._model.parse_template(to_prompt_list(request.turns, to_url), "gen")


def create_model_class(name: str, class_path: str, user_class: Any) -> type[Model]:
    """Return the adapter of a model class.

    Args:
        name: Name shown in messages.
        class_path: Where the class is, as `file.py:Class` or `module:Class`.
        user_class: The class.
    """
    if not inspect.isclass(user_class) or not callable(getattr(user_class, "parse_template", None)):
        raise SpecError(f"{name} is not a model class of AISBench. Expected a subclass of BaseAPIModel or BaseModel.")
    attributes = {"class_path": class_path, "_name": name, "_user_class": user_class, "__doc__": user_class.__doc__}
    return type(user_class.__name__, (_select_adapter(user_class),), attributes)


def _select_adapter(user_class: type[Any]) -> type[Model]:
    if not getattr(user_class, "is_api", False):
        return AisbenchLocalModel
    base = next((cls for cls in user_class.__mro__ if cls.__name__ == "BaseAPIModel"), None)
    methods = ("get_ppl", "get_ppl_request_body")
    is_scorer = any(getattr(user_class, name, None) is not getattr(base, name, None) for name in methods)
    return ScoringApiModel if is_scorer else AisbenchApiModel


def _instantiate(name: str, user_class: type[Any], arguments: Mapping[str, Any]) -> Any:
    """Create the object as AISBench does: without the fields of a config that are not for the class."""
    accepted = {
        argument: value
        for argument, value in arguments.items()
        if argument not in IGNORED_ARGUMENTS or _accepts(user_class, argument)
    }
    max_out_len = None if _accepts(user_class, "max_out_len") else accepted.pop("max_out_len", None)
    model = instantiate(name, user_class, accepted)
    if max_out_len:
        model.max_out_len = max_out_len
    return model


def _accepts(function: Callable[..., Any], argument: str) -> bool:
    parameters = inspect.signature(function).parameters
    return argument in parameters or any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())


def to_prompt_list(turns: Sequence[Turn], to_url: Callable[[Medium], str]) -> Any:
    """Convert turns to AISBench's messages, with the markers of the sections `begin` and `round`.

    Args:
        turns: The conversation.
        to_url: Returns the address of a sound, image or video.
    """
    system = [turn for turn in turns if turn.role == "system"]
    dialogue = [turn for turn in turns if turn.role != "system"]
    prompt: list[Any] = []
    for section, section_turns in (("begin", system), ("round", dialogue)):
        if section_turns:
            messages = [_to_message(turn, to_url) for turn in section_turns]
            prompt += [{"section": section, "pos": "begin"}, *messages, {"section": section, "pos": "end"}]
    return build_prompt_list(prompt)


def _to_message(turn: Turn, to_url: Callable[[Medium], str]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": ROLES_TO_AISBENCH[turn.role]}
    if turn.role == "system":
        message["fallback_role"] = ROLES_TO_AISBENCH["user"]
    if all(isinstance(part, str) for part in turn.parts):
        return {**message, "prompt": "".join(map(str, turn.parts))}
    return {**message, "prompt_mm": [_to_part(part, to_url) for part in turn.parts]}


def _to_part(part: Part, to_url: Callable[[Medium], str]) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = next(name for name, medium in MEDIA_TYPES.items() if isinstance(part, medium))
    return {"type": kind, kind: {"url": to_url(part)}}


def check_sampling(name: str, request: Generate, model: Any) -> None:
    """Raise if a class would not send what the request asks for: it samples as its `generation_kwargs` say."""
    if request.turns and request.turns[-1].role == "assistant":
        raise Rejected(f"{name} cannot continue an answer that the prompt begins")
    own_temperature = (getattr(model, "generation_kwargs", None) or {}).get("temperature")
    if request.temperature and request.temperature != own_temperature:
        setting = f"-M 'generation_kwargs={{\"temperature\": {request.temperature:g}}}'"
        raise SpecError(
            f"The task's temperature of {request.temperature:g} does not reach {name}, which samples as its "
            f"generation_kwargs say. Set {setting}."
        )


def cut_at_stop(text: str, stop: Sequence[str]) -> str:
    """Return the text before the first stop string, which a server or a class may not know of."""
    ends = [index for string in stop if (index := text.find(string)) >= 0]
    return text[: min(ends)] if ends else text


def _to_generation(name: str, output: Any, request: Generate, timer: RequestTimer) -> Generation:
    text = _check_text(name, output.get_prediction())
    return Generation(
        text=cut_at_stop(text, request.stop),
        tokens=output.output_tokens or None,
        input_tokens=output.input_tokens or None,
        timing=timer.to_timing(),
    )


def _check_text(name: str, text: Any) -> str:
    if not isinstance(text, str):
        raise SampleError(f"{name} should return a text, not {describe_type(text)}")
    return text


@contextmanager
def _refuse_missing_methods(name: str) -> Iterator[None]:
    """End the run if the class lacks a method that every request needs."""
    try:
        yield
    except NotImplementedError as error:
        raise SpecError(f"{name}: {error}.") from error
