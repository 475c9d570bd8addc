"""Metrics of meetings against pyannote.metrics 4.2, md-eval v22 and meeteval 0.4.3, and identities between them.

`md-eval.json` has random turns with the seconds that `md-eval.pl` of Debian's sctk 2.4.10 prints for them. Their times
have two decimals, as many as it prints, so the numbers are exact. In the last ten, speakers overlap
themselves. Speakers with equal overlaps can be mapped in several ways: then pyannote's JER is one of several, and ours
the lowest.
"""

from __future__ import annotations

import itertools
import json
import random
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
from rapidfuzz.distance import Levenshtein

from auricle.core.types import Generation, Segment
from auricle.metrics.base import Metric
from auricle.tasks.asr.error_rates import count_errors, wer
from auricle.tasks.asr.words.segments import count_segment_errors
from auricle.tasks.meetings.metrics.diarisation import Scoring, Turns, compare_turns
from auricle.tasks.meetings.metrics.words import (
    FACTORIES,
    WordScoring,
    count_wrong_speakers,
    cpwer,
    dicpwer,
    orcwer,
    tcpwer,
)
from auricle.tasks.meetings.segment_files import Region, format_stm
from tests.support import paths
from tests.support.extras import require_extra
from tests.tasks.meetings.metrics.meetings import make_answer, make_sample

require_extra("oracles")
require_extra("meetings")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import meeteval
    from pyannote.core import Annotation, Timeline
    from pyannote.core import Segment as Interval
    from pyannote.metrics.diarization import DiarizationErrorRate, JaccardErrorRate

MD_EVAL: list[dict[str, Any]] = json.loads((paths.GOLDEN / "md-eval.json").read_text(encoding="utf-8"))
UEM = [Region(2.0, 7.5), Region(9.0, 20.125)]
RNG_CASES = 60


def to_turns(values: Sequence[Sequence[Any]]) -> Turns:
    return Turns.from_segments([Segment(start, end, "", speaker) for start, end, speaker in values])


@pytest.mark.parametrize("case", MD_EVAL, ids=range(len(MD_EVAL)))
def test_diarisation_errors_are_those_of_md_eval(case: dict[str, Any]) -> None:
    regions = case["uem"] and [Region(*region) for region in case["uem"]]
    ignored = [Region(*region) for region in case["ignored"]]
    scoring = Scoring(case["collar"], case["overlap"], "md-eval")
    comparison = compare_turns(to_turns(case["reference"]), to_turns(case["hypothesis"]), scoring, regions, ignored)
    assert comparison.sum_errors() == pytest.approx(tuple(case["errors"]), abs=1e-9)


# --- pyannote ------------------------------------------------------------------------------------


def make_turns(
    rng: random.Random, count: int, speakers: str, *, overlap_themselves: bool
) -> list[tuple[float, float, str]]:
    """Make turns in milliseconds; some follow each other without a gap, or overlap with one of the same speaker."""
    turns = []
    ends: dict[str, float] = {}
    for _ in range(count):
        speaker = rng.choice(speakers)
        start = round(ends.get(speaker, 0.0) + rng.choice([0, rng.randrange(1, 4000)]) / 1000, 3)
        if overlap_themselves:
            start = max(0.0, round(start - rng.randrange(3000) / 1000, 3))
        end = round(start + rng.randrange(1, 5000) / 1000, 3)
        ends[speaker] = max(end, ends.get(speaker, 0.0))
        turns.append((start, end, speaker))
    return turns


def to_annotation(turns: Sequence[tuple[float, float, str]]) -> Any:
    annotation = Annotation(uri="m")
    for number, (start, end, speaker) in enumerate(turns):
        annotation[Interval(start, end), number] = speaker
    return annotation


