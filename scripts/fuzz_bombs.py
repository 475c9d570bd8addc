"""Build bombs: small files, pipes and addresses that contain, declare or send far more than fits into memory.

A bomb is built from its number. Every second round through the list sets small limits, with which a reader gets to the
end of its checks faster. The others use the defaults, but for files that are read as a whole, for which the default is
higher than the memory that an input may take.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

DECLARED_BYTES = 6_000_000_000
REPEATS = 400
"""How often 16 MB are repeated in a compressed file: 6.7 GB."""
HOLE_BYTES = 600_000_000
"""Size of files of one line, which occupy no room on a disk."""
CELL_BYTES = 70_000_000
CELLS = 100
NUMBERS = 80_000_000
LIMITS = {"AURICLE_MAX_FILE": "500"}
SMALL_LIMITS = {"AURICLE_MAX_ROW": "1", "AURICLE_MAX_FILE": "2"}


def build_bomb(number: int, folder: Path, url: str) -> list[str]:
    """Write a bomb and return the arguments of `run` for it.

    Args:
        number: Decides which.
        folder: Where it is written.
        url: Where the server sends without end.
    """
    return BOMBS[number % len(BOMBS)](folder, url)


def limits_of(number: int) -> dict[str, str]:
    """Return the environment variables of the command for a bomb."""
    return SMALL_LIMITS if number // len(BOMBS) % 2 else LIMITS


def _questions(file: str) -> list[str]:
    return [file, "--as", "qa", "-m", "echo"]


def _recordings(folder: Path, *sounds: str) -> list[str]:
    """Write a manifest with a good recording and others."""
    rows = [{"id": sound, "audio": sound, "text": "yes"} for sound in ("tone.wav", *sounds)]
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["data.jsonl", "--as", "asr", "-m", "listens.py:Listens"]


# --- compressed files and tables -----------------------------------------------------------


@cache
def compressed_line() -> bytes:
    """Compress a line of 6.7 GB: a gzip file may have several parts, so that one of them is compressed and repeated."""
    return gzip.compress(b'{"answer": "yes", "question": "') + gzip.compress(b"x" * 2**24) * REPEATS


def endless_line(folder: Path, _: str) -> list[str]:
    (folder / "data.jsonl.gz").write_bytes(compressed_line())
    return _questions("data.jsonl.gz")


def unclosed_quote(folder: Path, _: str) -> list[str]:
    """Write a cell that does not end, of lines that do."""
    (folder / "data.csv").write_text('question,answer\n1,yes\n2,"' + ("x" * 999 + "\n") * 150_000)
    return _questions("data.csv")


def huge_cell(folder: Path, _: str) -> list[str]:
    with (folder / "data.csv").open("wb") as file:
        file.write(b"question,answer\n1,yes\n2,")
        file.truncate(HOLE_BYTES)
    return _questions("data.csv")


def huge_array(folder: Path, _: str) -> list[str]:
    with (folder / "data.json").open("wb") as file:
        file.write(b"[")
        file.truncate(HOLE_BYTES)
    return _questions("data.json")


@cache
def build_apart(build: Callable[[], bytes]) -> bytes:
    """Build a file in a process of its own: commands are forks of this one, and would be charged with its memory."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(build)


def repeated_cells() -> bytes:
    """Write a Parquet file of one cell of 70 MB, to which all rows refer."""
    import pyarrow
    from pyarrow import parquet

    cell = pyarrow.array(["x" * CELL_BYTES])
    questions = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * CELLS, pyarrow.int32()), cell)
    table = pyarrow.table({"question": questions, "answer": ["yes"] * CELLS})
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd", dictionary_pagesize_limit=2**30, store_schema=False)
    return bytes(sink.getvalue())


def repeated_cell(folder: Path, _: str) -> list[str]:
    (folder / "data.parquet").write_bytes(build_apart(repeated_cells))
    return _questions("data.parquet")


def repeated_numbers() -> bytes:
    """Write a Parquet file of one row, a list of 80 million equal numbers."""
    import pyarrow
    from pyarrow import parquet

    numbers = pyarrow.ListArray.from_arrays([0, NUMBERS], pyarrow.array(np.zeros(NUMBERS, np.int8)))
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table({"question": numbers, "answer": ["yes"]}), sink)
    return bytes(sink.getvalue())


def long_list(folder: Path, _: str) -> list[str]:
    (folder / "data.parquet").write_bytes(build_apart(repeated_numbers))
    return _questions("data.parquet")


# --- tars -----------------------------------------------------------------------------------


