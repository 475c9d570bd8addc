"""Text normaliser profiles: named, versioned, deterministic functions from text to text.

A profile also names the unit its error rate counts: words, characters, or the two mixed. Its
version rises whenever any output changes, and stands in the signature of every number made with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from auricle.core.errors import UnknownName
from auricle.text import framework_normalisers
from auricle.text.chinese_numbers import fold_numerals, read_contextual_numbers, read_numbers
from auricle.text.open_asr_normaliser import normalise_open_asr
from auricle.text.tokenisers import UNSPACED_SCRIPTS, split_characters, split_mixed, split_words
from auricle.text.whisper_normaliser import normalise_whisper

__all__ = [
    "PROFILES",
    "TOKENISERS",
    "Profile",
    "Tokeniser",
    "get_profile",
    "resolve_profile_name",
    "split_characters",
    "split_mixed",
    "split_words",
]

Tokeniser = Callable[[str], list[str]]

TOKENISERS: Mapping[str, Tokeniser] = MappingProxyType(
    {"words": split_words, "characters": split_characters, "mixed": split_mixed}
)
_TEXT_CACHE_SIZE = 65_536

_APOSTROPHES = "'\u2018\u2019\u02bc\uff07"
_JOINERS = "\u200c\u200d"
_LOOSE_APOSTROPHE = re.compile(r"(?<!\S)'+|'+(?!\S)")
_AROUND_UNSPACED = re.compile(rf"(?<=[{UNSPACED_SCRIPTS}]) | (?=[{UNSPACED_SCRIPTS}])")
_WITHOUT_UNSPACED = re.compile(rf"[^{UNSPACED_SCRIPTS}]+")
_LATIN = re.compile("[a-z]")


class _SeparatorTable(dict[int, str]):
    """What each character becomes, worked out when first met: a space, nothing, or itself."""

    def __missing__(self, code: int) -> str:
        self[code] = replacement = _replace_character(chr(code))
        return replacement


def _replace_character(character: str) -> str:
    if character in _APOSTROPHES:
        return "'"
    category = unicodedata.category(character)
    if category[0] in "PSZ" or category == "Cc":
        return " "
    # Invisible formatting says nothing, but the joiners shape words in Indic scripts and Persian.
    return "" if category == "Cf" and character not in _JOINERS else character


_SEPARATORS = _SeparatorTable()
_ASCII = bytes(ord(_replace_character(chr(code))) for code in range(128)) + bytes(128)


def _fold_case(text: str) -> str:
    """Compatibility forms unified and case removed."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _strip_punctuation(text: str) -> str:
    """Punctuation and symbols to single spaces; apostrophes stay inside words."""
    # ASCII has a shortcut, several times faster.
    ascii_only = text.isascii()
    text = text.encode("ascii").translate(_ASCII).decode("ascii") if ascii_only else text.translate(_SEPARATORS)
    if "'" in text:
        text = _LOOSE_APOSTROPHE.sub(" ", text)
    return " ".join(text.split())


@cache
def _load_simplifier() -> Any:
    from opencc import OpenCC

    # The Taiwanese table also turns 著 into 着 where it marks the aspect; the plain one does not.
    return OpenCC("tw2s")


def _simplify(text: str) -> str:
    simplified: str = _load_simplifier().convert(text)
    return simplified


def _read_chinese_numbers(text: str) -> str:
    """Read the numerals that stand among Chinese; those beside Latin words keep their digits."""
    return _WITHOUT_UNSPACED.sub(
        lambda run: run[0] if _LATIN.search(run[0]) else read_numbers(run[0]), read_contextual_numbers(text)
    )


def _normalise_chinese(text: str, read_numerals: Callable[[str], str]) -> str:
    spoken = fold_numerals(read_numerals(_simplify(_fold_case(text))))
    return _AROUND_UNSPACED.sub("", _strip_punctuation(spoken))


def _normalise_none(text: str) -> str:
    return text.strip()


def _normalise_basic(text: str) -> str:
    return _strip_punctuation(_fold_case(text))


def _normalise_zh(text: str) -> str:
    return _normalise_chinese(text, lambda folded: read_numbers(read_contextual_numbers(folded)))


def _normalise_chars(text: str) -> str:
    return _normalise_basic(text).replace(" ", "")


