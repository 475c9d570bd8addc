"""Round-trip error rates: a recogniser transcribes spoken answers, and its transcript is compared with their text.

The text is the one that the model was asked to speak, or else the text of its own answer. The metrics send no requests
themselves: `judge_requests` returns those for the recogniser, and `score` reads its transcripts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from auricle.core.errors import Unreadable
from auricle.core.types import REFERENCE_INPUT, Generate, Generation, Output, Sample, Stat, Turn
from auricle.media import Audio
from auricle.metrics.base import Array, Details, Metric, RatioAggregator, Stats
from auricle.metrics.edit_counts import RATE, RATE_COUNT
from auricle.tasks.asr.error_rates import error_rate_metric, pooled_error_rate, split_all_characters
from auricle.tasks.speech.metrics.outputs import find_recording, get_requested_text, list_spoken_outputs, require_audio
from auricle.tasks.speech.roles import RECOGNISER
from auricle.text import resolve_profile_name, split_words

if TYPE_CHECKING:
    from auricle.tasks.asr.error_rates import Tokenizer

INSTRUCTION = "Please transcribe the spoken content into written text."
"""What chat models are asked, as in speech recognition tasks; recognisers ignore it."""
PARITY_PROFILE = "seed-tts"


def make_transcription_request(audio: Audio) -> Generate:
    """Return the request to transcribe a recording."""
    return Generate(turns=(Turn("user", (audio, INSTRUCTION)),))


@dataclass(frozen=True, slots=True)
class RoundTripScorer:
    """Builds the requests for a recogniser, and counts the errors of its transcripts.

    Args:
        errors: Error rate that compares two texts; its statistics can be added up.
    """

    errors: Metric

    def judge_requests(self, sample: Sample, *outputs: Output) -> tuple[Generate, ...]:
        """Return a request for each utterance."""
        spoken = list_spoken_outputs(sample, outputs)
        if get_requested_text(sample) is None:
            require_audio(spoken)
        return tuple(make_transcription_request(audio) for output in spoken for audio in output.utterances)

    def score(self, sample: Sample, *outputs: Output, verdicts: Sequence[str] = ()) -> Stat:
        """Count the errors of all outputs. Speech that was asked for and is missing has all its words deleted."""
        transcripts = iter(verdicts)
        is_requested = get_requested_text(sample) is not None
        stats = []
        for output in list_spoken_outputs(sample, outputs):
            if output.audio is None and not is_requested:
                continue
            transcript = " ".join(islice(transcripts, len(output.utterances)))
            if not output.text.strip():
                raise Unreadable("the answer has no text that its speech could be compared with")
            stats.append(self._count(output.text, transcript))
        return tuple(map(sum, zip(*stats, strict=True)))

    def bounds(self, sample: Sample) -> tuple[Stat, Stat]:
        """Return the statistics of silence and of a perfect transcript of the text that was asked for."""
        text = get_requested_text(sample) or ""
        return self._count(text, ""), self._count(text, text)

    def _count(self, text: str, transcript: str) -> tuple[float, ...]:
        """Return the error counts of one transcript."""
        counts: tuple[float, ...] = self.errors.score(  # type: ignore[assignment]  # a tuple of numbers
            Sample(id="", inputs={}, target=text), Generation(text=transcript)
        )
        return counts


@dataclass(frozen=True, slots=True)
class FloorScorer(RoundTripScorer):
    """Does the same for the recordings of people who speak the same texts."""

    def judge_requests(self, sample: Sample, *_: Output) -> tuple[Generate, ...]:
        recording = find_recording(sample, (REFERENCE_INPUT,))
        return () if recording is None else (make_transcription_request(recording),)

    def score(self, sample: Sample, *_: Output, verdicts: Sequence[str] = ()) -> Stat:
        (transcript,) = verdicts
        return self._count(get_requested_text(sample) or "", transcript)


class UtteranceMean(RatioAggregator):
    """The unweighted mean of the error rates of utterances; those without reference words have none."""

    def __init__(self) -> None:
        super().__init__((RATE,), RATE_COUNT)

    def detail_columns(self, stats: Stats) -> Array:
        return pooled_error_rate.detail_columns(stats)

    def describe_totals(self, totals: Array, detail_totals: Array) -> Details:
        """Return the counts of errors, and the pooled rate beside the mean."""
        counts = dict(pooled_error_rate.describe_totals(totals, detail_totals))
        del counts["utterance_mean"]
        return {**counts, "pooled": float(pooled_error_rate.finish_each(totals[None])[0])}


def round_trip_metric(name: str, title: str, tokenize: Tokenizer, profile: str) -> Metric:
    """Make a metric of a recogniser's errors on spoken answers per word or character, pooled over all answers."""
    errors = error_rate_metric(name, tokenize, profile)
    scorer = RoundTripScorer(errors)
    return errors.replace(
        title=title,
        score=scorer.score,
        bounds=scorer.bounds,
        is_bounded=lambda sample: get_requested_text(sample) is not None,
        judge_requests=scorer.judge_requests,
        judge_role=RECOGNISER,
        with_profile=partial(round_trip_metric, name, title, tokenize),
        tokenize=None,  # a difference would compare the texts of sample and answer, not the transcript
        read_answer=None,
    )


def floor_metric(profile: str) -> Metric:
    """Make the metric of the same recogniser's errors on people who speak the same texts."""
    name, title = "round_trip_floor", "Round-trip WER of people"
    errors = round_trip_metric(name, title, split_words, profile)
    scorer = FloorScorer(error_rate_metric(name, split_words, profile))
    return errors.replace(
        score=scorer.score,
        judge_requests=scorer.judge_requests,
        with_profile=floor_metric,
        applies=_has_human_speech,
        is_model_independent=True,
    )


def _has_human_speech(sample: Sample) -> bool:
    return get_requested_text(sample) is not None and find_recording(sample, (REFERENCE_INPUT,)) is not None


def parity_metric(language: str) -> Metric:
    """Make the metric of seed-tts-eval: the mean of utterance rates, with its normaliser for a language.

    Missing speech counts as 100 %, while seed-tts-eval leaves it out.
    """
    code = "zh" if language.partition("-")[0] in ("zh", "yue") else "en"
    profile = resolve_profile_name(PARITY_PROFILE, code)
    errors = round_trip_metric("round_trip_wer_mean", "Round-trip WER, utterance mean", split_words, profile)
    with_language: Callable[[str], Metric] = parity_metric
    return errors.replace(
        aggregate=UtteranceMean(),
        variant=errors.variant.replace("pooled", "utterance-mean", 1),
        profile="",  # it is part of the convention, and not that of the task
        with_profile=None,
        with_language=with_language,
    )


round_trip_wer = round_trip_metric("round_trip_wer", "Round-trip WER", split_words, "basic")
round_trip_cer = round_trip_metric("round_trip_cer", "Round-trip CER", split_all_characters, "basic")
round_trip_wer_mean = parity_metric("en")
round_trip_floor = floor_metric("basic")
round_trip = (round_trip_wer, round_trip_cer, round_trip_wer_mean, round_trip_floor)
