"""Round-trip error rates: a recogniser transcribes spoken answers, and its transcript is compared with their text.

The text is the one that the model was asked to speak, or else the text of its own answer. The metrics send no requests
themselves: `judge_requests` returns those for the recogniser, and `score` reads its transcripts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from auricle.core.errors import Unreadable
from auricle.core.types import REFERENCE_INPUT, Generate, Output, Sample, Stat, Turn
from auricle.media import Audio
from auricle.metrics.base import Array, Details, Metric, RatioAggregator, Stats
from auricle.metrics.capabilities import Bounded, Judged, Restricted
from auricle.metrics.edit_counts import RATE, RATE_COUNT
from auricle.tasks.asr.error_rates import ErrorRate, pooled_error_rate, split_all_characters
from auricle.tasks.speech.metrics.outputs import find_recording, get_requested_text, list_spoken_outputs, require_audio
from auricle.tasks.speech.roles import RECOGNISER
from auricle.text import resolve_profile_name, split_words

INSTRUCTION = "Please transcribe the spoken content into written text."
"""What chat models are asked, as in speech recognition tasks; recognisers ignore it."""
PARITY_PROFILE = "seed-tts"


def make_transcription_request(audio: Audio) -> Generate:
    """Return the request to transcribe a recording."""
    return Generate(turns=(Turn("user", (audio, INSTRUCTION)),))


class RoundTrip(ErrorRate, Bounded, Judged):
    """A recogniser's errors on spoken answers per word or character, pooled over all answers."""

    judge_role = RECOGNISER

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
            stats.append(self.count(output.text, transcript))
        return tuple(map(sum, zip(*stats, strict=True)))

    def bounds(self, sample: Sample) -> tuple[Stat, Stat]:
        """Return the statistics of silence and of a perfect transcript of the text that was asked for."""
        return self.count_bounds(get_requested_text(sample) or "")

    def is_bounded(self, sample: Sample) -> bool:
        return get_requested_text(sample) is not None


class RoundTripFloor(RoundTrip, Restricted):
    """The same recogniser's errors on people who speak the same texts."""

    is_model_independent = True

    def judge_requests(self, sample: Sample, *_: Output) -> tuple[Generate, ...]:
        recording = find_recording(sample, (REFERENCE_INPUT,))
        return () if recording is None else (make_transcription_request(recording),)

    def score(self, sample: Sample, *_: Output, verdicts: Sequence[str] = ()) -> Stat:
        (transcript,) = verdicts
        return self.count(get_requested_text(sample) or "", transcript)

    def applies(self, sample: Sample) -> bool:
        return get_requested_text(sample) is not None and find_recording(sample, (REFERENCE_INPUT,)) is not None


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


def parity_metric(language: str) -> Metric:
    """Make the metric of seed-tts-eval: the mean of utterance rates, with its normaliser for a language.

    Missing speech counts as 100 %, while seed-tts-eval leaves it out.
    """
    code = "zh" if language.partition("-")[0] in ("zh", "yue") else "en"
    profile = resolve_profile_name(PARITY_PROFILE, code)
    errors = RoundTrip("round_trip_wer_mean", split_words, profile, title="Round-trip WER, utterance mean")
    return errors.replace(
        aggregate=UtteranceMean(),
        variant=errors.variant.replace("pooled", "utterance-mean", 1),
        profile="",  # it is part of the convention, and not that of the task
        with_profile=None,
        with_language=parity_metric,
    )


round_trip_wer = RoundTrip("round_trip_wer", split_words, "basic", title="Round-trip WER")
round_trip_cer = RoundTrip("round_trip_cer", split_all_characters, "basic", title="Round-trip CER")
round_trip_wer_mean = parity_metric("en")
round_trip_floor = RoundTripFloor("round_trip_floor", split_words, "basic", title="Round-trip WER of people")
round_trip = (round_trip_wer, round_trip_cer, round_trip_wer_mean, round_trip_floor)
