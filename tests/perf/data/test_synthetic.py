from itertools import islice
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Sample
from auricle.media import Audio
from auricle.perf.data.synthetic import INSTRUCTION, synthetic


def make_samples(requests: str, count: int, seed: int = 0) -> list[Sample]:
    samples: Any = synthetic(requests=requests, seed=seed).samples
    return list(islice(samples, count))


def prompt_of(sample: Sample) -> str:
    content = sample.inputs["content"]
    assert isinstance(content, list)
    assert isinstance(content[-1], str)
    return content[-1]


def audio_of(sample: Sample) -> Audio | None:
    content = sample.inputs["content"]
    assert isinstance(content, list)
    return content[0] if isinstance(content[0], Audio) else None


def test_prompts_are_unique_and_have_the_requested_lengths() -> None:
    samples = make_samples("in=20..30,out=5", 200)
    prompts = [prompt_of(sample) for sample in samples]
    assert len({*prompts}) == 200
    assert {len(prompt.split()) for prompt in prompts} == {*range(20, 31)}
    assert {sample.meta["max_tokens"] for sample in samples} == {5}


def test_prefixes_are_shared_by_the_requested_number_of_groups() -> None:
    words = [prompt_of(sample).split() for sample in make_samples("in=10,prefix=32x4", 100)]
    assert len({tuple(prompt[:32]) for prompt in words}) == 4
    assert len({tuple(prompt[32:]) for prompt in words}) == 100
    assert {len(prompt) for prompt in words} == {42}


def test_rows_depend_on_the_seed_and_their_number_only() -> None:
    first, again, other = ([prompt_of(sample) for sample in make_samples("in=10±3", 20, seed)] for seed in (1, 1, 2))
    assert first == again
    assert not {*first} & {*other}


def test_sound_has_lengths_within_the_bounds() -> None:
    clips = [audio_of(sample) for sample in make_samples("audio=0.5..1.5s", 30)]
    seconds = [clip.seconds for clip in clips if clip]
    assert len(seconds) == 30
    assert 0.5 <= min(seconds) < 0.8 < 1.2 < max(seconds) <= 1.5
    assert prompt_of(make_samples("audio=1s", 1)[0]) == INSTRUCTION


def test_shapes_are_mixed_by_weight() -> None:
    lengths = [len(prompt_of(sample).split()) for sample in make_samples("in=4,weight=3;in=8", 1000)]
    assert lengths.count(4) + lengths.count(8) == 1000
    assert lengths.count(4) == pytest.approx(750, abs=50)


@pytest.mark.parametrize(
    ("requests", "message"),
    [
        ("", "in= or audio= is missing"),
        ("out=5", "in= or audio= is missing"),
        ("in=5,in=6", "in is given twice"),
        ("in=5,prefix=x8", "such as 256x8"),
        ("in=5,weight=0", "weight must be a number above 0"),
        ("in=5,colour=red", "unknown option 'colour'"),
        ("in=5,pool=here", "pool= needs audio="),
        ("in=many", "expected a number"),
    ],
)
def test_invalid_shape_is_explained(requests: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        synthetic(requests=requests)
