"""How perturbations are written, and what all of them have in common."""

import re
from dataclasses import fields

import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound, make_generator
from auricle.media.perturbations.catalogue import PERTURBATIONS, expand_steps, get_perturbation, parse_chain
from tests.support import paths
from tests.support.speech_like import speak

EXAMPLES = (
    "noise:snr=5",
    "noise:snr=5,kind=pink",
    "noise:snr=5,kind=brown",
    "noise:snr=5,kind=speech",
    "noise:snr=5,kind=babble",
    "noise:snr=5,kind=music",
    "noise:snr=5,folder=noises",
    "talker:snr=5",
    "reverb:t60=0.3",
    "codec:g711-mu",
    "codec:amr-nb@4.75k",
    "codec:opus@6k",
    "codec:aac@64k",
    "loss:rate=0.3,burst=1.5",
    "loss:rate=0.3,burst=2,fill=repeat",
    "band:telephone",
    "band:high=2000",
    "band:low=500",
    "resample:rate=8000",
    "gain:db=-20",
    "clip:share=0.1",
    "quantise:bits=6",
    "speed:factor=0.8",
    "speed:factor=1.5",
    "tempo:factor=0.8",
    "tempo:factor=1.5",
    "pitch:semitones=4",
    "pitch:semitones=-4",
    "pad:before=0.5",
    "pad:after=0.5,noise=-60",
    "pause:seconds=0.5",
    "truncate:share=0.4",
    "truncate:seconds=0.3",
    "replace:silence",
    "replace:noise",
    "replace:other",
    "shuffle:piece=0.1",
    "mask:0.2-0.4/0.6-0.7",
    "mask:0-1,fill=noise",
)
"""Every perturbation, as it is written."""
FINGERPRINTS = {
    "noise:snr=5": 25.3109,
    "noise:snr=5,kind=pink": 32.9643,
    "noise:snr=5,kind=brown": 32.7202,
    "noise:snr=5,kind=speech": 21.1003,
    "noise:snr=5,kind=babble": 32.2725,
    "noise:snr=5,kind=music": 32.7167,
    "noise:snr=5,folder=noises": 24.3804,
    "talker:snr=5": 29.8196,
    "reverb:t60=0.3": 35.0222,
    "loss:rate=0.3,burst=1.5": 17.8658,
    "loss:rate=0.3,burst=2,fill=repeat": 17.0346,
    "band:telephone": 10.6149,
    "band:high=2000": 7.1371,
    "band:low=500": 29.5067,
    "resample:rate=8000": 12.9832,
    "gain:db=-20": 2.9832,
    "clip:share=0.1": 26.2252,
    "quantise:bits=6": 28.7714,
    "speed:factor=0.8": -2.4711,
    "speed:factor=1.5": 5.8541,
    "pad:before=0.5": -9.4932,
    "pad:after=0.5,noise=-60": 29.9133,
    "pause:seconds=0.5": 29.5593,
    "truncate:share=0.4": 16.2347,
    "truncate:seconds=0.3": 9.6034,
    "replace:silence": 0.0,
    "replace:noise": -2.528,
    "replace:other": 10.0288,
    "shuffle:piece=0.1": 1.6441,
    "mask:0.2-0.4/0.6-0.7": 19.2853,
    "mask:0-1,fill=noise": -2.3092,
}
"""Product of the changed recording and fixed random numbers, by perturbation; not of those that depend on FFmpeg."""
RANDOM = ("noise", "talker", "reverb", "loss", "pad:after", "replace:noise", "shuffle", "mask:0-1")
"""Perturbations that are different for each sample."""
SPEECH = speak(1.03)
OTHERS = [speak(0.4 + 0.3 * seed, rate, seed) for seed, rate in enumerate((16_000, 8_000, 44_100) * 2, 1)]


def parse(text: str) -> Perturbation:
    (step,) = parse_chain(text).steps
    return step


def apply(text: str, sound: Sound = SPEECH, sample: str = "a") -> PerturbedSound:
    step = parse(text)
    return step.apply(sound, make_generator(sample, step.seed_name), OTHERS[: step.needed_sounds])


def test_all_perturbations_have_an_example() -> None:
    assert {text.partition(":")[0] for text in EXAMPLES} == set(PERTURBATIONS)


