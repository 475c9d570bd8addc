"""Options of tasks built from a manifest: `-T key=value`, YAML or Python."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeAlias

from auricle.core.arguments import Hint, list_options
from auricle.core.errors import AuricleError, SpecError
from auricle.engine.catalogue import TASK_KINDS

COLUMN_OPTIONS = ("target", "audio", "image", "video", "choices", "id", "start", "end")
"""Options that name the column for a role."""

LANGUAGE_ALIASES = {
    "eng": "en", "cmn": "zh", "zho": "zh", "chi": "zh", "jpn": "ja", "kor": "ko", "tha": "th", "lao": "lo", "khm": "km",
    "mya": "my", "bur": "my", "tur": "tr", "aze": "az", "rus": "ru", "ara": "ar", "arb": "ar",
    "cat": "ca", "heb": "he", "iw": "he",
}  # fmt: skip


Check: TypeAlias = tuple[Callable[[Any], bool], str]
"""Whether a value is valid, and what is expected."""


def is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and is_integer(value) and value > 0


POSITIVE: Check = (_is_count, "a positive integer")
SWITCH: Check = (lambda value: isinstance(value, bool), "true or false")


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where the data of a task comes from, what it contains and how it may be used."""

    description: str = ""
    """One line for `auricle list tasks`."""
    version: int | str = 1
    """Increased when the same answers would give other numbers; runs of different versions are not comparable."""
    source: str = ""
    """Where the data can be obtained."""
    citation: str = ""
    """The publication to cite."""
    licence: str = ""
    """Licence of the data."""
    languages: tuple[str, ...] = ()
    """Codes of the languages in the data."""

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Provenance:
        """Read and check the fields of a task file or a suite; other values are ignored.

        Raises:
            SpecError: with the location of a value that is invalid.
        """
        stated = {name: values[name] for name in PROVENANCE_OPTIONS if values.get(name) is not None}
        return Provenance(**{name: _parse_provenance(name, value) for name, value in stated.items()})


PROVENANCE_OPTIONS = tuple(option.name for option in fields(Provenance))
"""Options that state facts about the data; only the version decides whether two runs are comparable."""


@dataclass(frozen=True)
class TaskOptions(Provenance):
    """The options that all task kinds have. An empty value selects the default of the kind.

    A kind with further options has a subclass, which is declared with `takes_options`.
    """

    checks: ClassVar[Mapping[str, Check]] = {"reader": (callable, "a function")}
    """Options that are checked and not converted."""
    lists: ClassVar[tuple[str, ...]] = ("metrics", "by")
    """Options that may be lists."""
    nested: ClassVar[tuple[str, ...]] = ()
    """Options that may be mappings."""

    data: Annotated[str, Hint("file")]
    """A data file, or `hf:NAME`."""
    name: str = ""
    """Name of the task in tables."""
    root: Annotated[str | None, Hint("folder", is_common=True)] = None
    """The folder that paths in the data start from. By default, that of the data file."""
    target: Annotated[str, Hint(is_common=True)] = ""
    """The column with the correct answer. By default, the usual names are tried, as for the following columns."""
    audio: str = ""
    image: str = ""
    video: str = ""
    choices: str = ""
    id: str = ""
    start: str = ""
    end: str = ""
    """The columns with the first and last second of a clip in its file."""
    rows: str = ""
    """The rows to use, as `[from:to]` counted from 0."""
    language: Annotated[str, Hint(is_common=True)] = ""
    """Language of the data, such as en or zh."""
    metrics: str | Sequence[str] = ()
    question: str = ""
    """The question for rows that have none."""
    cluster: str = ""
    """The metadata field whose values are independent, or none; see `Task.cluster`."""
    by: str | Sequence[str] = ()
    """Metadata fields to break numbers down by. By default, all fields with few values."""
    config: str | None = None
    split: str = "test"
    revision: str | None = None
    reader: Annotated[Any, Hint(is_internal=True)] = None
    """A function that returns the samples, used by published benchmarks instead of a data file."""

    @classmethod
    def from_arguments(cls, kind: str, arguments: Mapping[str, Any]) -> Self:
        """Check the arguments of a task kind and convert them to their types."""
        names = [option.name for option in fields(cls)]
        if unknown := [name for name in arguments if name not in names]:
            names.remove("reader")  # cannot be given on a command line
            near = difflib.get_close_matches(unknown[0], names, n=1)
            if kinds := list_kinds_with(unknown[0]):
                hint = f"{unknown[0]} is an option of {', '.join(kinds)}."
            else:
                hint = f"Did you mean {near[0]!r}?" if near else f"Options: {', '.join(names)}."
            raise SpecError(f"Unknown option of {kind}: {', '.join(unknown)}. {hint}", location=(unknown[0],))
        if not arguments.get("data"):
            raise SpecError(f"The task {kind} needs data: `auricle run mine.jsonl --as {kind} -m MODEL`.")
        options = cls(**{name: cls._parse(name, value) for name, value in arguments.items() if value is not None})
        return replace(options, language=normalise_language(options.language))

    @classmethod
    def _parse(cls, name: str, value: Any) -> Any:
        """Convert one option. Numbers are accepted for text, as the command line parses `-T name=1` as a number."""
        if name in cls.nested and isinstance(value, (Mapping, list, tuple, int)):
            return value
        if name in cls.checks:
            is_valid, expected = cls.checks[name]
            return check_option(name, value, is_valid(value), expected)
        if name in cls.lists and isinstance(value, (list, tuple)):
            return [str(item) for item in value]
        return _parse_provenance(name, value) if name in PROVENANCE_OPTIONS else _parse_text(name, value)


