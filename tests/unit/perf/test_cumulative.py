import numpy as np
import pytest

from auricle.perf.cumulative import accumulate_at, all_known, compute_cumulative_amounts
from auricle.perf.request_records import RequestColumns
from tests.support.simulated_servers import answered_request, streamed_request


def rate(columns: RequestColumns, start: float, end: float, name: str) -> float:
    amount = compute_cumulative_amounts(columns)[name]
    assert amount is not None
    first, last = amount(np.array([start, end]))
    return float(last - first) / (end - start)


def test_streamed_tokens_count_when_their_chunks_arrive() -> None:
    columns = RequestColumns.from_records([streamed_request(0, sent=0.0, first=1.0, gaps=(1.0,) * 9, output_tokens=20)])
    assert rate(columns, 0.0, 10.0, "tok_out_s") == pytest.approx(2.0)
    assert rate(columns, 0.0, 4.5, "tok_out_s") == pytest.approx(8 / 4.5)
    assert rate(columns, 3.5, 5.5, "tok_out_s") == pytest.approx(4 / 2)
    assert rate(columns, 10.0, 20.0, "tok_out_s") == 0


def test_tokens_of_a_response_without_streaming_count_at_its_end() -> None:
    columns = RequestColumns.from_records([answered_request(sent=0.0, seconds=4.0, output_tokens=8)])
    assert rate(columns, 0.0, 3.9, "tok_out_s") == 0
    assert rate(columns, 0.0, 4.0, "tok_out_s") == pytest.approx(2.0)


def test_unknown_tokens_make_the_total_unknown() -> None:
    columns = RequestColumns.from_records([streamed_request(0, output_tokens=20), streamed_request(1)])
    assert compute_cumulative_amounts(columns)["tok_out_s"] is None
    assert not all_known(np.array([1.0, np.nan]))


def test_audio_sent_counts_by_the_share_of_the_request_in_the_window() -> None:
    columns = RequestColumns.from_records([answered_request(sent=0.0, seconds=4.0, audio_seconds=40.0)])
    assert rate(columns, 0.0, 4.0, "audio_in_x") == pytest.approx(10)
    assert rate(columns, 3.0, 5.0, "audio_in_x") == pytest.approx(5)


def test_audio_of_failed_requests_does_not_count() -> None:
    columns = RequestColumns.from_records(
        [answered_request(0, audio_seconds=40.0, status="failed"), answered_request(1, audio_seconds=3.0)]
    )
    assert rate(columns, 0.0, 1.0, "audio_in_x") == pytest.approx(3)


def test_received_audio_counts_when_it_arrives() -> None:
    columns = RequestColumns.from_records([answered_request(seconds=3.0, spoken=((1.0, 2.0), (3.0, 4.0)))])
    assert rate(columns, 0.0, 2.0, "audio_out_x") == pytest.approx(1.0)
    assert rate(columns, 0.0, 3.0, "audio_out_x") == pytest.approx(2.0)


def test_amounts_of_audio_are_none_without_audio() -> None:
    amounts = compute_cumulative_amounts(RequestColumns.from_records([answered_request()]))
    assert amounts["audio_in_x"] is None
    assert amounts["audio_out_x"] is None


def test_amounts_are_reached_at_their_time() -> None:
    amount = accumulate_at(np.array([2.0, 1.0]), np.array([10.0, 1.0]))
    assert amount(np.array([0.5, 1.0, 1.5, 2.0])).tolist() == [0.0, 1.0, 1.0, 11.0]
