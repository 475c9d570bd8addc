"""Limits of what is read at once: endless lines and files, and small files that declare or contain a lot."""

import gzip
import io
import tarfile
import tracemalloc
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from auricle.core.errors import AudioError, DataError, SpecError
from auricle.core.size_limits import FILE_LIMIT, ROW_LIMIT, SizeLimit, read_whole
from auricle.data.data_files import RemoteFile
from auricle.data.file_formats import read_rows
from auricle.media.fetching import fetch

LINE = b'{"text": "' + b"a" * 3_000_000 + b'"}\n'


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ROW_LIMIT.variable, "1")
    monkeypatch.setenv(FILE_LIMIT.variable, "2")


class Endless(BaseHTTPRequestHandler):
    """Sends bytes without a line break until the client hangs up."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"a" * 100_000)
                type(self).sent += 100_000
        except OSError:
            pass

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None: ...

    sent = 0


@pytest.fixture
def endless() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    Endless.sent = 0
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_line_of_a_server_that_never_ends_is_refused(endless: str) -> None:
    with pytest.raises(DataError, match=r"A line of .*rows\.jsonl is larger than the limit of 1 MB.*AURICLE_MAX_ROW"):
        list(read_rows(RemoteFile(f"{endless}/rows.jsonl")))
    assert Endless.sent < 20_000_000


def test_a_recording_of_a_server_that_never_ends_is_refused(endless: str) -> None:
    with pytest.raises(AudioError, match=r"a\.wav is larger than the limit of 2 MB.*AURICLE_MAX_FILE"):
        fetch(f"{endless}/a.wav", AudioError)
    assert Endless.sent < 20_000_000


class Zeros:
    """A file without an end."""

    def read(self, size: int) -> bytes:
        return bytes(size)


def test_an_error_keeps_nothing_of_what_was_read() -> None:
    tracemalloc.start()
    with pytest.raises(DataError) as kept:
        read_whole(Zeros(), "zeros")
    size, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept.tb  # refers to the frames that read
    assert size + 1_000_000 < peak


def write_lines(path: Path) -> Path:
    (path / "x.jsonl").write_bytes(LINE)
    return path / "x.jsonl"


def write_compressed(path: Path) -> Path:
    (path / "x.jsonl.gz").write_bytes(gzip.compress(LINE))
    return path / "x.jsonl.gz"


def write_table(path: Path) -> Path:
    (path / "x.csv").write_bytes(b"text\n" + LINE)
    return path / "x.csv"


def write_array(path: Path) -> Path:
    (path / "x.json").write_bytes(b"[" + LINE + b"]")
    return path / "x.json"


def write_tar(path: Path) -> Path:
    with tarfile.open(path / "x.tar", "w") as tar:
        header = tarfile.TarInfo("a.txt")
        header.size = len(LINE)
        tar.addfile(header, io.BytesIO(LINE))
    return path / "x.tar"


def write_sparse_tar(path: Path) -> Path:
    """Write a tar whose only member has no bytes but declares six gigabytes, as GNU tar stores a file of holes."""
    header = tarfile.TarInfo("a.txt")
    header.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    block[483:495] = b"%011o\0" % 6_000_000_000  # the real size
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    (path / "x.tar").write_bytes(bytes(block) + b"\0" * 1024)
    return path / "x.tar"


def write_long_name(path: Path) -> Path:
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 6_000_000_000
    (path / "x.tar").write_bytes(header.tobuf(tarfile.PAX_FORMAT) + b"\0" * 2048)
    return path / "x.tar"


def write_parquet(path: Path) -> Path:
    pyarrow.parquet.write_table(pyarrow.table({"text": [LINE.decode()]}), path / "x.parquet")
    return path / "x.parquet"


def write_numbers(path: Path) -> Path:
    """Write a row of a million equal numbers, which are few bytes in the file."""
    table = pyarrow.table({"text": pyarrow.array([[0] * 1_000_000], pyarrow.list_(pyarrow.int8()))})
    pyarrow.parquet.write_table(table, path / "x.parquet")
    return path / "x.parquet"


@pytest.mark.parametrize(
    "write",
    [
        write_parquet,
        write_lines,
        write_compressed,
        write_table,
        write_array,
        write_tar,
        write_sparse_tar,
        write_long_name,
    ],
)
def test_files_that_are_larger_than_they_may_be_are_refused(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    path = write(tmp_path)
    with pytest.raises(DataError, match=r"larger than the limit|properties have 6,000,000,000 bytes"):
        list(read_rows(path))


def test_cells_that_refer_to_one_value_are_not_all_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ROW_LIMIT.variable, "4")
    cells = pyarrow.DictionaryArray.from_arrays([0] * 200, ["a" * 3_000_000])
    pyarrow.parquet.write_table(
        pyarrow.table({"text": cells}), tmp_path / "x.parquet", dictionary_pagesize_limit=2**30, store_schema=False
    )
    assert (tmp_path / "x.parquet").stat().st_size < 1_000_000
    start = pyarrow.total_allocated_bytes()
    largest = 0
    for _ in read_rows(tmp_path / "x.parquet"):
        largest = max(largest, pyarrow.total_allocated_bytes() - start)
    assert largest < 200_000_000


def test_a_higher_limit_lets_them_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ROW_LIMIT.variable, "10")
    assert len(list(read_rows(write_compressed(tmp_path)))) == 1


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many"])
def test_a_limit_is_a_whole_number(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURICLE_MAX_X", text)
    with pytest.raises(SpecError, match="whole number"):
        SizeLimit("AURICLE_MAX_X", 1).bytes  # noqa: B018
