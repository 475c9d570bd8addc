"""Text normaliser profiles: named, versioned, deterministic functions from text to text.

A profile also names the unit of its error rate: words, characters, or a mix of both. Its version is raised whenever
any output changes, and is part of the signature of every number computed with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from types import MappingProxyType
from typing import Any

from auricle.core.errors import UnknownName
from auricle.core.registry import Registry
from auricle.text import framework_normalisers
from auricle.text.chinese_numbers import fold_numerals, read_contextual_numbers, read_numbers
from auricle.text.framework_normalisers import whisper_basic
from auricle.text.profile_options import OPTION_MARK, OPTIONS, SPELLED, add_steps
from auricle.text.scripts import UNSPACED_SCRIPTS
from auricle.text.whisper_normaliser import normalise_whisper

_MIXED_TOKEN = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\s{UNSPACED_SCRIPTS}]+")


def split_words(text: str) -> list[str]:
    """Split at whitespace."""
    return text.split()


def split_characters(text: str) -> list[str]:
    """Split into characters, with one space between words, as character error rates count them."""
    return list(" ".join(text.split()))


def split_mixed(text: str) -> list[str]:
    """Split into words, and into single characters where a script has no spaces."""
    return _MIXED_TOKEN.findall(text)


TOKENISERS: Mapping[str, Callable[[str], list[str]]] = MappingProxyType(
    {"words": split_words, "characters": split_characters, "mixed": split_mixed}
)
_TEXT_CACHE_SIZE = 65_536

_APOSTROPHES = "'`\u2018\u2019\u02bb\u02bc\u05f3\uff07"
_ACUTE_ACCENT = "\u00b4"  # often typed as an apostrophe; NFKC would make it a space and a combining accent
_DOTTED_I = "i\u0307"  # what Unicode makes of a capital İ
_JOINERS = "\u200c\u200d"
_VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# NFKC takes the vowel AM of Thai and Lao apart, which would count as two characters.
_THAI_AM = re.compile("\u0e4d([\u0e48-\u0e4b]?)\u0e32")
_LAO_AM = re.compile("\u0ecd([\u0ec8-\u0ecb]?)\u0eb2")
_LOOSE_APOSTROPHE = re.compile(r"(?<!\S)'+|'+(?!\S)")
_AROUND_UNSPACED = re.compile(rf"(?<=[{UNSPACED_SCRIPTS}]) | (?=[{UNSPACED_SCRIPTS}])")
_WITHOUT_UNSPACED = re.compile(rf"[^{UNSPACED_SCRIPTS}]+")
_LATIN = re.compile("[a-z]")


class _SeparatorTable(dict[int, str]):
    """Replacement of each character (a space, nothing, or itself), computed on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = replacement = _replace_character(chr(code))
        return replacement


def _replace_character(character: str) -> str:
    if character in _APOSTROPHES:
        return "'"
    category = unicodedata.category(character)
    if category[0] in "PSZ" or category == "Cc":
        return " "
    # Invisible formatting characters are dropped, except joiners, which are part of words in Indic scripts and Persian.
    # Variation selectors and enclosing marks belong to emoji, and would be left as words of their own.
    is_dropped = category in ("Cf", "Me") or _VARIATION_SELECTORS.match(character)
    return "" if is_dropped and character not in _JOINERS else character


_SEPARATORS = _SeparatorTable()
_ASCII = bytes(ord(_replace_character(chr(code))) for code in range(128)) + bytes(128)
_LOWERCASE_ASCII = _ASCII.lower()


