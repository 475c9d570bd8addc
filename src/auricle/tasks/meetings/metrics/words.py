"""Word error rates of recordings with several speakers, computed with meeteval, and of long recordings.

Words are counted after normalising. All rates are pooled: errors and words are added up over all recordings.
"""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import Levenshtein

from auricle.core.errors import AnswerMismatch, MissingExtra, Unreadable
from auricle.core.types import Generation, Sample, Segment
from auricle.metrics.base import Array, Details, Metric, RatioAggregator
from auricle.metrics.capabilities import Bounded, Localized, Profiled, Restricted
from auricle.metrics.edit_counts import LENGTH
from auricle.tasks.asr.error_rates import EditErrors, Tokenizer
from auricle.tasks.asr.words.segments import count_segment_errors
from auricle.tasks.meetings.metrics.turns import read_answer, read_plain_text, read_reference, read_speakers
from auricle.tasks.meetings.segment_files import to_exact
from auricle.text import get_profile, split_mixed, split_words

if TYPE_CHECKING:
    from meeteval.io import SegLST

UNSPACED_LANGUAGES = ("zh", "yue", "ja", "th", "lo", "km", "my")
"""Languages whose characters are counted, because words are not separated."""
MEETEVAL_LOGGERS = ("preprocess", "time_constrained")
MAX_SPEAKERS = 20
"""Most speakers of a recording that meeteval accepts."""
TIME_COLLAR = 5.0
"""Seconds by which the times of two words may differ if they are to match in tcpWER."""
Counts = tuple[int, int, int, int]
"""Substitutions, deletions, insertions, and words of the reference."""


@dataclass(frozen=True, slots=True)
class WordScoring:
    """How texts are split into words, and when two words may match.

    Args:
        profile: Name of the text normaliser.
        language: Language of the texts, by its code; characters are counted if it does not separate words.
        time_collar: Seconds by which times may differ in tcpWER.
    """

    profile: str = "basic"
    language: str = ""
    time_collar: float = TIME_COLLAR

    @property
    def _tokenize(self) -> Tokenizer:
        return split_mixed if self.language in UNSPACED_LANGUAGES else split_words

    @property
    def variant(self) -> str:
        unit = "mixed." if self.language in UNSPACED_LANGUAGES else ""
        return f"{unit}{get_profile(self.profile).signature}"

    def split(self, text: str) -> list[str]:
        """Return the normalised words of a text."""
        return list(self._tokenize(get_profile(self.profile).apply(text)))


class WordMetric(Metric, Profiled, Localized, Restricted):
    """A metric of the words of meetings, pooled over all recordings."""

    higher_is_better, unit = False, "share"
    needs_reference_speakers = True
    """Whether the words of the reference need speakers."""

    def __init__(self, scoring: WordScoring, *conventions: str) -> None:
        super().__init__(variant=".".join(("pooled", *conventions, scoring.variant)), profile=scoring.profile)
        self.scoring = scoring

    def applies(self, sample: Sample) -> bool:
        reference = read_reference(sample)
        return reference.has_words and (reference.has_speakers or not self.needs_reference_speakers)

    def with_profile(self, profile: str) -> Metric:
        return type(self)(replace(self.scoring, profile=profile))

    def with_language(self, language: str) -> Metric:
        return type(self)(replace(self.scoring, language=language))