@dataclass(frozen=True)
class ScoringOptions(TaskOptions):
    """The options of kinds whose metrics compare texts, or ask a judge."""

    checks: ClassVar[Mapping[str, Check]] = {
        **TaskOptions.checks,
        "votes": POSITIVE,
        "scored_as": (
            lambda value: isinstance(value, str) and bool(re.fullmatch("([a-z]{2,3}(-mixed)?)?", value)),
            "a language code such as zh, a code with -mixed, or und",
        ),
    }

    scored_as: str = ""
    """The language whose metrics and profile are the defaults: a code, one with `-mixed`, or `und` for words of any
    language. [default: `language`, or else what the rows show]"""
    profile: str = ""
    rubric: Annotated[str, Hint("file")] = ""
    """A YAML file with a rubric; adds a metric that a judge scores by it."""
    votes: int = 0
    """How many verdicts to ask a judge for. By default, the number in its rubric."""


@dataclass(frozen=True)
class GenerationOptions(ScoringOptions):
    """The options of kinds that ask a model for answers."""

    checks: ClassVar[Mapping[str, Check]] = {
        **ScoringOptions.checks,
        **dict.fromkeys(("max_tokens", "samples"), POSITIVE),
        "synonyms": SWITCH,
    }
    lists: ClassVar[tuple[str, ...]] = (*ScoringOptions.lists, "stop", "answers")
    nested: ClassVar[tuple[str, ...]] = ("prompt", "shots", "inferencer")

    prompt: Any = ""
    """A template, a list of messages, or a mapping with `system`, `examples` and `turns`."""
    system: str = ""
    shots: Any = None
    """The number of few-shot examples, or a mapping with `use`, `k`, `pool` and other settings."""
    inferencer: Any = ""
    """The inferencer: its name, or a mapping with `use` and its settings."""
    max_tokens: int = 512
    temperature: float = 0.0
    stop: str | Sequence[str] = ()
    samples: int = 1
    """How many answers to sample for each question."""
    answers: str | Sequence[str] = ""
    """How several answers are combined: vote, mean, best, likeliest, turns, first, last."""
    synonyms: bool = True
    """Whether metrics of labels match synonymous labels, such as joy and happiness."""

    @classmethod
    def _parse(cls, name: str, value: Any) -> Any:
        if name == "temperature":
            is_valid = is_integer(value) or isinstance(value, float)
            return float(check_option(name, value, is_valid and value >= 0, "a non-negative number"))
        return super()._parse(name, value)


def list_kinds_with(option: str) -> list[str]:
    """List the task kinds that have an option."""
    kinds = []
    for kind in TASK_KINDS:
        with suppress(AuricleError):  # a package may define a kind that cannot be loaded
            if option in list_options(TASK_KINDS.get(kind)):
                kinds.append(kind)
    return kinds


