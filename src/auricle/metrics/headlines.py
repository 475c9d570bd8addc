"""Which metrics answer what people ask first; the others are folded on every page, and stored like these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auricle.metrics.catalogue import METRICS, PROFILE_MARK

MAX_UNFOLDED = 6
"""Metrics that are all shown, whatever they are."""
HEADLINES: Mapping[str, tuple[str, ...]] = {
    "labels": ("accuracy", "wa", "uar", "macro_f1", "option_accuracy", "word_match"),
    "dimensions": ("eta2", "ccc_arousal", "ccc_dominance", "ccc_valence"),
    "ratings": ("srcc",),
    "preference": (),
    "likelihood": ("acc", "token_perplexity", "word_perplexity"),
    "verification": ("eer", "min_dcf", "cllr"),
    "tagging": ("mean_ap", "lwlrap", "tag_f1"),
    "events.segment_based": ("segment_f1",),
    "events.event_based": ("event_f1",),
    "meetings.speakers": ("der", "speaker_count_accuracy"),
    "meetings.words": ("cpwer", "tcpwer"),
    "timestamps.words": ("start_error", "end_error", "boundary_recall_50ms", "word_coverage"),
    "timestamps.segmentation": ("segmentation_f1_50ms", "segmentation_r_value_50ms"),
    "timestamps.sanity": ("invalid_times",),
    "words.written_form": ("formatted_wer", "punctuation_f1", "capitalisation_f1"),
    "calls.latency": ("voice_to_voice", "voice_to_voice_p95"),
    "calls.turn_taking": ("response_rate", "barge_in_success", "agent_interruption"),
    "calls.playback": (),
    "calls.streaming": ("first_partial_delay", "finalisation_delay", "word_emission_delay", "unstable_partial_words"),
    "spoken.signal": (),
    "spoken.speed": ("time_to_first_audio", "synthesis_rtfx"),
    "spoken.full_reference": ("pesq_wb", "stoi"),
    "spoken.prosody": ("mcd", "f0_correlation"),
    "spoken.round_trip": ("round_trip_wer", "round_trip_floor"),
    "spoken.predicted_quality": ("dnsmos_ovrl", "distillmos"),
}
"""By module: its metrics that are shown unfolded. All are of modules that are not listed, and of other packages."""


def select_headlines(names: Sequence[str]) -> list[str]:
    """Return the metrics that are shown unfolded: the first, and those of `HEADLINES`, or all if they are few."""
    if len(names) <= MAX_UNFOLDED:
        return list(names)
    return [name for at, name in enumerate(names) if not at or is_headline(name)]


def is_headline(name: str) -> bool:
    """Return whether a metric is shown unfolded among many; `srcc.musicality` is as `srcc`, `wer@basic` as `wer`.

    >>> is_headline("uar"), is_headline("weighted_recall"), is_headline("srcc.musicality"), is_headline("mine")
    (True, False, True, True)
    """
    plain_name = name.partition(PROFILE_MARK)[0].partition(".")[0]
    builtin = METRICS.builtin.get(plain_name)
    module = builtin.path.partition(":")[0].removeprefix("auricle.metrics.") if builtin else ""
    return module not in HEADLINES or plain_name in HEADLINES[module]
