"""CTC recognisers through transformers."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.core.errors import SpecError
from auricle.core.types import Segment
from auricle.media import Audio
from auricle.models.transformers.ctc import Ctc
from tests.support import tiny_weights
from tests.support.model_requests import answer_one_by_one, generate

# torch warns about the mask type in transformers' WavLM; the mask is right.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Support for mismatched key_padding_mask")]
LENGTHS = [(0.5, 440.0), (0.9, 300.0), (0.3, 200.0)]


def batch() -> Any:
    sounds = (Audio.of(tiny_weights.tone(*item), rate=16_000) for item in LENGTHS)
    return [generate(sound) for sound in sounds]


@pytest.mark.parametrize("family", ["Wav2Vec2", "Hubert", "WavLM"])
def test_batched_transcripts_equal_single_transcripts(tmp_path: Path, family: str) -> None:
    model = Ctc(model=str(tiny_weights.ctc(tmp_path / family, family)))
    answers = model.generate(batch())
    assert answers == answer_one_by_one(model.generate, batch())
    assert any(answer.text for answer in answers)


def test_transcript_equals_that_of_transformers(tmp_path: Path) -> None:
    model = Ctc(model=str(tiny_weights.ctc(tmp_path)))
    samples = tiny_weights.tone(*LENGTHS[0])
    received = model.processor(samples, sampling_rate=16_000, return_tensors="pt")
    with torch.inference_mode():
        letters = model.model(**received).logits.argmax(-1)
    written = model.processor.batch_decode(letters)
    assert model.generate(batch()[:1])[0].text == written[0]


def test_double_letters_are_kept(tmp_path: Path) -> None:
    model = Ctc(model=str(tiny_weights.ctc(tmp_path)))
    spelt = ["h", "e", "e", "l", "<pad>", "l", "o", "|"]
    frames = torch.tensor(model.processor.tokenizer.convert_tokens_to_ids(spelt))
    assert model._to_generation(frames, generate("")).text == "hello"


def test_model_affected_by_padding_gets_batches_of_one(tmp_path: Path) -> None:
    folder = str(tiny_weights.ctc(tmp_path, mask=False))
    assert Ctc(model=folder).batch_size == 1
    assert Ctc(model=folder, batch_size=3).batch_size == 3


def test_model_without_a_mask_is_padded_with_zeros(tmp_path: Path) -> None:
    model = Ctc(model=str(tiny_weights.ctc(tmp_path, mask=False)), batch_size=3)
    assert len(model.generate(batch())) == 3


def test_audio_is_decoded_at_the_rate_of_the_checkpoint(tmp_path: Path) -> None:
    assert Ctc(model=str(tiny_weights.ctc(tmp_path))).sample_rate == 16_000


def test_checkpoint_without_a_ctc_head_is_refused(tmp_path: Path) -> None:
    from transformers import Wav2Vec2ForCTC

    folder = tiny_weights.ctc(tmp_path)
    Wav2Vec2ForCTC.from_pretrained(folder).wav2vec2.save_pretrained(folder)
    with pytest.raises(SpecError, match=r"lacks 2 weights .* \(first: lm_head.bias\)"):
        Ctc(model=str(folder))


def test_times_of_words_are_those_of_their_frames(tmp_path: Path) -> None:
    model = Ctc(model=str(tiny_weights.ctc(tmp_path)), words=True)
    spelt = ["<pad>", "h", "i", "|", "<pad>", "h", "e", "e"]
    frames = torch.tensor(model.processor.tokenizer.convert_tokens_to_ids(spelt))
    answer = model._to_generation(frames, generate(""))
    step = model.model.config.inputs_to_logits_ratio / 16_000
    assert answer.text == "hi he"
    assert answer.segments == (Segment(step, 3 * step, "hi"), Segment(5 * step, 8 * step, "he"))


def test_times_do_not_change_the_text(tmp_path: Path) -> None:
    folder = str(tiny_weights.ctc(tmp_path))
    plain, timed = (Ctc(model=folder, words=words).generate(batch()) for words in (False, True))
    assert [answer.text for answer in plain] == [answer.text for answer in timed]
    assert all(answer.segments is None for answer in plain)
    assert all(answer.segments is not None for answer in timed)
