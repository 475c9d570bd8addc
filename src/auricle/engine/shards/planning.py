"""Divide the data of an evaluation into shards, and start or continue a sharded run in a location."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

from auricle.core.errors import DataError, RunMismatch, SpecError
from auricle.core.redaction import redact_text
from auricle.core.storage import Storage, open_storage
from auricle.data.data_files import open_data_file, to_data_file
from auricle.data.parts import DataPart, PartSource
from auricle.data.row_sizes import measure_row_size
from auricle.engine.factory import Evaluation, build_run_spec
from auricle.runs.documents import decode, encode_document
from auricle.runs.run_spec import OUTPUTS_FILE, PLAN_FILE, SPEC_FILE, RunSpec
from auricle.runs.shards.leases import exists
from auricle.runs.shards.store import ShardStore

CUT_FILE = "cut.json"
"""How large the parts of the plan are, so that every launcher of the run cuts the data alike."""
ROWS_PER_SHARD = 1_000
MIN_SHARDS_PER_WORKER = 4
"""With fewer, workers that are done wait for others."""
MAX_SHARDS = 50_000
INSPECTED_BYTES = 1 << 20
WHOLE_FILES = 1 << 62
"""A size of parts at which no file is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """`cut.json`."""

    format: int = 1
    target_bytes: int


def open_sharded_run(
    evaluation: Evaluation, location: str | Path, shards: int | Literal["auto"] = "auto", workers: int = 1
) -> ShardStore:
    """Start a sharded run in a location, or continue the one that is there.

    Args:
        evaluation: What to evaluate.
        location: A folder or the URL of a bucket with a prefix.
        shards: About how many shards to divide the data into; `auto` for about 1,000 rows each. Ignored if the run
            was started before.
        workers: Number of workers, each of which gets at least four shards with `auto`, if the data can be cut so.

    Raises:
        SpecError: if the data cannot be cut into parts, or the run is limited to some rows.
        RunMismatch: if the location contains a different run.
    """
    samples = get_part_source(evaluation)
    storage = open_storage(location, create_folder=True)
    _claim_location(storage, build_run_spec(evaluation.spec, evaluation.task, evaluation.inferencer))
    target_bytes = _read_cut(storage) or _write_cut(storage, choose_part_size(samples, shards, workers))
    return ShardStore.create(location, samples.plan_parts(target_bytes))


def get_part_source(evaluation: Evaluation) -> PartSource:
    """Return the samples of an evaluation as data that can be cut.

    Raises:
        SpecError: if they cannot, or if only some of them are evaluated.
    """
    samples = evaluation.task.samples
    if not isinstance(samples, PartSource):
        raise SpecError(
            f"The samples of {evaluation.task.name} cannot be divided into shards: they are not rows of files. "
            "Leave out --shards, or convert the task's data to JSON lines, Parquet or tar files."
        )
    if evaluation.spec.limit:
        raise SpecError("--limit cannot be combined with --shards. Leave out --shards to evaluate a few rows.")
    return samples


def choose_part_size(samples: PartSource, shards: int | Literal["auto"] = "auto", workers: int = 1) -> int:
    """Return the bytes of a part from which about this number of shards results.

    Args:
        samples: The data.
        shards: Number of shards, or `auto`.
        workers: Number of workers, for `auto`.
    """
    files = list(samples.plan_parts(WHOLE_FILES))
    total = sum(part.size for part in files)
    if shards != "auto":
        return max(1, -(-total // shards))
    wanted_shards = max(MIN_SHARDS_PER_WORKER * workers, total / (ROWS_PER_SHARD * estimate_row_size(files)))
    return max(1, int(total / min(wanted_shards, MAX_SHARDS)))


def estimate_row_size(files: list[DataPart]) -> float:
    """Estimate the bytes of a row from the footers of Parquet files or from the first lines of the first file.

    Files of other formats are not cut, so theirs does not matter.
    """
    rows = sum(part.rows or 0 for part in files)
    if rows:
        return sum(part.size for part in files) / rows
    first = next((part for part in files if part.size), None)
    if first is None or first.unit != "bytes":
        return 1.0
    with open_data_file(to_data_file(first.source), buffering=INSPECTED_BYTES) as lines:
        block = lines.read(INSPECTED_BYTES)
    return len(block) / max(1, sum(1 for line in block.splitlines() if line.strip()))


def estimate_row_count(samples: PartSource) -> tuple[int, bool]:
    """Return the number of rows of data that is not read, and whether it is exact, as for Parquet.

    Raises:
        SpecError: if the rows of files of such a format cannot be estimated from their size.
    """
    files = list(samples.plan_parts(WHOLE_FILES))
    if all(part.rows is not None for part in files):
        return sum(part.rows or 0 for part in files), True
    total = sum(part.size for part in files)
    if files[0].unit == "bytes":
        return round(total / estimate_row_size(files)), False
    first = next((part for part in files if part.size), files[0])
    row_size = measure_row_size(first.source, first.size)
    if row_size is None:
        raise SpecError(
            f"The rows of {redact_text(files[0].source)} cannot be estimated from its size. Use JSON lines, Parquet, "
            "CSV or tar files."
        )
    return round(total / row_size), False


def _claim_location(storage: Storage, run_spec: RunSpec) -> None:
    """Write the spec of the run, or compare it with the one that is there."""
    if _is_plain_run(storage):
        raise RunMismatch(
            f"{storage.url} contains a run without shards. Choose another folder with -o, or leave out --shards to "
            "resume it."
        )
    try:
        storage.create(SPEC_FILE, encode_document(run_spec))
    except FileExistsError:
        read_stored_spec(storage).check_same_run(Path(storage.url), run_spec)


def _is_plain_run(storage: Storage) -> bool:
    return not exists(storage, PLAN_FILE) and exists(storage, OUTPUTS_FILE)


def read_stored_spec(storage: Storage) -> RunSpec:
    """Read the spec of a sharded run.

    Raises:
        DataError: if there is none, or it is damaged.
    """
    try:
        spec: RunSpec = decode(RunSpec, orjson.loads(storage.read(SPEC_FILE)))
    except FileNotFoundError as error:
        raise DataError(f"{storage.url} does not contain a run: it has no {SPEC_FILE}.") from error
    except (orjson.JSONDecodeError, DataError) as error:
        raise DataError(f"{storage.url}/{SPEC_FILE} cannot be read: {error}.") from error
    return spec


def _read_cut(storage: Storage) -> int | None:
    try:
        cut: Cut = decode(Cut, orjson.loads(storage.read(CUT_FILE)))
    except FileNotFoundError:
        return None
    except (orjson.JSONDecodeError, DataError) as error:
        raise DataError(f"{storage.url}/{CUT_FILE} cannot be read: {error}.") from error
    return cut.target_bytes


def _write_cut(storage: Storage, target_bytes: int) -> int:
    """Store the size of parts; of several launchers that start at once, one decides."""
    try:
        storage.create(CUT_FILE, encode_document(Cut(target_bytes=target_bytes)))
    except FileExistsError:
        return _read_cut(storage) or target_bytes
    return target_bytes