def _normalise_mixed(text: str) -> str:
    return _normalise_chinese(text, _read_chinese_numbers)


@dataclass(frozen=True, slots=True)
class Profile:
    """A named, versioned way to make two texts comparable."""

    name: str
    version: int
    apply: Callable[[str], str]
    unit: str
    languages: tuple[str, ...]
    description: str
    joins_compounds: bool = False
    """Whether words written together and apart are the same: `white paper`, `whitepaper`."""

    def __call__(self, text: str) -> str:
        """Normalise a text."""
        return self.apply(text)

    def tokens(self, text: str) -> list[str]:
        """Normalise a text and cut it into the units its error rate counts."""
        return TOKENISERS[self.unit](self.apply(text))

    @property
    def signature(self) -> str:
        """Name and version, as they stand beside a number."""
        return f"{self.name}:{self.version}"


def _with_cache(apply: Callable[[str], str]) -> Callable[[str], str]:
    """Keep recent results, because every metric of a task normalises the same references."""
    return lru_cache(maxsize=_TEXT_CACHE_SIZE)(apply)


def _tool_profile(name: str, apply: Callable[[str], str], tool: str) -> Profile:
    """A profile whose `wer` is another tool's number."""
    language = "zh" if name.endswith("zh") else "en"
    told = f"{tool}: its word error rate is `wer` under this profile"
    return Profile(name, 1, _with_cache(apply), "words", (language,), told)


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            Profile("none", 1, _normalise_none, "words", (), "the text as it is, without outer whitespace"),
            Profile(
                "basic",
                1,
                _with_cache(_normalise_basic),
                "words",
                (),
                "case and punctuation removed, in any script written with spaces",
            ),
            Profile(
                "whisper-en",
                1,
                _with_cache(normalise_whisper),
                "words",
                ("en",),
                "the Whisper English normaliser: numbers, contractions, American spelling",
            ),
            Profile(
                "zh",
                1,
                _with_cache(_normalise_zh),
                "characters",
                ("zh", "yue"),
                "simplified characters, numerals as read aloud, no punctuation",
            ),
            Profile(
                "chars",
                1,
                _with_cache(_normalise_chars),
                "characters",
                ("ja", "th", "lo", "km", "my"),
                "basic without spaces, for scripts that use none",
            ),
            Profile(
                "mixed",
                1,
                _with_cache(_normalise_mixed),
                "mixed",
                ("zh", "en"),
                "zh among Chinese; Latin words lower-cased and whole, with their digits",
            ),
            _tool_profile("kimi-en", framework_normalisers.kimi_en, "Kimi-Audio-Evalkit's English"),
            _tool_profile("kimi-zh", framework_normalisers.kimi_zh, "Kimi-Audio-Evalkit's Mandarin"),
            _tool_profile("lmms-eval-en", framework_normalisers.lmms_eval_en, "lmms-eval's English"),
            _tool_profile("lmms-eval-zh", framework_normalisers.lmms_eval_zh, "lmms-eval's Mandarin"),
            replace(
                _tool_profile("open-asr", normalise_open_asr, "the Open ASR Leaderboard's English"),
                joins_compounds=True,
            ),
            _tool_profile("ultraeval-en", framework_normalisers.ultraeval_en, "UltraEval-Audio's English"),
            _tool_profile("ultraeval-zh", framework_normalisers.ultraeval_zh, "UltraEval-Audio's Mandarin"),
        )
    }
)


def resolve_profile_name(name: str, language: str) -> str:
    """A profile's whole name: `kimi` is kimi-zh where the language is Chinese."""
    spoken = f"{name}-{language.partition('-')[0].lower()}"
    return spoken if name not in PROFILES and spoken in PROFILES else name


def get_profile(name: str) -> Profile:
    """Look up a profile by name."""
    if name in PROFILES:
        return PROFILES[name]
    if family := [each for each in PROFILES if each.startswith(f"{name}-")]:
        raise UnknownName(
            f"Which of {' and '.join(family)} is meant by {name!r} depends on the language: "
            "say it, -T language=en, or give the whole name."
        )
    near = get_close_matches(name, PROFILES, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise UnknownName(f"No text profile {name!r}.{hint} There are: {', '.join(PROFILES)}.")
