from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.core.errors import DataError
from auricle.models.http.timing import RequestTimer, streamed_token_count
from auricle.models.http.upload_body import TIMED_THRESHOLD, prepare_upload
from auricle.perf.definitions import POOLED_MEASURES
from auricle.perf.measures import REQUEST_DEFINITIONS, compute_measures, compute_record_measures
from auricle.perf.request_columns import RequestColumns
from auricle.perf.request_record import RequestRecord
from tests.support.simulated_servers import answered, streamed


def speaking(*pieces: Any) -> Any:
    """An answer of sound: when each piece came, and how long it is."""
    return RequestRecord(index=0, sample="a", sent=0.0, first_audio=pieces[0][0], done=pieces[-1][0], spoken=pieces)


def test_a_stream_is_timed_from_its_first_piece_to_its_last() -> None:
    found = compute_record_measures(
        streamed(sent=1.0, due=0.7, first=0.2, gaps=(0.1,) * 9, output_tokens=19, input_tokens=40)
    )
    assert found["queue_s"] == pytest.approx(0.3)
    assert found["ttfb_s"] == pytest.approx(0.1)
    assert found["ttft_s"] == found["ttfc_s"] == pytest.approx(0.2)
    assert found["latency_s"] == pytest.approx(1.1)
    assert found["sched_ttft_s"] == pytest.approx(0.5)
    assert found["sched_latency_s"] == pytest.approx(1.4)
    assert found["tpot_s"] == pytest.approx(0.9 / 18)
    assert found["ntpot_s"] == pytest.approx(1.1 / 19)
    assert found["chunk_gap_max_s"] == pytest.approx(0.1)
    assert found["prefill_tok_s"] == pytest.approx(200)


def test_a_late_usage_event_lengthens_the_response_and_not_the_latency() -> None:
    early, late = (compute_record_measures(streamed(tail=0.0)), compute_record_measures(streamed(tail=1.0)))
    assert late["latency_s"] == early["latency_s"]
    assert late["response_s"] == pytest.approx(early["response_s"] + 1.0)


def test_reasoning_stops_the_clock_of_the_first_token_only() -> None:
    found = compute_record_measures(streamed(first=0.2, first_content=0.9))
    assert found["ttft_s"] == pytest.approx(0.2)
    assert found["ttfc_s"] == pytest.approx(0.9)


def test_an_answer_that_came_whole_has_no_first_token() -> None:
    found = compute_record_measures(answered(seconds=2.0, audio_seconds=8.0, output_tokens=10))
    assert found["latency_s"] == found["response_s"] == 2.0
    assert found["rtf"] == 0.25
    assert found["rtfx_request"] == 4.0
    assert found["ntpot_s"] == pytest.approx(0.2)
    for name in ("ttft_s", "ttfc_s", "tpot_s", "chunk_gap_max_s", "ttfa_s", "gen_rtf"):
        assert found[name] is None, name


def test_in_a_closed_loop_nothing_is_late() -> None:
    found = compute_record_measures(streamed(first_audio=0.5))
    for name in ("queue_s", "sched_latency_s", "sched_ttft_s", "sched_ttfa_s"):
        assert found[name] is None, name


@pytest.mark.parametrize("tokens", [None, 0, 1])
def test_too_few_or_unknown_tokens_have_no_pace(tokens: int | None) -> None:
    assert compute_record_measures(streamed(output_tokens=tokens))["tpot_s"] is None


@pytest.mark.parametrize("tokens", [None, 0])
def test_no_token_is_no_divisor(tokens: int | None) -> None:
    assert compute_record_measures(streamed(output_tokens=tokens))["ntpot_s"] is None


def test_an_empty_stream_has_no_latency_but_a_response() -> None:
    empty = RequestRecord(index=0, sample="a", sent=0.0, first_byte=0.1, done=0.4, streamed=True)
    found = compute_record_measures(empty)
    assert found["latency_s"] is None
    assert found["response_s"] == pytest.approx(0.4)


@pytest.mark.parametrize("seconds", [None, 0.0])
def test_without_sound_there_is_no_real_time_factor(seconds: float | None) -> None:
    found = compute_record_measures(answered(audio_seconds=seconds))
    assert found["rtf"] is None
    assert found["rtfx_request"] is None


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_only_what_ended_well_is_measured(status: str) -> None:
    found = compute_record_measures(streamed(status=status, due=0.0, output_tokens=9, audio_seconds=3.0))
    assert set(found.values()) == {None}


def test_sound_that_comes_in_time_is_played_without_a_break() -> None:
    found = compute_record_measures(speaking((0.5, 1.0), (0.9, 1.0), (2.4, 1.0)))
    assert found["ttfa_s"] == 0.5
    assert found["gen_rtf"] == pytest.approx(0.8)
    assert found["underrun_max_s"] == found["underrun_total_s"] == found["min_prebuffer_s"] == 0


def test_a_player_waits_for_sound_that_comes_late() -> None:
    found = compute_record_measures(speaking((0.5, 0.2), (0.9, 0.5), (1.7, 1.0), (1.8, 0.1)))
    assert found["underrun_max_s"] == pytest.approx(0.3)
    assert found["underrun_total_s"] == found["min_prebuffer_s"] == pytest.approx(0.5)


