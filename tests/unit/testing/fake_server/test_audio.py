import pytest

from auricle.testing.fake_server.audio import SAMPLE_RATE, encode_wav, generate_pcm, measure_seconds


def test_length_of_the_tone_follows_from_the_number_of_tokens() -> None:
    assert len(generate_pcm(3)) == round(0.15 * SAMPLE_RATE) * 2
    assert len(generate_pcm(0)) == len(generate_pcm(1))


def test_wav_has_the_length_of_its_samples() -> None:
    assert measure_seconds(encode_wav(generate_pcm(4))) == pytest.approx(0.2)


def test_other_formats_count_as_16_khz_pcm() -> None:
    assert measure_seconds(bytes(64_000)) == 2.0