@pytest.mark.parametrize("overlap_themselves", [False, True])
def test_diarisation_and_jaccard_errors_are_those_of_pyannote(overlap_themselves: bool) -> None:
    rng = random.Random(1)
    ambiguous = 0
    for number in range(RNG_CASES):
        reference = make_turns(rng, rng.randrange(0, 15), "ABC", overlap_themselves=overlap_themselves)
        speakers = "12345"[: rng.randrange(1, 6)]
        hypothesis = make_turns(rng, rng.randrange(0, 15), speakers, overlap_themselves=overlap_themselves)
        collar, skips = rng.choice([0, 0, 0.25, 0.5, 0.1]), rng.random() < 0.4
        regions = UEM if number % 2 else None
        scoring = Scoring(collar, "skip" if skips else "score")
        ours = compare_turns(to_turns(reference), to_turns(hypothesis), scoring, regions)
        settings: dict[str, Any] = {
            "collar": 2 * collar,
            "skip_overlap": skips,
        }  # its collar is that of both sides together
        uem = Timeline([Interval(*region) for region in regions]) if regions else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it asks for a UEM
            der, jer = (
                metric(**settings).compute_components(to_annotation(reference), to_annotation(hypothesis), uem=uem)
                for metric in (DiarizationErrorRate, JaccardErrorRate)
            )
        names = ("missed detection", "false alarm", "confusion", "total")
        assert ours.sum_errors() == pytest.approx([der[name] for name in names], abs=1e-9)
        errors = ours.jaccard_errors()
        assert len(errors) == jer["speaker count"]
        assert sum(errors) <= jer["speaker error"] + 1e-9
        ambiguous += sum(errors) < jer["speaker error"] - 1e-9
    assert ambiguous < RNG_CASES / 10


# --- words ---------------------------------------------------------------------------------------


def make_words(rng: random.Random, speakers: str) -> str:
    """Make lines of `speaker start end words` in the order of time."""
    lines = []
    for start in range(rng.randrange(1, 7)):
        words = " ".join(rng.choice("abcd") for _ in range(rng.randrange(1, 5)))
        lines.append(f"{rng.choice(speakers)} {2 * start} {2 * start + 2} {words}")
    return "\n".join(lines)


def rate(metric: Metric, reference: str, answer: str) -> float:
    return metric.aggregate([metric.score(make_sample(reference), make_answer(answer))])


def list_streams(lines: str) -> dict[str, list[str]]:
    streams: dict[str, list[str]] = {}
    for line in lines.splitlines():
        speaker, _, _, *words = line.split()
        streams.setdefault(speaker, []).extend(words)
    return streams


def find_lowest_errors(reference: str, answer: str) -> int:
    """Try every mapping of speakers."""
    sides = [list(list_streams(lines).values()) for lines in (reference, answer)]
    size = max(map(len, sides))
    first, second = ([*side, *([[]] * (size - len(side)))] for side in sides)
    return min(
        sum(Levenshtein.distance(words, others) for words, others in zip(first, order, strict=True))
        for order in itertools.permutations(second)
    )


@pytest.mark.parametrize("seed", range(40))
def test_identities_between_word_error_rates(seed: int) -> None:
    rng = random.Random(seed)
    reference, answer = make_words(rng, "AB"), make_words(rng, "123")
    length = sum(map(len, list_streams(reference).values()))
    cp = rate(cpwer, reference, answer)
    assert cp == pytest.approx(find_lowest_errors(reference, answer) / length, abs=1e-12)
    assert rate(orcwer, reference, answer) <= cp
    assert rate(dicpwer, reference, answer) <= cp
    assert rate(tcpwer, reference, answer) >= cp
    assert rate(FACTORIES["tcpwer"](WordScoring(time_collar=10_000)), reference, answer) == cp
    renamed = answer.translate(str.maketrans("123", "312"))
    assert rate(cpwer, reference, renamed) == cp


