"""Match the labels of a dataset with the labels of a model.

Labels are matched in tiers: equal strings; equal except for case, spacing and a Chinese part (`生气/angry`); the same
word family in a fixed table (`sad`, `sadness`); synonyms. Within a tier, the dataset's labels are matched in their own
order, one to one. Both sides keep their spelling, and labels without a match stay separate. Similar spelling is not
used: `happy` is closer to `unhappy` than to `happiness`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
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
    """Two labels with the same meaning, each in its own spelling."""

    truth: str
    prediction: str
    tier: Tier


@dataclass(frozen=True)
class LabelAlignment:
    """Rows and columns of a confusion matrix; shared labels come first on both axes, in the same order."""

    matches: tuple[LabelMatch, ...]
    rows: tuple[str, ...]
    """The dataset's labels: those with a match, then the others, each in their own order."""
    columns: tuple[str, ...]
    """The model's labels: the matches in the order of the rows, then the others."""

    @property
    def shared_count(self) -> int:
        """Number of matched labels, which is the length of the diagonal."""
        return len(self.matches)

    @cached_property
    def prediction_by_truth(self) -> Mapping[str, str]:
        """The model's label for each matched label of the dataset."""
        return {match.truth: match.prediction for match in self.matches}

    @cached_property
    def truth_by_prediction(self) -> Mapping[str, str]:
        """The dataset's label for each matched label of the model."""
        return {match.prediction: match.truth for match in self.matches}


def align_labels(truths: Iterable[str], predictions: Iterable[str], synonyms: bool = True) -> LabelAlignment:
    """Match the labels of a dataset with those of a model, one to one; duplicates are ignored."""
    return _align_cached(tuple(dict.fromkeys(truths)), tuple(dict.fromkeys(predictions)), synonyms)


@lru_cache(maxsize=4096)
def _align_cached(truths: tuple[str, ...], predictions: tuple[str, ...], synonyms: bool) -> LabelAlignment:
    match_by_truth: dict[str, LabelMatch] = {}
    unmatched = dict.fromkeys(predictions)
    for tier, key in TIERS if synonyms else TIERS[:-1]:
        candidates: dict[str, list[str]] = {}
        for prediction in unmatched:
            candidates.setdefault(key(prediction), []).append(prediction)
        for truth in truths:
            if truth not in match_by_truth and (equal := candidates.get(key(truth))):
                match_by_truth[truth] = LabelMatch(truth, equal.pop(0), tier)
                del unmatched[match_by_truth[truth].prediction]
    matches = tuple(match_by_truth[truth] for truth in truths if truth in match_by_truth)
    return LabelAlignment(
        matches,
        (*(match.truth for match in matches), *(truth for truth in truths if truth not in match_by_truth)),
        (*(match.prediction for match in matches), *unmatched),
    )


def labels_match(truth: str, prediction: str, synonyms: bool = True) -> bool:
    """Return whether two labels would be matched if there were no others."""
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
    """Return the English part of a bilingual label, and any other label unchanged."""
    other, slash, english = label.partition("/")
    return english.strip() if slash and english.strip() and EAST_ASIAN.search(other) else label


def display_label(label: str) -> str:
    """Return a label in English for display: `生气/angry` as angry, `<unk>` as unknown."""
    english = _english_part(_exact_key(label))
    return "unknown" if FAMILY_BY_WORD.get(english.casefold()) == "unknown" else english or label


def display_labels(labels: Sequence[str]) -> list[str]:
    """Return labels for display; labels that would look the same stay unchanged."""
    words = [display_label(label) for label in labels]
    return [label if words.count(word) > 1 else word for label, word in zip(labels, words, strict=True)]


def alignment_warnings(alignment: LabelAlignment) -> list[str]:
    """Return warnings about an alignment: few shared labels, or matches between synonyms."""
    truths, predictions = len(alignment.rows), len(alignment.columns)
    warnings = []
    if 2 * alignment.shared_count < min(truths, predictions):
        warnings.append(
            f"Only {alignment.shared_count} of the dataset's {truths} labels "
            f"({_format_labels(alignment.rows)}) match one of the model's {predictions} "
            f"({_format_labels(alignment.columns)}). Check that both are written as full words."
        )
    if synonyms := [match for match in alignment.matches if match.tier == "synonym"]:
        pairs = ", ".join(f"{match.truth} and {display_label(match.prediction)}" for match in synonyms)
        warnings.append(f"Counted as the same label although the words differ: {pairs}.")
    return warnings


def _format_labels(labels: Sequence[str], limit: int = 10) -> str:
    ellipsis = ", …" if len(labels) > limit else ""
    return ", ".join(map(display_label, labels[:limit])) + ellipsis