class WordErrorRate(WordMetric, EditErrors, Bounded):
    """A word error rate with speakers, as a function of meeteval computes it."""

    needs_speakers = True
    """Whether the words of the answer need speakers."""

    def rate(self, reference: SegLST, answer: SegLST) -> Any:
        """Return what meeteval counts."""
        raise NotImplementedError

    def score(self, sample: Sample, output: Generation) -> tuple[float, ...]:
        answer = read_words(output, needs_speakers=self.needs_speakers)
        selected = _select_scored(sample, answer)
        _check_speaker_count(*selected)
        result = self.rate(*(_to_seglst(side, self.scoring) for side in selected))
        return _to_stat((result.substitutions, result.deletions, result.insertions, result.length))

    def bounds(self, sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
        length = sum(len(self.scoring.split(segment.text)) for segment in _select_scored(sample, ())[0])
        return _to_stat((0, length, 0, length)), _to_stat((0, 0, 0, length))


def _to_stat(counts: Counts) -> tuple[float, ...]:
    """Return counts with the rate of the recording, in the columns of an error rate."""
    length = counts[LENGTH]
    return (*map(float, counts), sum(counts[:LENGTH]) / length if length else 0.0, float(length > 0))


def read_words(output: Generation, *, needs_speakers: bool = False) -> tuple[Segment, ...]:
    """Return the segments of an answer with words.

    Raises:
        AnswerMismatch: if none of its segments has any.
    """
    segments = read_speakers(output) if needs_speakers else read_answer(output)
    if segments and not any(segment.text for segment in segments):
        raise AnswerMismatch("the answer has turns without words")
    return segments


def _select_scored(sample: Sample, answer: Sequence[Segment]) -> tuple[list[Segment], list[Segment]]:
    """Return the segments of both sides whose middle is scored."""
    reference = read_reference(sample)
    expected, actual = (list(filter(reference.is_scored, side)) for side in (reference.segments or (), answer))
    return expected, actual


def _check_speaker_count(*sides: Sequence[Segment]) -> None:
    """Raise `Unreadable` if a side has more speakers than meeteval accepts."""
    for name, segments in zip(("reference", "answer"), sides, strict=True):
        count = len({segment.speaker for segment in segments})
        if count > MAX_SPEAKERS:
            raise Unreadable(f"the {name} has {count} speakers; metrics of words accept up to {MAX_SPEAKERS}")


def _to_seglst(segments: Sequence[Segment], scoring: WordScoring) -> SegLST:
    return _load_meeteval().io.SegLST(
        [
            {
                "session_id": "",
                "speaker": segment.speaker,
                "start_time": to_exact(segment.start),
                "end_time": to_exact(segment.end),
                "words": " ".join(scoring.split(segment.text)),
            }
            for segment in segments
        ]
    )


def _load_meeteval() -> Any:
    try:
        import meeteval
    except ImportError as error:
        raise MissingExtra("Scoring the words of several speakers", "meetings") from error
    return meeteval


def _compute(function: str, reference: SegLST, hypothesis: SegLST, **settings: Any) -> Any:
    """Call a function of meeteval without its remarks on unusual data, which it would repeat for every recording."""
    compute = getattr(_load_meeteval().wer, function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in MEETEVAL_LOGGERS:
            logging.getLogger(name).setLevel(logging.ERROR)
        return compute(reference, hypothesis, **settings)


class CpWer(WordErrorRate):
    name, title = "cpwer", "cpWER"

    def rate(self, reference: SegLST, answer: SegLST) -> Any:
        return _compute("cp_word_error_rate", reference, answer)


class TcpWer(WordErrorRate):
    name, title = "tcpwer", "tcpWER"

    def __init__(self, scoring: WordScoring) -> None:
        super().__init__(scoring, f"collar-{scoring.time_collar:g}")

    def rate(self, reference: SegLST, answer: SegLST) -> Any:
        function = "time_constrained_minimum_permutation_word_error_rate"
        return _compute(function, reference, answer, collar=to_exact(self.scoring.time_collar))


class OrcWer(WordErrorRate):
    name, title = "orcwer", "ORC-WER"
    needs_reference_speakers = needs_speakers = False

    def __init__(self, scoring: WordScoring) -> None:
        super().__init__(scoring, "greedy")

    def rate(self, reference: SegLST, answer: SegLST) -> Any:
        return _compute("greedy_orc_word_error_rate", reference, answer)


class DiCpWer(WordErrorRate):
    name, title = "dicpwer", "DI-cpWER"
    needs_speakers = False

    def __init__(self, scoring: WordScoring) -> None:
        super().__init__(scoring, "greedy")

    def rate(self, reference: SegLST, answer: SegLST) -> Any:
        return _compute("greedy_di_cp_word_error_rate", reference, answer)


# --- one alignment of the whole recording --------------------------------------------------------


def _order(segments: Sequence[Segment], scoring: WordScoring) -> list[tuple[str, str]]:
    """Return the words of all segments with their speakers, in the order of the segments' starts."""
    ordered = sorted(segments, key=lambda segment: segment.start)
    return [(word, segment.speaker) for segment in ordered for word in scoring.split(segment.text)]


def count_wrong_speakers(
    reference: Sequence[tuple[str, str]], hypothesis: Sequence[tuple[str, str]]
) -> tuple[int, int]:
    """Return how many aligned words have the wrong speaker, and how many words are aligned.

    Words are aligned at the lowest cost; speakers are mapped such that as many as possible agree.

    Args:
        reference: Words with their speakers, in order.
        hypothesis: Words of the answer with their speakers.
    """
    import numpy as np

    from auricle.tasks.meetings.metrics.diarisation import assign

    pairs: Counter[tuple[str, str]] = Counter()
    words = [word for word, _ in reference], [word for word, _ in hypothesis]
    for code in Levenshtein.opcodes(*words):
        if code.tag in ("equal", "replace"):
            spans = zip(range(code.src_start, code.src_end), range(code.dest_start, code.dest_end), strict=True)
            pairs.update((reference[first][1], hypothesis[second][1]) for first, second in spans)
    rows, columns = (sorted({pair[side] for pair in pairs}) for side in (0, 1))
    counts = np.array([[pairs[row, column] for column in columns] for row in rows], dtype=np.float64)
    right = sum(int(counts[pair]) for pair in assign(counts.reshape(len(rows), len(columns))))
    return pairs.total() - right, pairs.total()


def _count_details(*names: str) -> Callable[[Array], Details]:
    return lambda totals: {name: int(total) for name, total in zip(names, totals, strict=False)}


class WrongSpeakers(WordMetric):
    """The share of recognised words that have the wrong speaker."""

    name, title = "wder", "WDER"
    aggregate = RatioAggregator((0,), 1, _count_details("wrong_speaker", "aligned_words"), is_share=True)

    def score(self, sample: Sample, output: Generation) -> tuple[float, float]:
        expected, actual = _select_scored(sample, read_words(output, needs_speakers=True))
        wrong, aligned = count_wrong_speakers(_order(expected, self.scoring), _order(actual, self.scoring))
        return float(wrong), float(aligned)


class SegmentErrors(WordMetric):
    """The share of reference segments in which a word is wrong."""

    name, title = "segment_errors", "Segments with errors"
    aggregate = RatioAggregator((0,), 1, _count_details("with_errors", "segments"), is_share=True)
    needs_reference_speakers = False

    def __init__(self, scoring: WordScoring) -> None:
        super().__init__(scoring, "cut")

    def score(self, sample: Sample, output: Generation) -> tuple[float, float]:
        if output.segments:
            read_words(output)
        segments = sorted(_select_scored(sample, ())[0], key=lambda segment: segment.start)
        words = [self.scoring.split(segment.text) for segment in segments]
        counts = count_segment_errors(words, self.scoring.split(read_plain_text(output)))
        spoken = [edits for edits in counts if edits[LENGTH]]
        return float(sum(any(edits[:LENGTH]) for edits in spoken)), float(len(spoken))


FACTORIES: Mapping[str, Callable[[WordScoring], Metric]] = {
    kind.name: kind for kind in (CpWer, TcpWer, OrcWer, DiCpWer, WrongSpeakers, SegmentErrors)
}
"""The metrics as functions of how words are scored."""

cpwer, tcpwer, orcwer, dicpwer, wder, segment_errors = (FACTORIES[name](WordScoring()) for name in FACTORIES)