@pytest.mark.parametrize("seed", range(10))
def test_one_speaker_has_the_ordinary_error_rate(seed: int) -> None:
    rng = random.Random(seed)
    reference, answer = make_words(rng, "A"), make_words(rng, "1")
    sample, output = make_sample(reference), make_answer(answer)
    assert rate(cpwer, reference, answer) == wer.aggregate([wer.score(sample, output)])


@pytest.mark.parametrize(
    ("name", "function"),
    [("cpwer", "cpwer"), ("tcpwer", "tcpwer"), ("orcwer", "greedy_orcwer"), ("dicpwer", "greedy_dicpwer")],
)
def test_files_of_words_have_the_errors_of_meeteval(name: str, function: str) -> None:
    rng = random.Random(5)
    pairs = {f"m{number}": (make_words(rng, "ABC"), make_words(rng, "1234")) for number in range(8)}
    segments = {
        session: (make_answer(reference).segments or (), make_answer(answer).segments or ())
        for session, (reference, answer) in pairs.items()
    }
    files = [
        meeteval.io.STM.parse(format_stm({session: sides[side] for session, sides in segments.items()}))
        for side in (0, 1)
    ]
    settings = {"collar": 5} if name == "tcpwer" else {}
    theirs = getattr(meeteval.wer, function)(*files, **settings)
    metric = FACTORIES[name](WordScoring())
    for session, (reference, answer) in pairs.items():
        stat: Any = metric.score(make_sample(reference), make_answer(answer))
        expected = theirs[session]
        counts = expected.substitutions, expected.deletions, expected.insertions, expected.length
        assert stat[:4] == counts


def test_exact_and_greedy_assignments_agree_on_small_cases() -> None:
    # ORC: the utterances `a b`, `c d` and `e f` against the streams `a b e f` and `c x`.
    reference, answer = "A 0 2 a b\nA 2 4 c d\nA 4 6 e f", "1 0 6 a b e f\n2 2 4 c x"
    assert rate(orcwer, reference, answer) == pytest.approx(1 / 6)
    exact = meeteval.wer.orc_word_error_rate(["a b", "c d", "e f"], ["a b e f", "c x"])
    assert (exact.errors, exact.length, exact.assignment) == (1, 6, (0, 1, 0))


@pytest.mark.parametrize("seed", range(20))
def test_the_errors_of_segments_add_up_to_those_of_the_recording(seed: int) -> None:
    rng = random.Random(seed)
    words = [rng.choice("abcd") for _ in range(40)]
    hypothesis = [rng.choice([word, word, word, "x", ""]) for word in words]
    hypothesis = [word for word in hypothesis if word] + ["y"] * rng.randrange(3)
    whole = count_errors(words, hypothesis)
    for size in (1, 3, 40):
        counts = count_segment_errors([words[at : at + size] for at in range(0, 40, size)], hypothesis)
        assert tuple(map(sum, zip(*counts, strict=True))) == (*whole, 40)


def test_the_wrong_speakers_are_those_of_the_best_map() -> None:
    rng = random.Random(2)
    for _ in range(30):
        reference = [(word, rng.choice("AB")) for word in "abcdefgh"]
        answer = [(word, rng.choice("123")) for word in "abcdefgh"]
        wrong, aligned = count_wrong_speakers(reference, answer)
        maps = itertools.permutations("123", 2)
        best = max(
            sum(
                dict(zip("AB", names, strict=True))[expected] == actual
                for (_, expected), (_, actual) in zip(reference, answer, strict=True)
            )
            for names in maps
        )
        assert (wrong, aligned) == (8 - best, 8)


def test_a_text_of_segments_is_scored_like_reported_ones() -> None:
    reference, answer = "A 0 2 a b\nB 2 4 c d", "1 0 2 a b\n2 2 4 c x"
    text = Generation(text=format_stm({"m": make_answer(answer).segments or ()}))
    for metric in (cpwer, tcpwer, orcwer, dicpwer):
        assert metric.score(make_sample(reference), text) == metric.score(make_sample(reference), make_answer(answer))