def test_the_player_agrees_with_one_that_plays_step_by_step() -> None:
    dice = np.random.default_rng(0)
    many = []
    for _ in range(200):
        size = int(dice.integers(1, 30))
        at, seconds = np.cumsum(dice.exponential(0.1, size)), dice.exponential(0.1, size)
        many.append(speaking(*zip(at.tolist(), seconds.tolist(), strict=True)))
    found = compute_measures(RequestColumns.from_records(many))
    for row, each in enumerate(many):
        waits, ends = [], each.spoken[0][0]
        for at, seconds in each.spoken:
            waits.append(max(0.0, at - ends))
            ends = max(ends, at) + seconds
        assert found["underrun_max_s"][row] == pytest.approx(max(waits), abs=1e-6)
        assert found["underrun_total_s"][row] == pytest.approx(sum(waits), abs=1e-6)


def test_one_request_without_sound_does_not_shift_the_others() -> None:
    found = compute_measures(RequestColumns.from_records([answered(), speaking((0.5, 0.1), (0.9, 1.0)), answered()]))
    assert np.isnan(found["underrun_max_s"][[0, 2]]).all()
    assert found["underrun_max_s"][1] == pytest.approx(0.3)


def test_every_measure_is_defined() -> None:
    assert set(compute_record_measures(answered())) == set(REQUEST_DEFINITIONS) - POOLED_MEASURES
    assert all(each.text for each in REQUEST_DEFINITIONS.values())


def test_columns_read_back_what_was_written(tmp_path: Path) -> None:
    said = [
        streamed(0, due=0.0, output_tokens=3, finish="stop", body="x"),
        answered(1, status="failed", error="Transient: HTTP 503", user=4),
        speaking((0.5, 0.25), (1.0, 0.5)),
    ]
    path = tmp_path / "requests.jsonl"
    path.write_bytes(b"".join(each.to_json_line() for each in said) + b'{"index": 3, "sam')
    found, direct = RequestColumns.read(path), RequestColumns.from_records(said)
    assert len(found) == 3
    for name, values in compute_measures(direct).items():
        np.testing.assert_allclose(compute_measures(found)[name], values, atol=2e-5, err_msg=name)
    assert found.categorical["error"].categories == ("", "Transient: HTTP 503")
    assert found["user"].tolist()[1] == 4
    assert np.isnan(found["user"][0])


def test_a_damaged_line_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_bytes(answered().to_json_line() + b"{broken\n" + answered(1).to_json_line())
    with pytest.raises(DataError, match="Line 2 of the requests is damaged"):
        RequestColumns.read(path)


def test_silence_before_speech_is_sound_but_not_audible() -> None:
    mark = RequestTimer()
    mark.start()
    mark.record_chunk("audio", _pcm(0, 50))
    assert mark.first_audio is not None
    assert mark.first_audible is None
    mark.record_chunk("audio", _pcm(0, -2000))
    assert mark.first_audible == mark.last_content > mark.first_audio


def _pcm(*samples: Any) -> Any:
    return b64encode(np.array(samples, dtype="<i2").tobytes()).decode()


def test_tokens_take_the_time_from_one_count_to_the_next() -> None:
    mark, at = RequestTimer(), []
    for tokens in (1, 4, 4, None, 6):  # an event may hold several tokens, none, or not tell
        mark.record_chunk("text")
        at.append(mark.last_content)
        if tokens is not None:
            mark.record_token_count(tokens)
    assert mark.token_gaps == [(at[1] - at[0]) / 3, (at[4] - at[1]) / 2]


def test_a_count_before_any_part_of_the_answer_is_none() -> None:
    mark = RequestTimer()
    mark.record_token_count(3)
    mark.record_chunk("text")
    mark.record_token_count(4)
    assert mark.token_gaps == []


@pytest.mark.parametrize(
    ("event", "tokens"),
    [
        ({"choices": [{}], "usage": {"completion_tokens": 3}}, 3),
        ({"choices": [], "usage": {"completion_tokens": 3}}, None),
        ({"choices": [{}], "usage": None}, None),
        ({"choices": [{}], "usage": {"completion_tokens": None}}, None),
        ({"choices": [{}]}, None),
    ],
)
def test_tokens_are_counted_where_an_event_with_words_tells_them(event: Any, tokens: int | None) -> None:
    assert streamed_token_count(event) == tokens


def test_sound_that_is_no_base64_is_never_audible() -> None:
    mark = RequestTimer()
    mark.record_chunk("audio", "?")
    assert mark.first_audible is None


def test_a_large_body_tells_when_its_last_piece_is_taken() -> None:
    told = []
    body = prepare_upload(bytes(3 * TIMED_THRESHOLD), lambda: told.append(body.tell()))
    while body.read(TIMED_THRESHOLD):
        pass
    assert told == [3 * TIMED_THRESHOLD]


def test_a_small_body_is_sent_in_one_go() -> None:
    assert prepare_upload(b"small", lambda: None) == b"small"
