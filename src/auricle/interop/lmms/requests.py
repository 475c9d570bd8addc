"""Convert Auricle's requests to lmms-eval's: a doc per request, functions of docs, and arguments."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from auricle.audio import Audio, Image, Video
from auricle.core.types import Generate, LogLikelihood, Part, Turn
from auricle.interop.audio_files import AudioFiles
from auricle.interop.lmms.media import open_image

TASK_NAME, SPLIT_NAME = "auricle", "test"
"""Keys under which classes find docs: `task_dict[task][split][doc_id]`."""
FAILED_PREFIX = "[LMMS_EVAL_REQUEST_FAILED"
"""Start of the text that lmms-eval stores as the answer of a failed request."""
TURN_SEPARATOR = "\n\n"
ModelRequest: TypeAlias = Generate | LogLikelihood
AudioForm: TypeAlias = Literal["array", "path"]


class DocCollection:
    """`task_dict[task][split]`: docs by id; every access returns a new copy.

    An id is never reused, so that classes may cache answers by it.
    """

    def __init__(self, docs: Mapping[int, RequestDoc]) -> None:
        self._docs = docs

    def __getitem__(self, doc_id: int) -> dict[str, Any]:
        if doc_id not in self._docs:
            raise IndexError(f"there is no doc {doc_id}; available: {list(self._docs)}")
        return self._docs[doc_id].copy()

    def __len__(self) -> int:
        return len(self._docs)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (doc.copy() for doc in self._docs.values())


class RequestDoc:
    """The doc of one request; its audio is decoded once."""

    def __init__(self, request: ModelRequest, audio_form: AudioForm, audio_files: AudioFiles) -> None:
        self._turns = request.turns
        parts = [part for turn in request.turns for part in turn.parts]
        self._values = [
            _to_value(part, audio_form, audio_files) if not isinstance(part, str) else part for part in parts
        ]
        self.text = join_text(request.turns)

    def copy(self) -> dict[str, Any]:
        """Return a copy that the class may modify."""
        values = iter(self._values)
        messages, visuals, recordings = [], [], []
        for turn in self._turns:
            contents = []
            for part in turn.parts:
                value = _copy_value(next(values))
                contents.append(_content_entry(part, value))
                if not isinstance(part, str):
                    visuals.append(value)
                if isinstance(part, Audio):
                    recordings.append(value)
            messages.append({"role": turn.role, "content": contents})
        doc = {"question": self.text, "messages": messages, "visuals": visuals}
        return {**doc, "audio": recordings[0]} if recordings else doc


def _to_value(part: Audio | Image | Video, audio_form: AudioForm, audio_files: AudioFiles) -> Any:
    """Convert media: audio to Hugging Face's decoded form or a path, images to Pillow, videos to a path.

    Audio keeps its sample rate.
    """
    if isinstance(part, Audio):
        if audio_form == "path":
            return audio_files.get_path(part)
        is_whole_file = part.path is not None and part.data is None and not part.start and part.end is None
        return {
            "path": str(part.path) if is_whole_file else None,
            "array": part.decode(),
            "sampling_rate": part.info().rate,
        }
    return open_image(part) if isinstance(part, Image) else str(part.path or part.uri)


def _copy_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {**value, "array": value["array"].copy()}
    return value if isinstance(value, str) else value.copy()


def _content_entry(part: Part, value: Any) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": value}
    return {"type": type(part).__name__.lower(), "url": value}


def join_text(turns: Sequence[Turn]) -> str:
    """Join the text of all turns without media, for simple classes, which take one text."""
    return TURN_SEPARATOR.join(filter(None, (_turn_text(turn) for turn in turns)))


def _turn_text(turn: Turn) -> str:
    text = ""
    for part in turn.parts:
        if isinstance(part, str):
            is_separated = not text or text[-1].isspace() or part[:1].isspace()
            text += part if is_separated else f"\n{part}"
    return text


# --- functions of a doc ------------------------------------------------------------------


def doc_to_messages(doc: dict[str, Any], round_idx: int | None = None, **previous: Any) -> Any:
    """Return the messages; a request has one round, so a later round ends the conversation."""
    if round_idx is None:
        return doc["messages"]
    return None, True, previous.get("previous_output"), previous.get("previous_round_info")


def doc_to_visual(doc: dict[str, Any], *_: Any) -> list[Any]:
    """Return all media in order."""
    visuals: list[Any] = doc["visuals"]
    return visuals


def doc_to_text(doc: dict[str, Any], *_: Any, round_idx: int | None = None, **previous: Any) -> Any:
    if round_idx is None:
        return doc["question"]
    return None, None, True, previous.get("previous_output"), previous.get("previous_round_info")


class CallableTarget(str):
    """A continuation that is also callable: lmms-eval's guide passes a function, its code the text."""

    __slots__ = ()

    def __call__(self, doc: Any = None, *_: Any) -> str:
        return str(self)


def build_gen_kwargs(request: Generate) -> dict[str, Any]:
    """Return new `gen_kwargs`; classes may remove entries."""
    gen_kwargs: dict[str, Any] = {
        "max_new_tokens": request.max_tokens,
        "temperature": request.temperature,
        "do_sample": request.temperature > 0,
    }
    return {**gen_kwargs, "until": list(request.stop)} if request.stop else gen_kwargs


# --- arguments a class unpacks ---------------------------------------------------------------


def count_unpacked_arguments(cls: type[Any]) -> int | None:
    """Return how many arguments of a request `generate_until` unpacks, according to its source.

    If it unpacks none, the other methods of the class are searched.
    """
    other_methods = [
        method
        for name, method in inspect.getmembers(cls, inspect.isfunction)
        if name not in ("generate_until", "loglikelihood", "generate_until_multi_round")
    ]
    for method in (getattr(cls, "generate_until", None), *other_methods):
        for size in _unpacked_sizes(method):
            return size
    return None


def _unpacked_sizes(method: Callable[..., Any] | None) -> Iterator[int]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(method)))  # type: ignore[arg-type]
    except (OSError, TypeError, SyntaxError):
        return
    for node in ast.walk(tree):
        target, value = _split_assignment(node)
        if value is None or not isinstance(target, (ast.Tuple, ast.List)):
            continue
        starred = any(isinstance(element, ast.Starred) for element in target.elts)
        if not starred and _reads_arguments(value):
            yield len(target.elts)


def _split_assignment(node: ast.AST) -> tuple[ast.AST | None, ast.AST | None]:
    if isinstance(node, ast.Assign):
        return node.targets[0], node.value
    if isinstance(node, (ast.For, ast.comprehension)):
        return node.target, node.iter
    return None, None


def _reads_arguments(value: ast.AST) -> bool:
    """Return whether an expression reads `request.args`, a list of them, or `zip(*chunk)` of a batch."""
    for node in ast.walk(value):
        if isinstance(node, ast.Attribute) and node.attr in ("args", "arguments"):
            return True
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip":
            return any(isinstance(argument, ast.Starred) for argument in node.args)
    return False