def _parse_provenance(name: str, value: Any) -> Any:
    if name == "version":  # YAML reads 1.10 as the number 1.1
        is_valid = _is_count(value) or (isinstance(value, str) and bool(value.strip()))
        return check_option(name, value, is_valid, "a positive integer, or text in quotes such as '1.10'")
    return _parse_languages(value) if name == "languages" else _parse_text(name, value)


def _parse_text(name: str, value: Any) -> str:
    return str(check_option(name, value, isinstance(value, (str, int, float, Path)), "text"))


def _parse_languages(value: Any) -> tuple[str, ...]:
    codes = value.split(",") if isinstance(value, str) else value
    is_valid = isinstance(codes, (list, tuple)) and all(isinstance(code, str) and code.strip() for code in codes)
    check_option("languages", value, is_valid, "a list of language codes such as [en, de]")
    return tuple(dict.fromkeys(normalise_language(code, "languages") for code in codes))


def check_option(name: str, value: Any, is_valid: bool, expected: str) -> Any:
    """Return the value of an option, or raise an error that states what is expected."""
    if not is_valid:
        raise SpecError(f"Invalid {name} {value!r}: expected {expected}.", location=(name,))
    return value


def normalise_language(language: str, option: str = "language") -> str:
    """Reduce `zh-CN` and `ZH` to `zh`; reject anything that is not a language code or a list of them."""
    if "," in language:
        return ", ".join(map(normalise_language, language.split(",")))
    code = re.split("[-_]", language.strip().lower())[0]
    if code and not re.fullmatch("[a-z]{2,3}", code):
        raise SpecError(f"Invalid language {language!r}: expected a code such as en, zh or de.", location=(option,))
    return LANGUAGE_ALIASES.get(code, code)


def parse_row_range(rows: str) -> tuple[int, int | None]:
    """Parse `[from:to]` into the first row and the row after the last (None for the end)."""
    if not rows:
        return 0, None
    match = re.fullmatch(r"\[(\d*):(\d*)\]", rows.replace(" ", ""))
    check_option("rows", rows, match is not None, "a range such as [:100] or [100:200]")
    first, last = match.groups()  # type: ignore[union-attr]
    return int(first or 0), int(last) if last else None


def split_list(value: str | Sequence[str]) -> list[str]:
    """Return a list of names, splitting a string at commas."""
    if isinstance(value, str):
        return [item.strip() for item in value.split(",")] if value else []
    return list(value)


LANGUAGE_NAMES: Mapping[str, str] = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "as": "Assamese", "ast": "Asturian", "az": "Azerbaijani",
    "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali", "bs": "Bosnian", "ca": "Catalan", "ceb": "Cebuano",
    "ckb": "Central Kurdish", "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "ff": "Fula",
    "fi": "Finnish", "fil": "Filipino", "fr": "French", "ga": "Irish", "gl": "Galician", "gu": "Gujarati",
    "ha": "Hausa", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian",
    "id": "Indonesian", "ig": "Igbo", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "jv": "Javanese",
    "ka": "Georgian", "kam": "Kamba", "kea": "Kabuverdianu", "kk": "Kazakh", "km": "Khmer", "kn": "Kannada",
    "ko": "Korean", "ky": "Kyrgyz", "lb": "Luxembourgish", "lg": "Ganda", "ln": "Lingala", "lo": "Lao",
    "lt": "Lithuanian", "luo": "Luo", "lv": "Latvian", "mi": "Maori", "mk": "Macedonian", "ml": "Malayalam",
    "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "mt": "Maltese", "my": "Burmese", "nb": "Norwegian",
    "ne": "Nepali", "nl": "Dutch", "nso": "Northern Sotho", "ny": "Nyanja", "oc": "Occitan", "om": "Oromo",
    "or": "Oriya", "pa": "Punjabi", "pl": "Polish", "ps": "Pashto", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sd": "Sindhi", "sk": "Slovak", "sl": "Slovenian", "sn": "Shona", "so": "Somali",
    "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "tg": "Tajik", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "umb": "Umbundu", "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese",
    "wo": "Wolof", "xh": "Xhosa", "yo": "Yoruba", "yue": "Cantonese", "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip


def language_name(code: str) -> str:
    """Return the English name of a language, or its code if the name is unknown."""
    return LANGUAGE_NAMES.get(code, code)
