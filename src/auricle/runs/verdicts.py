"""Read and write `verdicts.jsonl`, the append-only file of judge replies.

Each line has a key: a digest of the judge, the request and the number of the vote. A different judge,
rubric or answer has a different key, so earlier verdicts are kept and never confused. A line that
describes the judges precedes their verdicts. The replies of recognisers, and the numbers of models that rate
spoken answers, are verdicts, too: each judge has a role.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path, PurePath
from typing import Any

import orjson

from auricle.core.checked_lines import add_checksum, find_damage
from auricle.core.closing import Closing
from auricle.core.errors import AudioError, AuricleError, SampleError, Unreadable, describe
from auricle.core.files import open_regular_file
from auricle.core.judge_roles import JudgeRole
from auricle.core.redaction import SECRETS, is_secret_name, redact
from auricle.core.serialization import digest, dump_canonical, dumps
from auricle.core.signature import VERSION_MARK
from auricle.core.truncation import has_open_thought, was_cut_off
from auricle.core.types import Failure, Generate, Generation, Predict, Prediction, Record
from auricle.media import Audio, Image, Video
from auricle.metrics.base import OVERSIZED_TEXT, Metric, Reply, has_oversized_text
from auricle.metrics.capabilities import Judged
from auricle.runs.health import DamagedLine
from auricle.runs.journal import read_lines
from auricle.runs.metrics import JudgeFacts
from auricle.runs.response_cache import TRANSPORT_ARGUMENTS
from auricle.runs.run_spec import VERDICTS_FILE
from auricle.runs.usage import Price, VerdictCosts, VerdictUsage


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge model: its name and its arguments, without secrets, and its role."""

    model: str
    arguments: Mapping[str, Any]
    role: JudgeRole = JudgeRole.JUDGE
    version: str = ""
    """Version of the package that the model consists of, if it is part of its identity."""

    @classmethod
    def from_arguments(
        cls, model: str, arguments: Mapping[str, Any], role: JudgeRole = JudgeRole.JUDGE, version: str = ""
    ) -> Judge:
        """Create a judge without secrets and transport options, which do not change its identity."""
        public = {
            name: arguments[name]
            for name in sorted(arguments)
            if not is_secret_name(name) and not TRANSPORT_ARGUMENTS.fullmatch(name)
        }
        return cls(model, orjson.loads(dumps(redact(public))), role, version)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Judge:
        """Create a judge from the fields of its line."""
        is_unread = fields.get("reads_unread", False)  # how the role was stored before there were others
        role = JudgeRole.of(fields.get("role", JudgeRole.UNREAD if is_unread else JudgeRole.JUDGE))
        return cls(fields["model"], fields["arguments"], role, fields.get("version", ""))

    @property
    def short_model(self) -> str:
        """The model's name, without the folders of a file."""
        file, _, attribute = self.model.rpartition(":")
        return f"{PurePath(file).name}:{attribute}" if file.endswith(".py") else self.model

    @property
    def name(self) -> str:
        """Short name: the model's name, and four hex digits of its arguments if it has any."""
        return f"{self.short_model}#{_hex_digest(dumps(self.arguments), 2)}" if self.arguments else self.short_model

    @property
    def identity(self) -> str:
        """The name with the version, for signatures."""
        return f"{self.name}{VERSION_MARK}{self.version}" if self.version else self.name

    def to_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"model": self.model, "arguments": self.arguments}
        if self.role is not JudgeRole.JUDGE:
            fields["role"] = self.role.name
        return {**fields, "version": self.version} if self.version else fields

    def serves(self, metric: Metric) -> bool:
        """Return whether a metric has requests for this judge."""
        if not isinstance(metric, Judged) or metric.judge_role is not self.role:
            return False
        return not metric.judge_models or self.short_model in metric.judge_models


