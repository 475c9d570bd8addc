"""Load classes written for other frameworks, and give them audio as files."""

from __future__ import annotations

import inspect
import logging
import mimetypes
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self, TypeVar

from auricle.core.errors import SpecError, UnknownName
from auricle.core.source_files import describe_class_path
from auricle.core.user_code import wrap_errors
from auricle.media import Audio, Video
from auricle.models.base import BatchModel
from auricle.models.request_input import crop_audio

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


Options = TypeVar("Options", bound="DataclassInstance")


class UserModel(BatchModel):
    """Base of adapters for model classes of other frameworks; `create_adapter_class` makes one per user's class."""

    class_path = ""
    declared_name = ""
    """Name that the user's class gives itself; shown in tables and used in exports."""
    _name = ""
    """Name shown in messages."""
    _model: Any = None
    """Object of the user's class."""

    def close(self) -> None:
        self._model = None


Adapter = TypeVar("Adapter", bound=UserModel)


def split_class_path(prefix: str, class_path: str) -> tuple[str, str]:
    """Split `module:Class` or `file.py:Class` at the colon; raise `UnknownName` if either part is missing."""
    module, _, class_name = class_path.rpartition(":")
    if not module or not class_name:
        raise UnknownName(
            f"Not a class: '{prefix}:{class_path}'. Expected {prefix}:package.module:Class or {prefix}:file.py:Class."
        )
    return module, class_name


def display_name(prefix: str, class_path: str) -> str:
    """Return the name shown in messages: the class path without the folders of its file."""
    return f"{prefix}:{Path(class_path).name if '.py:' in class_path else class_path}"


def create_adapter_class(prefix: str, class_path: str, base: type[Adapter], description: str) -> type[Adapter]:
    """Return a subclass of a framework's adapter, which imports the user's class when it is instantiated."""
    module, class_name = split_class_path(prefix, class_path)
    if module.endswith(".py") and not Path(module).is_file():
        raise UnknownName(f"There is no file {module}.")
    attributes = {
        "class_path": class_path,
        "_name": display_name(prefix, class_path),
        "describe_arguments": staticmethod(partial(describe_class_path, class_path)),
    }
    return type(class_name, (base,), {**attributes, "__doc__": f"{class_name}, {description}."})


def split_options(option_class: type[Options], arguments: Mapping[str, Any]) -> tuple[Options, dict[str, Any]]:
    """Split `-M` arguments into the adapter's options and the arguments of the user's class."""
    rest = dict(arguments)
    options = {option.name: rest.pop(option.name) for option in fields(option_class) if option.name in rest}
    return option_class(**options), rest


def instantiate(name: str, user_class: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Create an object of a user's class; wrong arguments and exceptions become `SpecError`."""
    check_arguments(name, user_class, arguments)
    enable_debug_records(user_class)
    with wrap_errors(name):
        return user_class(**arguments)


def enable_debug_records(user_class: Callable[..., Any], *packages: str) -> None:
    """Let the loggers of a class's package and of a framework pass everything, for the log of the run."""
    for package in (user_class.__module__.partition(".")[0], *packages):
        logger = logging.getLogger(package)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.DEBUG)


def check_arguments(
    name: str, user_class: Callable[..., Any], arguments: Mapping[str, Any], other_names: Sequence[str] = ()
) -> None:
    """Raise `SpecError` if an argument of a class is unknown or missing; `other_names` are listed as accepted, too."""
    signature = inspect.signature(user_class)
    try:
        signature.bind(**arguments)
    except TypeError as error:
        accepted = ", ".join((*other_names, *signature.parameters)) or "none"
        raise SpecError(f"{name}: {error}. Accepted arguments: {accepted}.") from error


def find_owner(cls: type[Any], name: str) -> type[Any] | None:
    """Return the class in the inheritance chain that defines an attribute, or None."""
    return next((base for base in cls.__mro__ if name in vars(base)), None)


def describe_type(value: Any) -> str:
    """Return the type of a value for messages, with the size of a list or tuple."""
    size = f" of {len(value)}" if isinstance(value, (list, tuple)) else ""
    return "None" if value is None else f"{type(value).__name__}{size}"


class AudioFiles:
    """Context manager that returns paths of recordings and deletes temporary files on exit.

    Args:
        crop: Maximum seconds of each recording; None keeps all of it.
    """

    def __init__(self, crop: float | None = None) -> None:
        self._crop = crop
        self._folder: TemporaryDirectory[str] | None = None
        self._count = 0

    def get_path(self, audio: Audio) -> str:
        """Return the path of a recording: its own file if nothing is cut, else a temporary WAV file."""
        try:
            return self._path_for(crop_audio(audio, self._crop))
        except ImportError as error:  # the interpreter of another environment
            raise SpecError(
                "Audio that is cropped or in memory needs packages that the model's environment lacks: "
                f"{sys.executable} -m pip install numpy soundfile soxr."
            ) from error

    def get_video_path(self, video: Video) -> str:
        """Return the path or the URL of a video, of which nothing is cut: its own, or a temporary file."""
        if video.data is None:
            return str(video.path or video.uri)
        path = self._next_path(mimetypes.guess_extension(video.media_type) or ".mp4")
        path.write_bytes(video.data)
        return str(path)

    def _next_path(self, suffix: str) -> Path:
        self._folder = self._folder or TemporaryDirectory(prefix="auricle-audio-")
        self._count += 1
        return Path(self._folder.name) / f"{self._count}{suffix}"

    def _path_for(self, audio: Audio) -> str:
        is_whole_file = audio.data is None and not audio.start and audio.end is None
        if is_whole_file and audio.path is not None:
            return os.fspath(audio)
        path = self._next_path(".wav")
        write_wav(audio, path)
        return str(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder:
            self._folder.cleanup()


def write_wav(audio: Audio, path: Path) -> None:
    """Write a lossless WAV file with all channels: 16-bit integers if they suffice, else floats."""
    import numpy as np
    import soundfile

    samples = audio.decode(mono=False)
    scaled = samples * 32_768
    is_16_bit = bool(np.all(scaled == np.rint(scaled)) and scaled.min() >= -32_768 and scaled.max() < 32_768)
    soundfile.write(
        path,
        scaled.astype(np.int16) if is_16_bit else samples,
        audio.info().rate,
        subtype="PCM_16" if is_16_bit else "FLOAT",
    )
