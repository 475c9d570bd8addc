"""What workers are started with, and what they report."""

import pytest

from auricle import Settings, Spec
from auricle.engine.shards.launch_document import WorkerDocument, WorkerReport
from auricle.engine.shards.worker import WorkerResult
from auricle.engine.spec import JudgeSpec
from auricle.runs.usage import Price, RunPrices


def make_document() -> WorkerDocument:
    judge = JudgeSpec(model="openai", args={"model": "j", "rpm": 90})
    arguments = {"model": "m", "rpm": 600, "api_key": "secret-key"}
    spec = Spec(task="qa", model="openai", model_args=arguments, judge=judge)
    settings = Settings(shards="auto", workers=3, shard="1/4", lease=20.0, backend="ray", concurrency=7, devices=("0",))
    prices = RunPrices(Price("m", request=0.01), {"judge": Price("j", input=1.0)})
    return WorkerDocument.create(spec, settings, "s3://bucket/run", name="host", prices=prices, max_cost=9.0)


def test_a_document_survives_its_encoding() -> None:
    document = make_document()
    assert WorkerDocument.parse(document.encode()) == document
    assert document.encode().count(b"\n") == 1


def test_a_worker_processes_a_shard_as_an_ordinary_run() -> None:
    document = make_document()
    settings = document.parse_settings()
    assert settings == Settings(concurrency=7, lease=20.0)
    options = document.worker_options
    assert (options.name, options.lease_seconds, options.shard_filter) == ("host", 20.0, (1, 4))
    assert Spec.model_validate(document.spec).model_args["api_key"] == "secret-key"


def test_rate_limits_and_the_budget_are_divided() -> None:
    shares = [make_document().share(index, 3) for index in range(3)]
    assert [share.name for share in shares] == ["host-0", "host-1", "host-2"]
    assert sum(share.spec["model_args"]["rpm"] for share in shares) == pytest.approx(600)
    assert [Spec.model_validate(share.spec).judges[0].args for share in shares] == [{"model": "j", "rpm": 30}] * 3
    assert sum(share.max_cost or 0 for share in shares) == pytest.approx(9.0)
    assert all(share.is_share for share in shares)
    assert make_document().share(0, 1) == make_document()


def test_a_report_survives_its_encoding() -> None:
    import orjson

    report = WorkerReport(result=WorkerResult(shards=3, rows=30), stop_reason="0.30 USD spent")
    assert WorkerReport.parse(orjson.loads(report.encode())) == report
