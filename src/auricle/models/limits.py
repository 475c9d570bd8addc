"""What a model class declares that it accepts; samples beyond that are skipped before they are sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from auricle.core.errors import Skipped
from auricle.core.types import Part, Request
from auricle.media import Audio, Image, Video

LIMIT_ATTRIBUTES = ("max_seconds", "sample_rates", "languages", "modalities")
"""Attributes of a model class that declare limits; None is no limit."""
MODALITIES: dict[type, str] = {str: "text", Audio: "audio", Image: "image", Video: "video"}


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """The limits of a model class; see `BatchModel` for their meaning."""

    max_seconds: float | None = None
    sample_rates: tuple[int, ...] | None = None
    languages: tuple[str, ...] | None = None
    modalities: tuple[str, ...] | None = None

    @classmethod
    def of(cls, model_class: type[object]) -> ModelLimits:
        """Return the limits that a class declares."""
        return cls(*(getattr(model_class, name, None) for name in LIMIT_ATTRIBUTES))

    def check_request(self, request: Request) -> None:
        """Raise `Skipped` if the content of a request exceeds a limit; reads the headers of its audio."""
        if self.modalities is not None:
            self._check_modalities(request.parts)
        for audio in request.audios:
            if self.max_seconds is not None and audio.seconds > self.max_seconds:
                raise Skipped(f"{audio.seconds:.1f} s of audio; the model accepts {self.max_seconds:g} s (max_seconds)")
            if self.sample_rates is not None and (rate := audio.info().rate) not in self.sample_rates:
                raise Skipped(f"{rate} Hz; the model accepts {_join(self.sample_rates)} Hz (sample_rates)")

    def check_language(self, language: str) -> None:
        """Raise `Skipped` if a language is known and not accepted; `en` accepts `en-GB`, too."""
        accepted = self.languages
        if accepted is None or not language:
            return
        if not any(language.lower() == name.lower() or _base(language) == name.lower() for name in accepted):
            raise Skipped(f"the language is {language}; the model accepts {_join(accepted)} (languages)")

    def _check_modalities(self, parts: Iterable[Part]) -> None:
        assert self.modalities is not None
        for part in parts:
            if (modality := MODALITIES[type(part)]) not in self.modalities and part:
                raise Skipped(f"{modality} in the request; the model accepts {_join(self.modalities)} (modalities)")


def _base(language: str) -> str:
    return language.lower().replace("_", "-").partition("-")[0]


def _join(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
