import pytest

from auricle.core.errors import SpecError
from auricle.core.registry import import_object
from auricle.perf.data.sources import SOURCES, parse_data


def test_source_is_parsed_with_its_argument() -> None:
    assert parse_data("mooncake:a:b.jsonl") == (SOURCES["mooncake"], "a:b.jsonl")


@pytest.mark.parametrize("text", ["mine.jsonl", "synthetic", "synthetic:", "other:x"])
def test_other_text_is_explained(text: str) -> None:
    with pytest.raises(SpecError, match="Expected one of: synthetic:in="):
        parse_data(text)


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_has_a_task(kind: str) -> None:
    assert callable(import_object(SOURCES[kind].task))
