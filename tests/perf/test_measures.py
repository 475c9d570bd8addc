from typing import Any

import numpy as np
import pytest

from auricle.perf.measures import (
    COST_MEASURES,
    POOLED_MEASURES,
    REQUEST_DEFINITIONS,
    RUN_DEFINITIONS,
    compute_measures,
    get_pooled_values,
)
from auricle.perf.request_records import RequestColumns, RequestRecord
from tests.support.simulated_servers import answered_request, request_measures, speech_request, streamed_request


def test_stream_is_timed_from_its_first_chunk_to_its_last() -> None:
    measures = request_measures(
        streamed_request(sent=1.0, due=0.7, first=0.2, gaps=(0.1,) * 9, output_tokens=19, input_tokens=40)
    )
    assert measures["queue_s"] == pytest.approx(0.3)
    assert measures["ttfb_s"] == pytest.approx(0.1)
    assert measures["ttft_s"] == measures["ttfc_s"] == pytest.approx(0.2)
    assert measures["latency_s"] == pytest.approx(1.1)
    assert measures["sched_ttft_s"] == pytest.approx(0.5)
    assert measures["sched_latency_s"] == pytest.approx(1.4)
    assert measures["tpot_s"] == pytest.approx(0.9 / 18)
    assert measures["ntpot_s"] == pytest.approx(1.1 / 19)
    assert measures["chunk_gap_max_s"] == pytest.approx(0.1)
    assert measures["prefill_tok_s"] == pytest.approx(200)


def test_late_usage_event_lengthens_the_response_but_not_the_latency() -> None:
    early, late = request_measures(streamed_request(tail=0.0)), request_measures(streamed_request(tail=1.0))
    assert late["latency_s"] == early["latency_s"]
    assert early["response_s"] is not None
    assert late["response_s"] == pytest.approx(early["response_s"] + 1.0)


def test_reasoning_counts_as_first_token_but_not_as_first_content() -> None:
    measures = request_measures(streamed_request(first=0.2, first_content=0.9))
    assert measures["ttft_s"] == pytest.approx(0.2)
    assert measures["ttfc_s"] == pytest.approx(0.9)


def test_response_without_streaming_has_no_first_token() -> None:
    measures = request_measures(answered_request(seconds=2.0, audio_seconds=8.0, output_tokens=10))
    assert measures["latency_s"] == measures["response_s"] == 2.0
    assert measures["rtf"] == 0.25
    assert measures["rtfx_request"] == 4.0
    assert measures["ntpot_s"] == pytest.approx(0.2)
    for name in ("ttft_s", "ttfc_s", "tpot_s", "chunk_gap_max_s", "ttfa_s", "gen_rtf"):
        assert measures[name] is None, name


def test_closed_loop_has_no_measures_from_the_due_time() -> None:
    measures = request_measures(streamed_request(first_audio=0.5))
    for name in ("queue_s", "sched_latency_s", "sched_ttft_s", "sched_ttfa_s"):
        assert measures[name] is None, name


@pytest.mark.parametrize("tokens", [None, 0, 1])
def test_time_per_output_token_needs_two_tokens(tokens: int | None) -> None:
    assert request_measures(streamed_request(output_tokens=tokens))["tpot_s"] is None


@pytest.mark.parametrize("tokens", [None, 0])
def test_normalised_time_per_token_needs_a_token(tokens: int | None) -> None:
    assert request_measures(streamed_request(output_tokens=tokens))["ntpot_s"] is None


def test_empty_stream_has_a_response_time_but_no_latency() -> None:
    measures = request_measures(RequestRecord(index=0, sample="a", sent=0.0, first_byte=0.1, done=0.4, streamed=True))
    assert measures["latency_s"] is None
    assert measures["response_s"] == pytest.approx(0.4)


@pytest.mark.parametrize("seconds", [None, 0.0])
def test_real_time_factor_needs_audio(seconds: float | None) -> None:
    measures = request_measures(answered_request(audio_seconds=seconds))
    assert measures["rtf"] is None
    assert measures["rtfx_request"] is None


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_only_successful_requests_have_measures(status: str) -> None:
    measures = request_measures(streamed_request(status=status, due=0.0, output_tokens=9, audio_seconds=3.0))
    assert set(measures.values()) == {None}


def test_audio_that_arrives_in_time_plays_without_a_pause() -> None:
    measures = request_measures(speech_request((0.5, 1.0), (0.9, 1.0), (2.4, 1.0)))
    assert measures["ttfa_s"] == 0.5
    assert measures["gen_rtf"] == pytest.approx(0.8)
    assert measures["underrun_max_s"] == measures["underrun_total_s"] == measures["min_prebuffer_s"] == 0


def test_late_audio_makes_the_player_pause() -> None:
    measures = request_measures(speech_request((0.5, 0.2), (0.9, 0.5), (1.7, 1.0), (1.8, 0.1)))
    assert measures["underrun_max_s"] == pytest.approx(0.3)
    assert measures["underrun_total_s"] == measures["min_prebuffer_s"] == pytest.approx(0.5)


