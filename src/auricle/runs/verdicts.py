"""What judges said of a run's answers: `verdicts.jsonl`, appended and never rewritten.

A line is found by its key, a digest of who was asked, what, and for which vote. Another judge,
rubric or answer is another key, so that nothing said before is lost, or taken for another's.
Before its verdicts stands a line that says who the judge is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path, PurePath
from typing import Any

import orjson

from auricle.audio import Audio, Image, Video
from auricle.core.errors import AuricleError, Unreadable, describe
from auricle.core.redaction import SECRET_NAME, redact
from auricle.core.serialization import digest, dumps
from auricle.core.types import Failure, Generate, Generation, Record
from auricle.metrics.base import Metric
from auricle.runs.response_cache import TRANSPORT_ARGUMENTS

JUDGE_LINE_PREFIX = b'{"model":'


@dataclass(frozen=True, slots=True)
class Judge:
    """Who judges: a model's name and its arguments, without secrets."""

    model: str
    arguments: Mapping[str, Any]

    @classmethod
    def from_arguments(cls, model: str, arguments: Mapping[str, Any]) -> Judge:
        """A judge as it may be written down; neither its key nor the way to it makes another."""
        known = {
            name: arguments[name]
            for name in sorted(arguments)
            if not SECRET_NAME.search(name) and not TRANSPORT_ARGUMENTS.fullmatch(name)
        }
        return cls(model, orjson.loads(dumps(redact(known))))

    @property
    def name(self) -> str:
        """A short name: the model's, and four hex digits of its arguments if it has any."""
        file, colon, attribute = self.model.rpartition(":")
        in_file = colon and file.endswith(".py")
        short = f"{PurePath(file).name}:{attribute}" if in_file else self.model
        return f"{short}#{_hex_digest(dumps(self.arguments), 2)}" if self.arguments else short

    def to_json_line(self) -> bytes:
        """The line that stands before a judge's verdicts."""
        return dumps({"model": self.model, "arguments": self.arguments})


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One verdict that is wanted."""

    key: str
    sample_id: str
    metric_name: str
    request: Generate


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a question: the judge's reply, or why there is none."""

    judge_request: JudgeRequest
    judge_name: str
    reply: Generation | None
    error: Failure | None
    seconds: float

    def to_json_line(self) -> bytes:
        asked = self.judge_request
        known = {"key": asked.key, "id": asked.sample_id, "metric": asked.metric_name, "judge": self.judge_name}
        if self.reply is None:
            return dumps({**known, "error": self.error})
        return dumps(
            {
                **known,
                "text": self.reply.text,
                "tokens": self.reply.tokens,
                "input_tokens": self.reply.input_tokens,
                "seconds": self.seconds,
            }
        )


def build_judge_requests(judge: Judge, metric: Metric, record: Record) -> list[JudgeRequest]:
    """The verdicts a metric wants of a judge on one record; the same request twice is two votes."""
    assert metric.judge_requests
    try:
        requests = metric.judge_requests(record.sample, *record.outputs)
    except AuricleError:
        raise
    except Exception as error:
        raise Unreadable(f"{type(error).__name__}: {describe(error)}") from error
    votes: Counter[bytes] = Counter()
    found = []
    for request in requests:
        shown = _encode_request(request)
        key = _hex_digest(dumps([judge.model, judge.arguments, votes[shown]]) + shown, 16)
        asked = replace(request, answer_index=votes[shown])
        votes[shown] += 1
        found.append(JudgeRequest(key, record.sample.id, metric.name, asked))
    return found


def _encode_request(request: Generate) -> bytes:
    """Everything a judge is shown: texts to the letter, sounds and pictures by content."""
    turns = [[turn.role, [_hash_media(part) for part in turn.parts]] for turn in request.turns]
    return dumps([turns, request.max_tokens, request.temperature, request.stop])


def _hash_media(part: Any) -> Any:
    return {"hash": part.hash} if isinstance(part, (Audio, Image, Video)) else part


def _hex_digest(content: bytes, size: int) -> str:
    return blake2b(content, digest_size=size).hexdigest()


class VerdictIndex:
    """What one judge said, by key: where each line stands, not what it says."""

    def __init__(self, path: Path, judge: Judge) -> None:
        self.judge = judge
        self._offsets: dict[int, int] = {}
        self._failed: set[int] = set()
        self._seen: set[int] = set()
        self._counts = Counter(dict.fromkeys(COUNT_FIELDS, 0))
        for offset, line in _iter_lines(path):
            if line.get("judge") == judge.name and isinstance(line.get("key"), str):
                self._index_line(digest(line["key"]), offset, "error" in line)
        self._file = path.open("rb") if path.exists() else None

    def _index_line(self, key: int, offset: int, failed: bool) -> None:
        self._offsets[key] = offset
        if failed:
            self._failed.add(key)
        else:
            self._failed.discard(key)

    def has_reply(self, key: str) -> bool:
        """Did the judge reply? What failed is asked again."""
        found = digest(key)
        return found in self._offsets and found not in self._failed

    def read_replies(self, metric: Metric, record: Record) -> tuple[str, ...]:
        """The judge's replies a metric needs for a record, or why one of them is missing."""
        found = [(each.key, self._read_line(each.key)) for each in build_judge_requests(self.judge, metric, record)]
        for key, line in found:
            self._count_once(digest(key), line)
        return tuple(self._reply_text(line) for _, line in found)

    def _reply_text(self, line: Mapping[str, Any] | None) -> str:
        if line is None:
            raise Unreadable(f"not judged yet by {self.judge.name}")
        if error := line.get("error"):
            raise Unreadable(f"the judge failed: {error['kind']}: {error['message'][:200]}")
        return str(line["text"])

    def _read_line(self, key: str) -> Mapping[str, Any] | None:
        offset = self._offsets.get(digest(key))
        if offset is None or self._file is None:
            return None
        self._file.seek(offset)
        line: Mapping[str, Any] = orjson.loads(self._file.readline())
        return line

    def _count_once(self, key: int, line: Mapping[str, Any] | None) -> None:
        """Each verdict once, however many metrics read it."""
        if key in self._seen:
            return
        self._seen.add(key)
        if line is None:
            self._counts["missing"] += 1
        elif "error" in line:
            self._counts["failed"] += 1
        else:
            self._counts["verdicts"] += 1
            for name in ("tokens", "input_tokens"):
                self._counts[name] += line.get(name) or 0

    def to_dict(self) -> dict[str, Any]:
        """Who judged, how many verdicts were read, failed or are missing, and their tokens."""
        who = {"name": self.judge.name, "model": self.judge.model}
        return {**who, "arguments": dict(self.judge.arguments), **self._counts}

    def close(self) -> None:
        if self._file:
            self._file.close()

    def __enter__(self) -> VerdictIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


COUNT_FIELDS = ("verdicts", "failed", "missing", "tokens", "input_tokens")


def read_last_judge(path: Path) -> Judge | None:
    """Who judged last, told from the file itself."""
    last = None
    for _, line in _iter_lines(path, JUDGE_LINE_PREFIX):
        last = Judge(line["model"], line["arguments"])
    return last


def _iter_lines(path: Path, prefix: bytes = b"") -> Iterator[tuple[int, dict[str, Any]]]:
    """Each whole line with its offset; a damaged one is as good as not written."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as lines:
        for raw in lines:
            if raw.startswith(prefix) and raw.endswith(b"\n") and (line := _parse_line(raw)):
                yield offset, line
            offset += len(raw)


def _parse_line(raw: bytes) -> dict[str, Any] | None:
    try:
        line = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return line if isinstance(line, dict) else None
