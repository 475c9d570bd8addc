"""What lmms-eval's own modules offer to a class, without that package."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Self


class CacheHook:
    """Answers are kept by the run; a class that hands them here hands them to nobody."""

    def __init__(self, cachinglm: Any = None) -> None: ...

    def add_partial(self, attr: str, req: Any, res: Any) -> None: ...


class lmms(ABC):  # noqa: N801 - the name that classes inherit from
    """Base of all models."""

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
        """From `name=value,name=value` and what else is known; what is None is left out."""
        known = {k: v for k, v in (additional_config or {}).items() if v is not None}
        return cls(**simple_parse_args_string(arg_string), **known)

    @property
    def rank(self) -> int:
        return self._rank

    @property
    def world_size(self) -> int:
        return self._world_size

    def set_cache_hook(self, cache_hook: Any) -> None:
        self.cache_hook = cache_hook

    def clean(self) -> None:  # noqa: B027 - memory is given back when the model is let go
        """What a local judge would need room for."""

    @staticmethod
    def _resolve_system_prompt(value: str) -> str:
        """The words themselves, or those of the file that is named."""
        if value and Path(value).is_file():
            return Path(value).read_text(encoding="utf-8").strip()
        return value

    def _apply_system_prompt(self, messages: list[Any], system_prompt: str) -> list[Any]:
        """Put a system message first, written as the others are, in the place of one there."""
        if not system_prompt:
            return messages
        plain = any(isinstance(each.get("content"), str) for each in messages)
        content = system_prompt if plain else [{"type": "text", "text": system_prompt}]
        if not messages or messages[0].get("role") != "system":
            messages.insert(0, {"role": "system"})
        messages[0]["content"] = content
        return messages


@dataclass
class TokenCounts:
    """How many tokens an answer took, as far as that is known."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None

    def to_dict(self) -> dict[str, int]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass
class GenerationResult:
    """An answer and its token counts."""

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
        held = self.metadata
        self.task_name, self.doc_id, self.repeats = held["task"], held["doc_id"], held["repeats"]

    @property
    def args(self) -> tuple[Any, ...]:
        return self.arguments if isinstance(self.arguments, tuple) else (self.arguments,)


def register_model(*names: str) -> Callable[[type[Any]], type[Any]]:
    """Nothing is looked up by these names: a class is named by its file."""
    return lambda cls: cls


# --- lmms_eval.utils -------------------------------------------------------------------


def simple_parse_args_string(arg_string: str) -> dict[str, Any]:
    """`name=value,name=value` as values; a comma within quotes or brackets parts nothing."""
    pieces = [each.strip() for each in _split_arguments(arg_string)]
    pairs = [each.split("=", 1) for each in pieces if each]
    return {name: _parse_value(value) for name, value in pairs}


def _split_arguments(text: str) -> list[str]:
    pieces, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "," and not depth:
            pieces.append("")
            continue
        pieces[-1] += letter
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
    """Requests sorted and cut into batches, and answers put back in the order of the requests."""

    def __init__(
        self,
        arr: Sequence[Any],
        sort_fn: Callable[[Any], Any],
        group_fn: Callable[[Any], Any] = lambda each: each[1],
        grouping: bool = False,
    ) -> None:
        self.size = len(arr)
        self._sort = sort_fn
        self._groups: dict[Any, list[tuple[int, Any]]] = {}
        self._order: list[int] = []
        for at, each in enumerate(arr):
            key = _hashable(group_fn(each)) if grouping else None
            self._groups.setdefault(key, []).append((at, each))

    def __len__(self) -> int:
        return self.size

    def get_batched(self, n: int = 1, batch_fn: Callable[..., int] | None = None) -> Iterator[list[Any]]:
        for group in self._groups.values():
            group = sorted(group, key=lambda held: self._sort(held[1]))
            self._order += [at for at, _ in group]
            yield from chunks([each for _, each in group], n, batch_fn)

    def get_original(self, newarr: Iterable[Any]) -> list[Any]:
        found = dict(zip(self._order, newarr, strict=False))
        assert len(found) == self.size, f"{len(found)} answers to {self.size} requests"
        return [found[at] for at in range(self.size)]


def _hashable(value: Any) -> Any:
    """What requests are grouped by: mostly the arguments of a generation."""
    if isinstance(value, Mapping):
        return tuple(sorted((name, _hashable(each)) for name, each in value.items()))
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple, set)) else repr(value)


def chunks(iterable: Iterable[Any], n: int = 0, fn: Callable[[int, Any], int] | None = None) -> Iterator[list[Any]]:
    """Pieces of n, or of as many as a function of the place says."""
    whole, piece = tuple(iterable), []
    for at, each in enumerate(whole):
        piece.append(each)
        if len(piece) == (fn(at, whole) if fn else n):
            yield piece
            piece = []
    if piece:
        yield piece


def optional_import(module: str, attribute: str | None = None) -> tuple[Any, bool]:
    """A thing and whether it is there."""
    try:
        found = import_module(module)
        return (getattr(found, attribute) if attribute else found), True
    except (ImportError, AttributeError):
        return None, False


def downsample_audio(audio_array: Any, original_sr: int, target_sr: int) -> Any:
    """Samples at another rate."""
    from auricle.audio.waveform import as_float32, resample

    return resample(as_float32(audio_array), int(original_sr), int(target_sr), "The sound")


def split_audio(audio_arrays: Any, chunk_lim: int) -> list[Any]:
    """Pieces of at most so many samples."""
    return [audio_arrays[at : at + chunk_lim] for at in range(0, len(audio_arrays), chunk_lim)]
