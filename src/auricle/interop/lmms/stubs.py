"""Stubs of lmms-eval's classes and functions that model classes import."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Self


class CacheHook:
    """Stub that discards answers; the run stores them."""

    def __init__(self, cachinglm: Any = None) -> None: ...

    def add_partial(self, attr: str, req: Any, res: Any) -> None: ...


class lmms(ABC):  # noqa: N801 - lmms-eval's name
    """Base class of models."""

    is_simple: bool = True

    def __init__(self) -> None:
        self._rank, self._world_size = 0, 1
        self.cache_hook: Any = CacheHook()
        self.task_dict: dict[str, Any] = {}

    @abstractmethod
    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]: ...

    @abstractmethod
    def generate_until(self, requests: list[Instance]) -> list[Any]: ...

    @abstractmethod
    def generate_until_multi_round(self, requests: list[Instance]) -> list[Any]: ...

    @classmethod
    def create_from_arg_string(cls, arg_string: str, additional_config: Mapping[str, Any] | None = None) -> Self:
        """Create the model from `name=value,name=value` and further arguments, without those that are None."""
        extra_arguments = {k: v for k, v in (additional_config or {}).items() if v is not None}
        return cls(**simple_parse_args_string(arg_string), **extra_arguments)

    @property
    def rank(self) -> int:
        return self._rank

    @property
    def world_size(self) -> int:
        return self._world_size

    def set_cache_hook(self, cache_hook: Any) -> None:
        self.cache_hook = cache_hook

    def clean(self) -> None:  # noqa: B027 - memory is freed when the model is closed
        """Free memory for a local judge."""

    @staticmethod
    def _resolve_system_prompt(value: str) -> str:
        """Return the prompt, or the content of the file that it names."""
        if value and Path(value).is_file():
            return Path(value).read_text(encoding="utf-8").strip()
        return value

    def _apply_system_prompt(self, messages: list[Any], system_prompt: str) -> list[Any]:
        """Insert or replace the system message, in the form of the other messages."""
        if not system_prompt:
            return messages
        uses_plain_text = any(isinstance(message.get("content"), str) for message in messages)
        content = system_prompt if uses_plain_text else [{"type": "text", "text": system_prompt}]
        if not messages or messages[0].get("role") != "system":
            messages.insert(0, {"role": "system"})
        messages[0]["content"] = content
        return messages


@dataclass
class TokenCounts:
    """Token counts of an answer; None where unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None

    def to_dict(self) -> dict[str, int]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass
class GenerationResult:
    """An answer with its token counts."""

    text: str
    token_counts: TokenCounts | None = None


@dataclass
class Instance:
    """One request."""

    request_type: str
    arguments: Any
    idx: int
    metadata: dict[str, Any] = field(default_factory=dict)
    resps: list[Any] = field(default_factory=list)
    filtered_resps: dict[str, Any] = field(default_factory=dict)
    raw_filtered_resps: dict[str, Any] = field(default_factory=dict)
    token_counts: list[TokenCounts | None] = field(default_factory=list)
    task_name: Any = None
    doc_id: Any = None
    repeats: Any = None
    doc: Any = None

    def __post_init__(self) -> None:
        metadata = self.metadata
        self.task_name, self.doc_id, self.repeats = metadata["task"], metadata["doc_id"], metadata["repeats"]

    @property
    def args(self) -> tuple[Any, ...]:
        return self.arguments if isinstance(self.arguments, tuple) else (self.arguments,)


def register_model(*names: str) -> Callable[[type[Any]], type[Any]]:
    """Return the class unchanged; Auricle finds classes by file."""
    return lambda cls: cls


# --- lmms_eval.utils -------------------------------------------------------------------


def simple_parse_args_string(arg_string: str) -> dict[str, Any]:
    """Parse `name=value,name=value`; commas within quotes or brackets do not separate."""
    items = [item.strip() for item in _split_arguments(arg_string)]
    pairs = [item.split("=", 1) for item in items if item]
    return {name: _parse_value(value) for name, value in pairs}


def _split_arguments(text: str) -> list[str]:
    pieces, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "," and not depth:
            pieces.append("")
            continue
        pieces[-1] += character
    return pieces


def _parse_value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class Collator:
    """Sorts requests, cuts them into batches and restores the original order of the answers."""

    def __init__(
        self,
        arr: Sequence[Any],
        sort_fn: Callable[[Any], Any],
        group_fn: Callable[[Any], Any] = lambda item: item[1],
        grouping: bool = False,
    ) -> None:
        self.size = len(arr)
        self._sort = sort_fn
        self._groups: dict[Any, list[tuple[int, Any]]] = {}
        self._order: list[int] = []
        for index, item in enumerate(arr):
            key = _hashable(group_fn(item)) if grouping else None
            self._groups.setdefault(key, []).append((index, item))

    def __len__(self) -> int:
        return self.size

    def get_batched(self, n: int = 1, batch_fn: Callable[..., int] | None = None) -> Iterator[list[Any]]:
        for group in self._groups.values():
            ordered = sorted(group, key=lambda indexed: self._sort(indexed[1]))
            self._order += [index for index, _ in ordered]
            yield from chunks([item for _, item in ordered], n, batch_fn)

    def get_original(self, newarr: Iterable[Any]) -> list[Any]:
        answers = dict(zip(self._order, newarr, strict=False))
        assert len(answers) == self.size, f"{len(answers)} answers to {self.size} requests"
        return [answers[index] for index in range(self.size)]


def _hashable(value: Any) -> Any:
    """Convert a grouping key, usually `gen_kwargs`, to a hashable value."""
    if isinstance(value, Mapping):
        return tuple(sorted((name, _hashable(item)) for name, item in value.items()))
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple, set)) else repr(value)


def chunks(iterable: Iterable[Any], n: int = 0, fn: Callable[[int, Any], int] | None = None) -> Iterator[list[Any]]:
    """Yield chunks of n items, or of the size that `fn` returns for an index."""
    items, chunk = tuple(iterable), []
    for index, item in enumerate(items):
        chunk.append(item)
        if len(chunk) == (fn(index, items) if fn else n):
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def optional_import(module: str, attribute: str | None = None) -> tuple[Any, bool]:
    """Return a module or an attribute of it, and whether it could be imported."""
    try:
        imported = import_module(module)
        return (getattr(imported, attribute) if attribute else imported), True
    except (ImportError, AttributeError):
        return None, False


def downsample_audio(audio_array: Any, original_sr: int, target_sr: int) -> Any:
    """Resample audio."""
    from auricle.audio.waveform import as_float32, resample

    return resample(as_float32(audio_array), int(original_sr), int(target_sr), "The audio")


def split_audio(audio_arrays: Any, chunk_lim: int) -> list[Any]:
    """Split audio into chunks of at most `chunk_lim` samples."""
    return [audio_arrays[start : start + chunk_lim] for start in range(0, len(audio_arrays), chunk_lim)]