def test_underruns_agree_with_a_player_simulated_step_by_step() -> None:
    generator = np.random.default_rng(0)
    records = []
    for _ in range(200):
        size = int(generator.integers(1, 30))
        times, lengths = np.cumsum(generator.exponential(0.1, size)), generator.exponential(0.1, size)
        records.append(speech_request(*zip(times.tolist(), lengths.tolist(), strict=True)))
    measures = compute_measures(RequestColumns.from_records(records))
    for row, record in enumerate(records):
        pauses, playback_end = [], record.spoken[0][0]
        for time, seconds in record.spoken:
            pauses.append(max(0.0, time - playback_end))
            playback_end = max(playback_end, time) + seconds
        assert measures["underrun_max_s"][row] == pytest.approx(max(pauses), abs=1e-6)
        assert measures["underrun_total_s"][row] == pytest.approx(sum(pauses), abs=1e-6)


def test_requests_without_audio_do_not_shift_the_others() -> None:
    records = [answered_request(), speech_request((0.5, 0.1), (0.9, 1.0)), answered_request()]
    measures = compute_measures(RequestColumns.from_records(records))
    assert np.isnan(measures["underrun_max_s"][[0, 2]]).all()
    assert measures["underrun_max_s"][1] == pytest.approx(0.3)


def test_every_measure_has_a_definition() -> None:
    assert set(request_measures(answered_request())) == set(REQUEST_DEFINITIONS) - POOLED_MEASURES


@pytest.mark.parametrize(("name", "values"), [("chunk_gap_s", [0.1, 0.2]), ("itl_s", [0.05])])
def test_pooled_measures_have_several_values_per_request(name: str, values: list[float]) -> None:
    fields: dict[str, Any] = {"gaps": (0.1, 0.2), "token_gaps": (0.05,)}
    columns = RequestColumns.from_records([streamed_request(**fields)])
    assert get_pooled_values(columns, name).flat.tolist() == values


def test_names_of_request_and_run_measures_do_not_overlap() -> None:
    assert not REQUEST_DEFINITIONS.keys() & RUN_DEFINITIONS.keys()
    assert REQUEST_DEFINITIONS.keys() >= POOLED_MEASURES
    assert RUN_DEFINITIONS.keys() >= {*COST_MEASURES}


def test_every_definition_has_a_text() -> None:
    assert all(definition.text for definition in (*REQUEST_DEFINITIONS.values(), *RUN_DEFINITIONS.values()))


def test_names_end_in_their_unit() -> None:
    for name, definition in {**REQUEST_DEFINITIONS, **RUN_DEFINITIONS}.items():
        if definition.unit == "s":
            assert name.endswith("_s"), name
        if definition.unit == "share":
            assert name.endswith(("_share", "_attainment")), name


def test_sizes_of_requests_and_answers_are_measures() -> None:
    fields: dict[str, Any] = {"input_tokens": 40, "output_tokens": 19, "output_chars": 55, "audio_seconds": 3.0}
    measures = request_measures(streamed_request(first=0.2, gaps=(0.1,) * 9, spoken=((0.4, 0.5), (0.6, 1.5)), **fields))
    assert (measures["input_tokens"], measures["output_tokens"], measures["output_chars"]) == (40, 19, 55)
    assert (measures["audio_in_s"], measures["audio_out_s"]) == (3.0, 2.0)
    assert measures["chars_s"] == pytest.approx(55 / 1.1)


def test_sizes_that_are_unknown_or_of_failed_requests_are_undefined() -> None:
    failed = request_measures(answered_request(status="failed", input_tokens=4, audio_seconds=1.0))
    assert failed["input_tokens"] is failed["audio_in_s"] is None
    empty = request_measures(answered_request(output_chars=0))
    assert empty["output_chars"] == 0
    assert empty["chars_s"] is empty["output_tokens"] is empty["audio_out_s"] is None


def test_call_has_the_share_of_answered_turns_and_its_pacing() -> None:
    call = answered_request(turns=4, answered_turns=3, pacing_p99=0.002, pacing_max=0.01)
    measures = request_measures(call)
    assert measures["answered_share"] == 0.75
    assert (measures["pacing_p99_s"], measures["pacing_max_s"]) == (0.002, 0.01)
    assert request_measures(answered_request())["answered_share"] is None


@pytest.mark.parametrize(("name", "field"), [("v2v_s", "voice_to_voice"), ("yield_s", "yields")])
def test_times_of_all_turns_of_calls_are_pooled(name: str, field: str) -> None:
    calls = [{"index": index, field: values} for index, values in enumerate([(0.9, -0.4), (), (1.1,)])]
    pooled = get_pooled_values(RequestColumns.from_records(calls), name)
    assert pooled.flat.tolist() == [0.9, -0.4, 1.1]
    assert pooled.counts.tolist() == [2, 0, 1]


def test_no_two_measures_share_a_title() -> None:
    titles = [definition.title for definition in (*REQUEST_DEFINITIONS.values(), *RUN_DEFINITIONS.values())]
    assert len({*titles}) == len(titles)
