"""Build small reports and read them as a browser would."""

import html
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

from auricle.core.signature import Signature
from auricle.core.types import Failure, Generation, Prediction, Record, Sample
from auricle.metrics.base import Metric
from auricle.report.sample_view import SampleView, build_sample_views
from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts
from auricle.scoring.run_scores import build_metrics
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.asr import error_rates
from auricle.tasks.labels import metrics as labels

EVIL = "<script>alert('x')</script>\"&"


def assert_policy_admits_only_the_page(page: str) -> None:
    """Check that a page may run its own script and use its own style, named by their hashes, and nothing else."""
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    directives = dict(part.split(" ", 1) for part in html.unescape(policy).split("; "))
    for directive, tag in (("script-src", "script"), ("style-src", "style")):
        hashes = [
            f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
            for content in re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        ]
        assert directives[directive] == " ".join(hashes or ["'none'"])
    assert directives["default-src"] == directives["base-uri"] == directives["form-action"] == "'none'"
    reader = read_page(page)
    assert not [name for name, _ in reader.attributes if name == "style" or name.startswith("on")]
    assert page.index("Content-Security-Policy") < page.index("<style")


class PageReader(HTMLParser):
    """Collects what a browser would see, and refuses tags that do not close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, name: Any, attributes: Any) -> None:
        self.tags.append(name)
        self.attributes += attributes
        if name not in ("meta", "input"):
            self._open.append(name)

    def handle_endtag(self, name: Any) -> None:
        assert self._open.pop() == name

    def handle_data(self, data: Any) -> None:
        if self._open and self._open[-1] not in ("script", "style"):
            self.words.append(data)


def read_page(page: Any) -> Any:
    reader = PageReader()
    reader.feed(page.replace("<wbr>", ""))  # a place where a word may break
    reader.close()
    assert reader._open == []
    return reader


def visible_text(page: Any) -> Any:
    return re.sub(r"\s+", " ", " ".join(read_page(page).words).replace("\u202f", " "))


SIGNATURE = Signature.parse("mine:1|local|Respond#0000||echo|auricle 0.1.0")


def describe_run(**more: Any) -> Any:
    task = TaskFacts("mine", language="en", licence="CC0", source="m.jsonl", revision="71cacbf")
    return {"task": task, "model": ModelFacts("echo", {"beam": 5}), "auricle": "0.1.0", "complete": True, "rows": 3,
            "created": "2026-08-14T10:22:31+00:00", **more}  # fmt: skip


def build_run_metrics(records: Any, metrics: Any, **more: Any) -> Metrics:
    table = ScoreTable(metrics)
    list(score_records(records, table))
    return build_metrics(table, summarise(table, SIGNATURE), **describe_run(**more))


def make_record(at: Any, output: Any, target: str = "one two three", meta: Any = None) -> Any:
    ended = {"error": output} if isinstance(output, Failure) else {"outputs": (output,)}
    sample = Sample(id=f"s{at}", inputs={}, target=target, meta=meta or {}, origin=f"m.jsonl:{at}")
    return Record(sample=sample, row=at, **ended)


def make_transcripts(size: Any, failed: int = 0, **more: Any) -> Any:
    records = [
        make_record(at, Generation(text="one too three"), meta={"subset": "ab"[at % 2], "snr": at % 3})
        for at in range(size)
    ]
    records += [make_record(size + at, Failure("Timeout", "too late")) for at in range(failed)]
    return build_run_metrics(records, [error_rates.wer, error_rates.cer], **more), records


def make_classified(names: Any, unreadable: int = 0) -> Any:
    records = []
    for at in range(4 * len(names)):
        predicted = names[(at * at) % len(names)]
        output = Prediction(values={predicted: 0.9, names[0]: 0.1}, scale="probability")
        records.append(make_record(at, output, target=names[at % len(names)]))
    for at in range(unreadable):
        records.append(make_record(1000 + at, Generation(text="no idea"), target=names[0]))
    return build_run_metrics(records, [labels.accuracy, labels.uar, labels.macro_f1]), records


def matrix_words(page: Any) -> Any:
    """The visible_text of the confusion matrix."""
    return page.partition("Confusion matrix:")[2].partition("True against")[0].split()


def view_samples(records: Sequence[Record], metric: Metric | None = None, *, audio: bool = True) -> list[SampleView]:
    """Prepare records for display, with their scores by a metric."""
    lines = [ScoreTable([metric] if metric else []).add(record) for record in records]
    stats = {line.id: line.stats[metric.name] for line in lines if metric and metric.name in line.stats}
    return build_sample_views(records, metric, stats, audio=audio)