def _fold_case(text: str) -> str:
    """Unify compatibility forms and remove case."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text.replace(_ACUTE_ACCENT, "'"))
    folded = unicodedata.normalize("NFKC", text.casefold()).replace(_DOTTED_I, "i")
    return _compose_am(folded)


def _compose_am(text: str) -> str:
    """Compose the vowel AM of Thai and Lao, also if a tone mark was typed within it."""
    if "\u0e4d" in text:
        text = _THAI_AM.sub("\\1\u0e33", text)
    return _LAO_AM.sub("\\1\u0eb3", text) if "\u0ecd" in text else text


def _strip_punctuation(text: str) -> str:
    """Replace punctuation and symbols by single spaces; apostrophes inside words stay."""
    return _tidy_spaces(_translate_ascii(text, _ASCII) if text.isascii() else text.translate(_SEPARATORS))


def _translate_ascii(text: str, table: bytes) -> str:
    return text.encode("ascii").translate(table).decode("ascii")  # several times faster than translating a text


def _tidy_spaces(text: str) -> str:
    """Leave single spaces between words, and remove apostrophes that are not inside a word."""
    if "'" in text:
        text = _LOOSE_APOSTROPHE.sub(" ", text)
    return " ".join(text.split())


@cache
def _load_simplifier() -> Any:
    from opencc import OpenCC

    # Unlike the plain table, the Taiwanese one turns 著 into 着 where it marks the aspect.
    return OpenCC("tw2s")


def simplify_chinese(text: str) -> str:
    """Return Chinese text with simplified characters."""
    simplified: str = _load_simplifier().convert(text)
    return simplified


def _normalise_seed_tts_zh(text: str) -> str:
    return framework_normalisers.seed_tts_zh(simplify_chinese(text))


def _read_chinese_numbers(text: str) -> str:
    """Spell out numbers within Chinese text; numbers next to Latin words keep their digits."""
    return _WITHOUT_UNSPACED.sub(
        lambda run: run[0] if _LATIN.search(run[0]) else read_numbers(run[0]), read_contextual_numbers(text)
    )


def _normalise_chinese(text: str, read_numerals: Callable[[str], str]) -> str:
    spoken = fold_numerals(read_numerals(simplify_chinese(_fold_case(text))))
    return _AROUND_UNSPACED.sub("", _strip_punctuation(spoken))


def _normalise_basic(text: str) -> str:
    if text.isascii():  # the same in one step, which is faster than a cache
        return _tidy_spaces(_translate_ascii(text, _LOWERCASE_ASCII))
    return _normalise_basic_unicode(text)


@lru_cache(maxsize=_TEXT_CACHE_SIZE)
def _normalise_basic_unicode(text: str) -> str:
    return _strip_punctuation(_fold_case(text))


def _normalise_zh(text: str) -> str:
    return _normalise_chinese(text, lambda folded: read_numbers(read_contextual_numbers(folded)))


def _normalise_chars(text: str) -> str:
    return _normalise_basic(text).replace(" ", "")


def _normalise_mixed(text: str) -> str:
    return _normalise_chinese(text, _read_chinese_numbers)


@dataclass(frozen=True, slots=True)
class Profile:
    """A named, versioned way to normalise texts before they are compared."""

    name: str
    version: int
    apply: Callable[[str], str]
    unit: str
    languages: tuple[str, ...]
    summary: str
    joins_compounds: bool = False
    """Whether compounds match when written with or without a space: `white paper`, `whitepaper`."""
    forms_digits: bool = False
    """Whether words become digits, so that a text has fewer characters than were spoken."""

    def __call__(self, text: str) -> str:
        """Normalise a text."""
        return self.apply(text)

    def tokens(self, text: str) -> list[str]:
        """Normalise a text and split it into the units of its error rate."""
        return TOKENISERS[self.unit](self.apply(text))

    @property
    def signature(self) -> str:
        """Name and version, as in the signature of a number."""
        return f"{self.name}:{self.version}"


def _make_profile(
    name: str, apply: Callable[[str], str], unit: str, languages: tuple[str, ...], summary: str, version: int = 1
) -> Profile:
    """Make a profile that caches recent results, because every metric of a task normalises the same references."""
    return Profile(name, version, lru_cache(maxsize=_TEXT_CACHE_SIZE)(apply), unit, languages, summary)


def _tool_profile(name: str, apply: Callable[[str], str], tool: str) -> Profile:
    """Make a profile that reproduces the word error rate of another tool."""
    language = "zh" if name.endswith("zh") else "en"
    return _make_profile(name, apply, "words", (language,), f"normaliser of {tool}; reproduces its word error rate")


_UNSPACED_LANGUAGES = ("ja", "th", "lo", "km", "my")
_BASIC = "no case and no punctuation, for scripts written with spaces"
_WHISPER = "Whisper's English normaliser: numbers, contractions, American spelling"
_WHISPER_UNSPACED = ("zh", "yue", "ja", "th", "lo", "my")
_WHISPER_BASIC = "Whisper's normaliser of other languages; reproduces its word error rates, and splits words at marks"
_WHISPER_LETTERS = "whisper-basic with single letters, as published for Chinese, Japanese, Thai, Lao and Burmese"
_WHISPER_UNACCENTED = "whisper-basic without accents and other marks"
_WITH_LETTERS = partial(whisper_basic, split_letters=True)
_WITHOUT_ACCENTS = partial(whisper_basic, remove_diacritics=True)
_ZH = "simplified characters, spelled-out numbers, no punctuation"
_CHARS = "basic without spaces, for scripts written without them"
_MIXED = "zh for Chinese text; Latin words in lower case, with their digits"
_OPEN_ASR = _tool_profile("open-asr", framework_normalisers.normalise_open_asr, "the Open ASR Leaderboard for English")


@cache
def add_options(profile: Profile, names: tuple[str, ...]) -> Profile:
    """Return a profile with options; its version is raised when that of the profile or of an option is.

    Raises:
        UnknownName: if there is no such option.
    """
    if unknown := [name for name in names if name not in OPTIONS]:
        raise UnknownName(
            f"Unknown option {unknown[0]!r} of the profile {profile.name}. Options: {', '.join(OPTIONS)}."
        )
    options = tuple(OPTIONS[name] for name in names)
    return replace(
        profile,
        name=OPTION_MARK.join((profile.name, *names)),
        version=profile.version + sum(option.version - 1 for option in options),
        apply=add_steps(options, profile.apply),
        languages=tuple(code for option in options for code in option.languages) or profile.languages,
        summary="; ".join((profile.name, *(option.summary for option in options))),
        forms_digits=profile.forms_digits and SPELLED not in names,
    )


_BASIC_PROFILE = Profile("basic", 2, _normalise_basic, "words", (), _BASIC)
_WHISPER_PROFILE = replace(
    _make_profile("whisper-en", normalise_whisper, "words", ("en",), _WHISPER, version=2), forms_digits=True
)
_WITH_OPTIONS = (
    *(add_options(_BASIC_PROFILE, (name,)) for name in OPTIONS if name != SPELLED),
    add_options(_WHISPER_PROFILE, (SPELLED,)),
)
"""Profiles with one option, so that `auricle list profiles` shows every option; others are made when they are used."""

PROFILES: Registry[Profile] = Registry(
    "profile",
    {
        entry.name: entry
        for entry in (
            Profile("none", 1, str.strip, "words", (), "unchanged, except for leading and trailing whitespace"),
            _BASIC_PROFILE,
            _WHISPER_PROFILE,
            _make_profile("whisper-basic", whisper_basic, "words", (), _WHISPER_BASIC),
            _make_profile("whisper-basic-letters", _WITH_LETTERS, "words", _WHISPER_UNSPACED, _WHISPER_LETTERS),
            _make_profile("whisper-basic-unaccented", _WITHOUT_ACCENTS, "words", (), _WHISPER_UNACCENTED),
            _make_profile("zh", _normalise_zh, "characters", ("zh", "yue"), _ZH, version=2),
            _make_profile("chars", _normalise_chars, "characters", _UNSPACED_LANGUAGES, _CHARS, version=2),
            _make_profile("mixed", _normalise_mixed, "mixed", ("zh", "en"), _MIXED, version=2),
            *_WITH_OPTIONS,
            _tool_profile("kimi-en", framework_normalisers.kimi_en, "Kimi-Audio-Evalkit for English"),
            _tool_profile("kimi-zh", framework_normalisers.kimi_zh, "Kimi-Audio-Evalkit for Mandarin"),
            _tool_profile("lmms-eval-en", framework_normalisers.lmms_eval_en, "lmms-eval for English"),
            _tool_profile("lmms-eval-zh", framework_normalisers.lmms_eval_zh, "lmms-eval for Mandarin"),
            replace(_OPEN_ASR, joins_compounds=True),
            _tool_profile("seed-tts-en", framework_normalisers.seed_tts_en, "seed-tts-eval for English"),
            _tool_profile("seed-tts-zh", _normalise_seed_tts_zh, "seed-tts-eval for Mandarin"),
            _tool_profile("ultraeval-en", framework_normalisers.ultraeval_en, "UltraEval-Audio for English"),
            _tool_profile("ultraeval-zh", framework_normalisers.ultraeval_zh, "UltraEval-Audio for Mandarin"),
        )
    },
    expects=(Profile, "an auricle.text.Profile"),
)


def resolve_profile_name(name: str, language: str) -> str:
    """Return the full name of a profile: `kimi` becomes `kimi-zh` if the language is Chinese."""
    full_name = f"{name}-{language.partition('-')[0].lower()}"
    return full_name if name not in PROFILES and full_name in PROFILES else name


def get_profile(name: str) -> Profile:
    """Return the profile with this name and its options, such as `basic+yo`.

    >>> get_profile("basic+yo")("Ёлка!")
    'елка'
    """
    if name in PROFILES:
        return PROFILES.get(name)
    base, *options = name.split(OPTION_MARK)
    if options:
        return add_options(get_profile(base), tuple(options))
    if variants := [profile for profile in PROFILES if profile.startswith(f"{name}-")]:
        raise UnknownName(
            f"Profile {name!r} needs a language: use {' or '.join(variants)}, or set the language with -T language=en."
        )
    return PROFILES.get(name)


def is_profile(name: str) -> bool:
    """Return whether a profile has this name."""
    base, *options = name.split(OPTION_MARK)
    return base in PROFILES and all(option in OPTIONS for option in options)