def encode_judges(judges: Sequence[Judge]) -> bytes:
    """Return the line that precedes the verdicts of these judges."""
    return _encode({"judges": [judge.to_fields() for judge in judges]})


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """A request to a judge, with its key and what it is for."""

    key: str
    sample_id: str
    metric_name: str
    request: Generate | Predict

    @property
    def audio_seconds(self) -> float | None:
        """Duration of the audio that the judge hears; None if it is unknown."""
        try:
            return round(sum(audio.seconds for audio in self.request.audios), 4)
        except AudioError:
            return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's reply to one request, or why there is none."""

    judge_request: JudgeRequest
    judge_name: str
    reply: Generation | Prediction | None
    error: Failure | None
    seconds: float

    @property
    def usage(self) -> VerdictUsage:
        """What a price may be charged for."""
        tokens = (self.reply.input_tokens, self.reply.tokens) if isinstance(self.reply, Generation) else (None, None)
        return VerdictUsage(*tokens, self.judge_request.audio_seconds)

    def to_json_line(self) -> bytes:
        request = self.judge_request
        line = {"key": request.key, "id": request.sample_id, "metric": request.metric_name, "judge": self.judge_name}
        if self.reply is None:
            return _encode({**line, "error": self.error})
        reply: dict[str, Any] = {}
        if isinstance(self.reply, Prediction):
            reply["values"] = self.reply.values
        else:
            reply |= {"text": self.reply.text, "tokens": self.reply.tokens, "input_tokens": self.reply.input_tokens}
            reply |= {"finish": self.reply.finish} if self.reply.is_cut_off else {}
        if request.request.audios:
            reply["audio_seconds"] = request.audio_seconds
        return _encode({**line, **reply, "seconds": self.seconds})


def _encode(line: Mapping[str, Any]) -> bytes:
    return add_checksum(SECRETS.redact_line(dump_canonical(line)))


def build_judge_requests(judge: Judge, metric: Metric, record: Record) -> list[JudgeRequest]:
    """Build the judge requests of a metric for one record; repeated requests are separate votes."""
    assert isinstance(metric, Judged)
    if has_oversized_text(record):
        raise SampleError(OVERSIZED_TEXT)
    try:
        requests = metric.judge_requests(record.sample, *record.outputs)
    except AuricleError:
        raise
    except Exception as error:
        raise Unreadable(f"{type(error).__name__}: {describe(error)}") from error
    votes: Counter[bytes] = Counter()
    judge_requests = []
    for request in requests:
        content = _encode_request(request)
        version = [judge.version] if judge.version else []
        key = _hex_digest(dumps([judge.model, judge.arguments, votes[content], *version]) + content, 16)
        numbered_request = _number_request(request, votes[content])
        votes[content] += 1
        judge_requests.append(JudgeRequest(key, record.sample.id, metric.name, numbered_request))
    return judge_requests


def _number_request(request: Generate | Predict, vote: int) -> Generate | Predict:
    if isinstance(request, Predict):
        return replace(request, seed=vote)
    return replace(request, answer_index=vote, seed=vote)


def _encode_request(request: Generate | Predict) -> bytes:
    """Encode everything the judge sees; media are represented by their hash."""
    if isinstance(request, Predict):
        return dumps([{name: _hash_media(part) for name, part in request.inputs.items()}, request.labels])
    turns = [[turn.role, [_hash_media(part) for part in turn.parts]] for turn in request.turns]
    return dumps([turns, request.max_tokens, request.temperature, request.stop])


def _hash_media(part: Any) -> Any:
    return {"hash": part.hash} if isinstance(part, (Audio, Image, Video)) else part


def _hex_digest(content: bytes, size: int) -> str:
    return blake2b(content, digest_size=size).hexdigest()


