import json
from pathlib import Path

import numpy as np
import pytest

from auricle.core.errors import DataError
from auricle.perf.measures import compute_measures
from auricle.perf.request_records import RaggedArray, RequestColumns, RequestRecord
from tests.support.simulated_servers import answered_request, speech_request, streamed_request


def test_columns_read_back_what_was_written(tmp_path: Path) -> None:
    records = [
        streamed_request(0, due=0.0, output_tokens=3, finish="stop", body="x"),
        answered_request(1, status="failed", error="Transient: HTTP 503", user=4),
        speech_request((0.5, 0.25), (1.0, 0.5)),
    ]
    path = tmp_path / "requests.jsonl"
    path.write_bytes(b"".join(record.to_json_line() for record in records) + b'{"index": 3, "sam')
    read, direct = RequestColumns.read(path), RequestColumns.from_records(records)
    assert len(read) == 3
    for name, values in compute_measures(direct).items():
        np.testing.assert_allclose(compute_measures(read)[name], values, atol=2e-5, err_msg=name)
    assert read.categorical["error"].categories == ("", "Transient: HTTP 503")
    assert read["user"].tolist()[1] == 4
    assert np.isnan(read["user"][0])


def test_damaged_line_is_reported_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_bytes(answered_request().to_json_line() + b"{broken\n" + answered_request(1).to_json_line())
    with pytest.raises(DataError, match=r"Line 2 of requests\.jsonl is not valid JSON"):
        RequestColumns.read(path)


def test_rows_of_a_ragged_array_are_reduced_and_pooled() -> None:
    array = RaggedArray(np.array([1.0, 5.0, 2.0]), np.array([0, 2, 2, 3]))
    maxima = array.reduce_rows(np.maximum)
    assert maxima[[0, 2]].tolist() == [5.0, 2.0]
    assert np.isnan(maxima[1])
    assert array.pool_rows(np.array([False, True, True])).tolist() == [2.0]
    assert array.row_indices.tolist() == [0, 0, 2]


def test_start_time_is_the_due_time_if_there_is_one() -> None:
    columns = RequestColumns.from_records([answered_request(0, due=1.0, sent=2.0), answered_request(1, sent=3.0)])
    assert columns.start_times.tolist() == [1.0, 3.0]


def test_record_survives_json() -> None:
    for record in (
        streamed_request(3, first=0.25, gaps=(0.5,), output_tokens=2, token_gaps=(0.1,)),
        speech_request((0.5, 0.25)),
    ):
        values = json.loads(record.to_json_line())
        lists = {name: tuple(values.get(name, ())) for name in ("gaps", "token_gaps")}
        spoken = tuple(map(tuple, values.get("spoken", ())))
        assert RequestRecord(**{**values, **lists, "spoken": spoken}) == record


def test_json_has_no_empty_fields() -> None:
    line = json.loads(RequestRecord(index=0, sample="a", sent=1.0).to_json_line())
    assert set(line) == {"index", "sample", "turn", "sender", "phase", "status", "sent", "streamed"}


def test_times_are_rounded_to_ten_microseconds() -> None:
    record = RequestRecord(index=0, sample="a", sent=1.234567891, gaps=(0.123456789,))
    line = json.loads(record.to_json_line())
    assert (line["sent"], line["gaps"]) == (1.23457, [0.12346])
