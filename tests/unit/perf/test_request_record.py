import json

from auricle.perf.request_record import RequestRecord
from tests.support.simulated_servers import speech_request, streamed_request


def test_record_survives_json() -> None:
    for record in (
        streamed_request(3, first=0.25, gaps=(0.5,), output_tokens=2, token_gaps=(0.1,)),
        speech_request((0.5, 0.25)),
    ):
        assert RequestRecord.from_json(record.to_json_line()) == record


def test_json_has_no_empty_fields() -> None:
    line = json.loads(RequestRecord(index=0, sample="a", sent=1.0).to_json_line())
    assert set(line) == {"index", "sample", "turn", "sender", "phase", "status", "sent", "streamed"}


def test_times_are_rounded_to_ten_microseconds() -> None:
    record = RequestRecord(index=0, sample="a", sent=1.234567891, gaps=(0.123456789,))
    line = json.loads(record.to_json_line())
    assert (line["sent"], line["gaps"]) == (1.23457, [0.12346])