class VerdictIndex(Closing):
    """Index of one judge's verdicts: the offset of each line by key.

    Args:
        path: The file with the verdicts.
        judge: The judge.
        price: What a verdict of it costs, if that is known.
    """

    def __init__(self, path: Path, judge: Judge, price: Price | None = None) -> None:
        self.judge = judge
        self._price = price
        self._costs = VerdictCosts({judge.name: price} if price else {})
        self._offsets: dict[int, int] = {}
        self._failed: set[int] = set()
        self._seen: set[int] = set()
        self._counts = Counter(dict.fromkeys(COUNT_FIELDS, 0))
        self.damaged: list[DamagedLine] = []
        for offset, line in iter_verdict_lines(path, self.damaged):
            if line.get("judge") == judge.name and isinstance(line.get("key"), str):
                self._index_line(digest(line["key"]), offset, "error" in line)
        self._file = open_regular_file(path) if path.exists() else None

    def _index_line(self, key: int, offset: int, failed: bool) -> None:
        self._offsets[key] = offset
        if failed:
            self._failed.add(key)
        else:
            self._failed.discard(key)

    def has_reply(self, key: str) -> bool:
        """Return whether the judge replied; failed requests are sent again."""
        key_digest = digest(key)
        return key_digest in self._offsets and key_digest not in self._failed

    def read_replies(self, metric: Metric, record: Record) -> tuple[Reply, ...]:
        """Return the judge's replies that a metric needs for a record.

        Raises:
            Unreadable: if a reply is missing or the judge failed.
        """
        requests = build_judge_requests(self.judge, metric, record)
        lines = [self._read_line(request.key) for request in requests]
        for request, line in zip(requests, lines, strict=True):
            self._count_once(digest(request.key), line)
        return tuple(map(self._get_reply, lines))

    def _get_reply(self, line: Mapping[str, Any] | None) -> Reply:
        if line is None:
            raise Unreadable(f"not judged yet by {self.judge.name}")
        if error := line.get("error"):
            raise Unreadable(f"the {self.judge.role.noun} failed: {error['kind']}: {error['message'][:200]}")
        if "values" not in line:
            text = str(line["text"])
            if self.judge.role.is_judge and not _has_whole_end(text, line.get("finish", "")):
                raise Unreadable("the judge's reply was cut off before the end of its verdict")
            return text
        return {name: math.nan if value is None else value for name, value in line["values"].items()}

    def _read_line(self, key: str) -> Mapping[str, Any] | None:
        offset = self._offsets.get(digest(key))
        if offset is None or self._file is None:
            return None
        self._file.seek(offset)
        line: Mapping[str, Any] = orjson.loads(self._file.readline())
        return line

    def _count_once(self, key: int, line: Mapping[str, Any] | None) -> None:
        """Count a verdict once, even if several metrics read it."""
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
            self._costs.add(self.judge.name, VerdictUsage.from_line(line))

    def to_facts(self) -> JudgeFacts:
        """Return the judge, the number of verdicts read, failed and missing, their tokens and their cost."""
        costs, price = self._costs, self._price
        return JudgeFacts(
            self.judge.name,
            self.judge.model,
            dict(self.judge.arguments),
            role=self.judge.role.name,
            version=self.judge.version,
            **{name: self._counts[name] for name in COUNT_FIELDS},
            cost=round(costs.cost, 6) if price and (costs.cost or not costs.without_cost) else None,
            currency=price.currency if price else None,
            verdicts_without_cost=costs.without_cost if price else None,
        )

    def close(self) -> None:
        if self._file:
            self._file.close()


def _has_whole_end(text: str, finish: str) -> bool:
    """Return whether the last line or the JSON of a reply is complete, which is where rubrics read the verdict."""
    is_complete = not has_open_thought(text) and text.endswith(("\n", "}", "```"))
    return is_complete or not was_cut_off(text, finish)


COUNT_FIELDS = ("verdicts", "failed", "missing", "tokens", "input_tokens")


def read_last_judges(path: Path) -> tuple[Judge, ...]:
    """Return the judges that were used last, from a file of verdicts."""
    last: tuple[Judge, ...] = ()
    for _, line in iter_verdict_lines(path):
        if isinstance(judges := line.get("judges"), list):
            last = tuple(map(Judge.from_fields, judges))
    return last


def merge_judges(earlier: Iterable[Judge], current: Iterable[Judge]) -> tuple[Judge, ...]:
    """Return the current judges, and the earlier ones that they do not replace.

    A judge replaces those of its role. If metrics are named after a model, it replaces only itself with other
    arguments.
    """
    current = tuple(current)
    replaced = {_slot(judge) for judge in current}
    return (*current, *(judge for judge in earlier if _slot(judge) not in replaced))


def _slot(judge: Judge) -> tuple[JudgeRole, str]:
    return judge.role, judge.model if judge.role.has_own_metrics else ""


def iter_verdict_lines(path: Path, damaged: list[DamagedLine] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the intact lines of a file with their offsets; damaged lines are added to `damaged`."""
    for number, (offset, content) in enumerate(read_lines(path), 1):
        if not (damage := find_damage(content)):
            yield offset, orjson.loads(content)
        elif damaged is not None:
            damaged.append(DamagedLine(number, damage, VERDICTS_FILE))


def add_verdict_costs(path: Path, costs: VerdictCosts) -> None:
    """Add what the verdicts in a file have cost; failed requests to a judge are left out."""
    for _, line in iter_verdict_lines(path):
        if "text" in line or "values" in line:
            costs.add(line["judge"], VerdictUsage.from_line(line))
