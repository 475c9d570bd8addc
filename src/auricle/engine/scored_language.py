"""The language whose metrics and text profile a task uses: the stated one, or what the rows show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Json
from auricle.data.manifest import Manifest
from auricle.engine.task_options import LANGUAGE_NAMES, language_name, normalise_language
from auricle.text.scripts import MIXED_SUFFIX, UNDETERMINED, identify_language

UNSPACED_LANGUAGES = ("ja", "th", "lo", "km", "my")  # scored by character, because words are not separated
DEFAULT_PROFILES: Mapping[str, str] = MappingProxyType(
    {
        "en": "whisper-en",
        **dict.fromkeys(("zh", "yue"), "zh"),
        **dict.fromkeys(UNSPACED_LANGUAGES, "chars"),
        **dict.fromkeys(("tr", "az"), "basic+turkish"),
        "ca": "basic+catalan",
        "he": "basic+gershayim",
    }
)
LANGUAGE_CODES: Mapping[str, str] = MappingProxyType({name.lower(): code for code, name in LANGUAGE_NAMES.items()})


@dataclass(frozen=True, slots=True)
class ScoredLanguage:
    """A language code, `und` for words of any language, or a code with `-mixed`; empty if nothing is known."""

    code: str = ""
    note: str = ""
    """Why it was chosen, if that should be stated."""
    is_read: bool = False
    """Whether it was read from the data."""

    @property
    def profile(self) -> str:
        """The text profile; empty to keep that of each metric."""
        if self.is_mixed:
            return "mixed" if self.language == "zh" else "basic"
        return DEFAULT_PROFILES.get(self.code, "")

    @property
    def language(self) -> str:
        """The language by which texts are split into tokens; empty if it is unknown."""
        return self.code.removesuffix(MIXED_SUFFIX).removesuffix(UNDETERMINED)

    @property
    def is_mixed(self) -> bool:
        """Whether words of other languages are among them."""
        return self.code.endswith(MIXED_SUFFIX)


def read_language(load_rows: Callable[[], Manifest], column: str) -> ScoredLanguage:
    """Return the language of the references of a file, from a column or else from their script.

    All rows decide, so that neither a limit nor their order matters.

    Args:
        load_rows: Opens the file.
        column: Column, or field of `meta`, that states the language of a reference.
    """
    try:
        rows = load_rows().whole_file_without_media()
        references = ReferenceReader(column)
        code = identify_language(references.read(rows))
    except (DataError, SpecError):  # reported when the samples are read
        return ScoredLanguage()
    if len(references.stated) == 1 and (stated := _parse_language(*references.stated)):
        return ScoredLanguage(stated, _explain(f"All rows have the {column} {stated}", stated), is_read=True)
    return ScoredLanguage(code, _explain(f"The references are written in {_describe(code)}", code), is_read=bool(code))


class ReferenceReader:
    """Reads the references of a file, and collects the languages that the rows state."""

    def __init__(self, column: str) -> None:
        self.column = column
        self.stated: set[str] = set()

    def read(self, rows: Manifest) -> Iterator[str]:
        """Yield every reference."""
        for columns_by_role, other_columns in rows.iter_columns():
            self.stated.add(self._find_language(columns_by_role.get("meta"), other_columns))
            target: Json = columns_by_role.get("target", "")
            yield from map(str, target) if isinstance(target, list) else (str(target),)

    def _find_language(self, meta: Any, other_columns: Mapping[str, Any]) -> str:
        value = other_columns.get(self.column) or (meta.get(self.column) if isinstance(meta, dict) else None)
        return str(value or "")


def _parse_language(text: str) -> str:
    """Return the code of a language given by its code or English name; empty if it is neither."""
    try:
        code = LANGUAGE_CODES.get(text.strip().lower()) or normalise_language(text)
    except SpecError:
        return ""
    return code if code in LANGUAGE_NAMES else ""


def _explain(reason: str, code: str) -> str:
    """Return a note; none for words of an unknown language, whose defaults are those without any language."""
    if code in ("", UNDETERMINED):
        return ""
    unit = ", by character or word as each script requires" if code.endswith(MIXED_SUFFIX) else ""
    return (
        f"{reason} and no single language was given, so by default they are scored as {code}{unit}. "
        "Change it with -T scored_as=CODE."
    )


def _describe(code: str) -> str:
    name = language_name(ScoredLanguage(code).language)
    if not code.endswith(MIXED_SUFFIX):
        return name
    return f"{name} mixed with other languages" if name else "several languages without spaces between words"
