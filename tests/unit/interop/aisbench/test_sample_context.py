import asyncio
from collections.abc import Iterator

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Request, Sample
from auricle.interop.aisbench.sample_context import SampleContext


@pytest.fixture
def context() -> Iterator[SampleContext]:
    async def ask(request: Request) -> Generation:
        return Generation(text="yes", tokens=1)

    loop = asyncio.new_event_loop()
    yield SampleContext(Sample(id="1", inputs={}), ask, loop, is_local=False)
    loop.close()


def test_a_reported_text_keeps_the_metadata_of_its_answer(context: SampleContext) -> None:
    asyncio.run(context.generate("Well?", 8, {}))
    context.reports.append("yes")
    assert context.outputs("Mine") == (Generation(text="yes", tokens=1),)


def test_a_changed_text_keeps_the_metadata_of_the_only_answer(context: SampleContext) -> None:
    asyncio.run(context.generate("Well?", 8, {}))
    context.reports.append("no")
    (output,) = context.outputs("Mine")
    assert (output.text, output.tokens) == ("no", 1)


def test_an_invalid_limit_is_rejected(context: SampleContext) -> None:
    with pytest.raises(SampleError, match="max_out_len should be a positive integer, not 0"):
        asyncio.run(context.generate("Well?", 0, {}))


def test_a_report_must_be_text(context: SampleContext) -> None:
    context.reports.append(7)
    with pytest.raises(SampleError, match="Mine should report a text, not int"):
        context.outputs("Mine")