def test_page_of_the_documentation_defines_all_perturbations() -> None:
    page = (paths.ROOT / "docs" / "perturbations.md").read_text(encoding="utf-8")
    for name in PERTURBATIONS:
        arguments = {argument.name for argument in fields(get_perturbation(name))}
        assert f"| `{name}:" in page
        for argument in arguments - {"by", "codec", "spans", "band", "start", "end"}:  # which need no name
            assert f"{argument}=" in page, (name, argument)


def test_example_of_the_documentation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (paths.ROOT / "docs" / "perturbations.md").read_text(encoding="utf-8")
    exec(compile(page.split("```python\n")[1].split("```")[0], "perturbations.md", "exec"), {})
    assert re.fullmatch(r"\{'snr': (10\.00|9\.99)\d*, 'gain': 0\.0\}\n", capsys.readouterr().out)


@pytest.mark.parametrize("text", EXAMPLES)
def test_sound_depends_on_the_sample_alone(text: str) -> None:
    before = SPEECH.samples.copy()
    first, second, other = apply(text), apply(text), apply(text, sample="b")
    assert first.sound.samples.tobytes() == second.sound.samples.tobytes()
    assert first.measured == second.measured
    assert np.array_equal(before, SPEECH.samples)
    assert first.sound.samples.dtype == np.float32
    assert not np.array_equal(first.sound.samples, SPEECH.samples)
    differs = not np.array_equal(first.sound.samples, other.sound.samples)
    assert differs == text.startswith(RANDOM)


@pytest.mark.parametrize("text", FINGERPRINTS)
def test_version_gives_the_same_sound_as_ever(text: str) -> None:
    """A change of these numbers needs a new `version` of the perturbation, so that stored answers are not reused."""
    samples = apply(text).sound.samples
    probe = np.random.default_rng(0).standard_normal(len(samples))
    assert float(samples @ probe) == pytest.approx(FINGERPRINTS[text], abs=2e-3)


@pytest.mark.parametrize("text", EXAMPLES)
@pytest.mark.parametrize("count", [1, 160, 16_480])
def test_duration_is_known_before_decoding_even_if_it_is_short(text: str, count: int) -> None:
    sound = Sound(SPEECH.samples[3_000 : 3_000 + count], 16_000)
    changed = apply(text, sound).sound
    assert abs(parse(text).change_duration(len(sound.samples) / 16_000) * changed.rate - len(changed.samples)) <= 1
    assert len(changed.samples)
    assert np.isfinite(changed.samples).all()


@pytest.mark.parametrize("text", EXAMPLES)
def test_written_form_can_be_parsed(text: str) -> None:
    step = parse(text)
    assert parse(str(step)) == step
    assert str(parse(str(step))) == str(step)


def test_every_combination_of_values_is_a_perturbation() -> None:
    chains = expand_steps("noise:snr=20, 10+noise:snr=5,0", get_perturbation)
    assert ["+".join(map(str, chain)) for chain in chains] == [
        "noise:snr=20+noise:snr=5",
        "noise:snr=20+noise:snr=0",
        "noise:snr=10+noise:snr=5",
        "noise:snr=10+noise:snr=0",
    ]


def test_first_argument_needs_no_name() -> None:
    assert str(parse_chain("noise:10")) == "noise:snr=10"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nose:snr=10", "Unknown perturbation 'nose'. Did you mean 'noise'?"),
        ("zzz", "Unknown perturbation 'zzz'. Choose one of"),
        ("", "Unknown perturbation ''"),
        ("noise:snr=loud", "snr must be a number, not 'loud'"),
        ("noise:snr=nan", "snr must be a finite number, not 'nan'"),
        ("noise:level=3", "noise has no argument 'level'; it has"),
        ("noise", "noise needs snr"),
    ],
)
def test_mistakes_are_named(text: str, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        expand_steps(text, get_perturbation)


def test_chain_has_one_value_for_each_argument() -> None:
    with pytest.raises(SpecError, match="stands for 2 perturbations"):
        parse_chain("noise:snr=1,2")


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_names_and_summaries_match(name: str) -> None:
    kind = get_perturbation(name)
    assert kind.name == name
    assert kind.summary.endswith(".")
    assert kind.harder_if in ("lower", "higher")
