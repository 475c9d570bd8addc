"""Which of a model's labels means which of a dataset's, found the same way every time.

Labels are matched in tiers: the same string; the same but for case, spacing and a Chinese half
(`生气/angry`); the same word family by a closed table (`sad`, `sadness`); a synonym. Within a tier
the dataset's labels choose in their own order, one label each. Nothing is renamed: both sides keep
their strings, and what finds no partner stays by itself. Likeness of spelling decides nothing,
because `happy` is nearer to `unhappy` than to `happiness`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

Tier: TypeAlias = Literal["exact", "case", "family", "synonym"]

WORD_FAMILIES = (
    ("anger", "angry"),
    ("disgust", "disgusted"),
    ("fear", "fearful"),
    ("happiness", "happy"),
    ("neutral", "neutrality"),
    ("sadness", "sad"),
    ("surprise", "surprised"),
    ("calm", "calmness"),
    ("boredom", "bored"),
    ("contempt", "contemptuous"),
    ("excitement", "excited"),
    ("frustration", "frustrated"),
    ("unknown", "unk", "<unk>"),
    ("other", "others"),
)
FAMILY_BY_WORD = {word: family[0] for family in WORD_FAMILIES for word in family}
SYNONYMS = {"joy": "happiness", "pleasant surprise": "surprise", "ps": "surprise"}
WORD_SEPARATORS = re.compile(r"[\s_-]+")
EAST_ASIAN = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """Two labels that mean the same, each as its own side writes it."""

    truth: str
    prediction: str
    tier: Tier


@dataclass(frozen=True, slots=True)
class LabelAlignment:
    """Rows and columns of a matrix: shared labels first on both axes, in the same order."""

    matches: tuple[LabelMatch, ...]
    rows: tuple[str, ...]
    """The dataset's labels: those with a partner, then those without, each in its own order."""
    columns: tuple[str, ...]
    """The model's labels: the partners in the rows' order, then those without."""

    @property
    def shared_count(self) -> int:
        """How many rows have a column of their own: the length of the diagonal."""
        return len(self.matches)

    @property
    def prediction_by_truth(self) -> Mapping[str, str]:
        """The model's label for each of the dataset's that has one."""
        return {pair.truth: pair.prediction for pair in self.matches}


def align_labels(truths: Iterable[str], predictions: Iterable[str], synonyms: bool = True) -> LabelAlignment:
    """Match a dataset's labels to a model's, one to one; a label given twice counts once."""
    return _align_cached(tuple(dict.fromkeys(truths)), tuple(dict.fromkeys(predictions)), synonyms)


@lru_cache(maxsize=4096)
def _align_cached(truths: tuple[str, ...], predictions: tuple[str, ...], synonyms: bool) -> LabelAlignment:
    found: dict[str, LabelMatch] = {}
    free = dict.fromkeys(predictions)
    for tier, key in TIERS if synonyms else TIERS[:-1]:
        offered: dict[str, list[str]] = {}
        for prediction in free:
            offered.setdefault(key(prediction), []).append(prediction)
        for truth in truths:
            if truth not in found and (alike := offered.get(key(truth))):
                found[truth] = LabelMatch(truth, alike.pop(0), tier)
                del free[found[truth].prediction]
    pairs = tuple(found[truth] for truth in truths if truth in found)
    alone = [truth for truth in truths if truth not in found]
    return LabelAlignment(
        pairs, (*(pair.truth for pair in pairs), *alone), (*(pair.prediction for pair in pairs), *free)
    )


def labels_match(truth: str, prediction: str, synonyms: bool = True) -> bool:
    """Would these two be matched, were there no other labels?"""
    return truth == prediction or bool(_align_cached((truth,), (prediction,), synonyms).matches)


def _exact_key(label: str) -> str:
    return unicodedata.normalize("NFKC", label).strip()


def _case_key(label: str) -> str:
    return WORD_SEPARATORS.sub(" ", _english_part(_exact_key(label)).casefold()).strip()


def _family_key(label: str) -> str:
    word = _case_key(label)
    return FAMILY_BY_WORD.get(word, word)


def _synonym_key(label: str) -> str:
    word = _family_key(label)
    return SYNONYMS.get(word, word)


TIERS: tuple[tuple[Tier, Callable[[str], str]], ...] = (
    ("exact", _exact_key),
    ("case", _case_key),
    ("family", _family_key),
    ("synonym", _synonym_key),
)


def _english_part(label: str) -> str:
    """The English half of a label in two languages; any other label whole."""
    other, slash, english = label.partition("/")
    return english.strip() if slash and english.strip() and EAST_ASIAN.search(other) else label


def display_label(label: str) -> str:
    """A label as an English reader wants it: `生气/angry` as angry, `<unk>` as unknown."""
    english = _english_part(_exact_key(label))
    return "unknown" if FAMILY_BY_WORD.get(english.casefold()) == "unknown" else english or label


def display_labels(labels: Sequence[str]) -> list[str]:
    """Labels as shown side by side; raw where two would look the same."""
    words = [display_label(label) for label in labels]
    return [label if words.count(word) > 1 else word for label, word in zip(labels, words, strict=True)]


def alignment_warnings(alignment: LabelAlignment) -> list[str]:
    """What a reader must know of a match before believing a number made from it."""
    truths, predictions = len(alignment.rows), len(alignment.columns)
    found = []
    if 2 * alignment.shared_count < min(truths, predictions):
        found.append(
            f"Only {alignment.shared_count} of the dataset's {truths} labels "
            f"({_format_labels(alignment.rows)}) mean one of the model's {predictions} "
            f"({_format_labels(alignment.columns)}): are both written as whole words?"
        )
    if synonyms := [pair for pair in alignment.matches if pair.tier == "synonym"]:
        told = ", ".join(f"{pair.truth} and {display_label(pair.prediction)}" for pair in synonyms)
        found.append(f"Counted as the same though they are different words: {told}.")
    return found


def _format_labels(labels: Sequence[str], limit: int = 10) -> str:
    more = ", …" if len(labels) > limit else ""
    return ", ".join(map(display_label, labels[:limit])) + more
