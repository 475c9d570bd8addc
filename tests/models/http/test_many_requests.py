"""Concurrent requests to one and several servers, including cancelled ones."""

import asyncio
import gc
import socket
import time
from typing import Any, cast

import pytest

from auricle import Generation, Settings
from auricle.engine.retry import RetryingSender
from auricle.engine.slots import DirectSlot
from auricle.models.openai import OpenAI
from tests.support.http_servers import closing_model, question, run_model

QUICK = Settings(initial_backoff=0.001, max_attempts=6)


def model_at(*servers: Any, **options: Any) -> Any:
    urls = [server if isinstance(server, str) else server.url for server in servers]
    return OpenAI(**{"base_url": urls, "model": "fake", **options})


@pytest.fixture
def free_port() -> Any:
    with socket.create_server(("127.0.0.1", 0)) as result:
        return result.getsockname()[1]


def many(model: Any, number: Any, settings: Any = QUICK) -> Any:
    async def main() -> Any:
        async with closing_model(model):
            seat = DirectSlot(model, number)
            asks = (RetryingSender(seat, settings)(question(f"number {at}")) for at in range(number))
            return [cast(Generation, output).text for output in await asyncio.gather(*asks)]

    return asyncio.run(main())


def test_several_servers_share_the_work(serve: Any) -> None:
    servers = [serve(latency=0.02), serve(latency=0.02)]
    assert many(model_at(*servers), 64) == [f"number {at}" for at in range(64)]
    shares = [sum(server.stats()["answered"].values()) for server in servers]
    assert min(shares) >= 16
    assert sum(shares) == 64


@pytest.mark.parametrize("fault", ["500", "drop", "503"])
def test_failing_server_does_not_attract_requests(serve: Any, fault: str) -> None:
    good, bad = serve(latency=0.005), serve(faults={fault: 1.0})
    assert many(model_at(good, bad), 200) == [f"number {at}" for at in range(200)]
    assert sum(bad.stats()["faults"].values()) < 60


def test_requests_avoid_an_unreachable_server(serve: Any, free_port: Any) -> None:
    model = model_at(serve(), f"http://127.0.0.1:{free_port}/v1")
    assert many(model, 100) == [f"number {at}" for at in range(100)]


@pytest.mark.slow
def test_every_request_is_answered_once_by_a_small_server(serve: Any) -> None:
    server = serve(capacity=4, latency=0.005, retry_after=0.02)
    settings = Settings(initial_backoff=0.02, max_attempts=20)
    assert len(many(model_at(server), 100, settings)) == 100
    assert set(server.stats()["answered"].values()) == {1}


def test_requests_per_minute_are_respected(serve: Any) -> None:
    began = time.monotonic()
    many(model_at(serve(), rpm=60 / 0.02), 11)
    assert time.monotonic() - began >= 0.2


@pytest.mark.parametrize("stream", [False, True])
def test_tokens_per_minute_are_respected(serve: Any, stream: bool) -> None:
    model = model_at(serve(), tpm=60 / 0.01, stream=stream)  # four tokens a question and answer
    began = time.monotonic()
    run_model(model, *[question(f"number {at}") for at in range(5)])
    assert time.monotonic() - began >= 4 * 4 * 0.01


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", ["hang", "endless"])
def test_cancelled_request_releases_its_slot(serve: Any, fault: str, stream: bool) -> None:
    async def main() -> Any:
        async with closing_model(model_at(serve(faults={fault: 1.0}), stream=stream)) as model:
            tasks = [asyncio.create_task(model.generate(question(str(at)))) for at in range(40)]
            await asyncio.sleep(0.1)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            return [item.limiter.in_flight for item in model._pool.endpoints]

    assert asyncio.run(main()) == [0]


def test_failed_encoding_releases_its_slot(serve: Any) -> None:
    def broken() -> None:
        raise ValueError("no body")

    async def main() -> Any:
        async with closing_model(model_at(serve())) as model:
            with pytest.raises(ValueError, match="no body"):
                await model.post("/chat/completions", broken)
            return model._pool.endpoints[0].limiter.in_flight

    assert asyncio.run(main()) == 0


def test_abandoned_stream_releases_its_slot(serve: Any) -> None:
    server = serve(faults={"endless": 1.0})

    async def main() -> Any:
        async with closing_model(model_at(server)) as model:
            stream = model.stream(question("one two"))
            assert await anext(stream) == "one"
            await stream.aclose()
            return model._pool.endpoints[0].limiter.in_flight

    assert asyncio.run(main()) == 0


@pytest.mark.slow
def test_close_closes_all_connections(serve: Any) -> None:
    server = serve()
    many(model_at(server), 50)
    run_model(model_at(server, stream=True))
    asyncio.run(model_at(server).close())
    gc.collect()  # whatever was left open would warn now, and warnings are errors
