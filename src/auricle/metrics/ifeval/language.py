"""Which language an answer is in, by langdetect with a seed of its own."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from auricle.core.errors import MissingExtra


@lru_cache(maxsize=1)
def _load_detector_factory() -> Any:
    """A detector factory of our own: the library's is global, and unseeded."""
    try:
        from langdetect import PROFILES_DIRECTORY, DetectorFactory
    except ImportError as missing:
        raise MissingExtra("IFEval", "ifeval") from missing
    factory = DetectorFactory()
    factory.load_profile(PROFILES_DIRECTORY)
    factory.set_seed(0)
    return factory


def is_language(text: str, language: str) -> bool:
    """Is the text in this language? One too short to tell is given the benefit of the doubt."""
    factory = _load_detector_factory()
    from langdetect import LangDetectException

    detector = factory.create()
    detector.append(text)
    try:
        found = str(detector.detect())
    except LangDetectException:
        return True
    return language.lower() in (found, found.partition("-")[0])  # zh-cn and zh-tw are both zh
