"""Language detection with langdetect and a fixed seed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from auricle.core.errors import MissingExtra


@lru_cache(maxsize=1)
def _load_detector_factory() -> Any:
    """Create a seeded detector factory; the library's own is global and unseeded."""
    try:
        from langdetect import PROFILES_DIRECTORY, DetectorFactory
    except ImportError as missing:
        raise MissingExtra("IFEval", "ifeval") from missing
    factory = DetectorFactory()
    factory.load_profile(PROFILES_DIRECTORY)
    factory.set_seed(0)
    return factory


def is_language(text: str, language: str) -> bool:
    """Return whether a text is in this language; True if it is too short to detect one."""
    factory = _load_detector_factory()
    from langdetect import LangDetectException

    detector = factory.create()
    detector.append(text)
    try:
        detected = str(detector.detect())
    except LangDetectException:
        return True
    return language.lower() in (detected, detected.partition("-")[0])  # zh-cn and zh-tw are both zh