def write_tar(folder: Path, *headers: bytes) -> list[str]:
    (folder / "data.tar").write_bytes(b"".join(headers) + bytes(1024))
    return ["data.tar", "--as", "asr", "-m", "listens.py:Listens"]


def sparse_header(name: str) -> bytes:
    """Return the header of a file of holes, as GNU tar writes it."""
    header = tarfile.TarInfo(name)
    header.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    block[483:495] = f"{DECLARED_BYTES:011o}\0".encode()
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    return bytes(block)


def pax_header(name: str, values: dict[str, str], content: bytes = b"") -> bytes:
    header = tarfile.TarInfo(name)
    header.size = len(content)
    header.pax_headers = values
    return header.tobuf(tarfile.PAX_FORMAT) + content.ljust(-len(content) % 512 + len(content), b"\0")


def sparse_text(folder: Path, _: str) -> list[str]:
    return write_tar(folder, sparse_header("a.txt"))


def sparse_sound(folder: Path, _: str) -> list[str]:
    return write_tar(folder, sparse_header("a.wav"), pax_header("a.txt", {}, b"yes"))


def pax_size(folder: Path, _: str) -> list[str]:
    return write_tar(folder, pax_header("a.txt", {"size": str(DECLARED_BYTES)}, b"yes"))


def negative_pax_size(folder: Path, _: str) -> list[str]:
    return write_tar(folder, pax_header("a.txt", {"size": "-1024"}, b"yes"))


def pax_sparse_size(folder: Path, _: str) -> list[str]:
    values = {"GNU.sparse.size": str(DECLARED_BYTES), "GNU.sparse.map": f"0,0,{DECLARED_BYTES},0"}
    return write_tar(folder, pax_header("a.txt", values), pax_header("a.wav", values))


def pax_sparse_map(folder: Path, _: str) -> list[str]:
    """Write a member whose list of holes is declared longer than the file."""
    values = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(DECLARED_BYTES)}
    return write_tar(folder, pax_header("a.txt", values, b"99999999\n0\n"))


def damaged_pax_sparse_map(folder: Path, _: str) -> list[str]:
    return write_tar(folder, pax_header("a.txt", {"GNU.sparse.size": "many", "GNU.sparse.map": "0,x"}, b"yes"))


def large_pax_header(folder: Path, _: str) -> list[str]:
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, DECLARED_BYTES
    return write_tar(folder, header.tobuf(tarfile.PAX_FORMAT))


# --- what is no file, and servers -------------------------------------------------------------


def pipe_for(name: str) -> Callable[[Path, str], list[str]]:
    def write(folder: Path, _: str) -> list[str]:
        os.mkfifo(folder / name)
        return _questions(name)

    return write


def device_for(name: str) -> Callable[[Path, str], list[str]]:
    def write(folder: Path, _: str) -> list[str]:
        (folder / name).symlink_to("/dev/zero")
        return _questions(name)

    return write


def pipe_and_device_for_sounds(folder: Path, _: str) -> list[str]:
    os.mkfifo(folder / "pipe.wav")
    (folder / "zero.wav").symlink_to("/dev/zero")
    return _recordings(folder, "pipe.wav", "zero.wav")


def remote_rows(name: str, *words: str) -> Callable[[Path, str], list[str]]:
    return lambda _, url: [*_questions(f"{url}/{name}"), *words]


def remote_sound(name: str) -> Callable[[Path, str], list[str]]:
    return lambda folder, url: _recordings(folder, f"{url}/{name}")


BOMBS: tuple[Callable[[Path, str], list[str]], ...] = (
    *(endless_line, unclosed_quote, huge_cell, huge_array, repeated_cell, long_list),
    *(sparse_text, sparse_sound, pax_size, negative_pax_size, pax_sparse_size, pax_sparse_map),
    *(damaged_pax_sparse_map, large_pax_header),
    *(pipe_for(name) for name in ("data.jsonl", "data.csv", "data.tar", "data.parquet", "task.yaml")),
    *(
        device_for(name)
        for name in ("data.jsonl", "data.json", "data.csv", "data.parquet", "data.jsonl.gz", "task.yaml")
    ),
    pipe_and_device_for_sounds,
    *(remote_rows(name) for name in ("line/data.jsonl", "line/data.csv", "line/data.json", "line/data.tar")),
    *(remote_rows(name, "--limit", "2") for name in ("rows/data.jsonl", "stated/data.parquet")),
    *(remote_sound(name) for name in ("line/a.wav", "stated/a.wav")),
)
