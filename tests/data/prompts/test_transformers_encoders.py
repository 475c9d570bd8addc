"""Encoders and tokenizers of Hugging Face transformers, with tiny weights saved to a folder."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("transformers")

from auricle.core.errors import SpecError
from auricle.core.types import Sample
from auricle.data.prompts.retrievers import AudioEncoder, TextEncoder, load_encoder
from auricle.media import Audio
from tests.support import tiny_weights
from tests.support.few_shot import make_sample, make_selector, noise, select_ids

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "on", "mat", "dog", "ran"]


def heard(name: Any, seconds: Any, seed: Any) -> Any:
    sound = Audio.of(noise(int(16_000 * seconds), seed), rate=16_000)
    return Sample(id=name, inputs={"audio": [sound]}, target=name)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    tiny_weights.seeded()
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        initializer_range=0.6,
    )
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def wav2vec2(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from transformers import Wav2Vec2Config, Wav2Vec2FeatureExtractor, Wav2Vec2Model

    folder = tmp_path_factory.mktemp("wav2vec2")
    tiny_weights.seeded()
    config = Wav2Vec2Config(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        conv_dim=(8, 8),
        conv_stride=(10, 8),
        conv_kernel=(10, 8),
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
    )
    Wav2Vec2Model(config).save_pretrained(folder)
    Wav2Vec2FeatureExtractor().save_pretrained(folder)
    return folder


def test_padding_does_not_change_the_text_vector(bert: Any) -> None:
    encode = TextEncoder(str(bert))
    samples = [make_sample("a", "the cat"), make_sample("b", "the dog ran on the mat"), make_sample("c", "sat")]
    together = encode(samples)
    assert together.shape == (3, 16)
    for sample, vector in zip(samples, together, strict=True):
        assert encode([sample])[0] == pytest.approx(vector, abs=1e-5)


def test_too_long_text_is_truncated(bert: Any) -> None:
    assert np.isfinite(TextEncoder(str(bert))([make_sample("a", "the cat " * 99)])).all()


def test_dense_finds_the_same_text_in_other_case(bert: Any) -> None:
    pool = [make_sample("dog", "the dog ran"), make_sample("cat", "the cat sat on the mat")]
    options = {"use": "dense", "encoder": f"text:{bert}", "k": 1}
    assert select_ids(options, pool, make_sample("x", "The cat sat on the mat")) == ["cat"]


def test_audio_vector_is_the_mean_over_time(wav2vec2: Any) -> None:
    encode = load_encoder(f"audio:{wav2vec2}")
    assert isinstance(encode, AudioEncoder)
    samples = [heard("a", 0.5, 1), heard("b", 0.9, 2)]
    together = encode(samples)
    assert together.shape == (2, 16)
    assert encode(samples[1:])[0] == pytest.approx(together[1], abs=1e-6)
    assert together[0] != pytest.approx(together[1], abs=1e-3)


def test_dense_finds_the_same_audio(wav2vec2: Any) -> None:
    pool = [heard("a", 0.5, 1), heard("b", 0.5, 2), heard("c", 0.5, 3)]
    requests = Sample(id="x", inputs={**heard("b", 0.5, 2).inputs, "question": "what?"})
    options = {"use": "dense", "encoder": f"audio:{wav2vec2}", "k": 1}
    assert select_ids(options, pool, requests) == ["b"]


def test_encoder_without_weights_is_refused_in_one_line(tmp_path: Path) -> None:
    options = {"use": "dense", "encoder": f"text:{tmp_path}", "k": 1}
    chosen = make_selector(options, [make_sample("a", "the")])
    with pytest.raises(SpecError, match="Cannot load the encoder") as refused:
        chosen.validate()
    assert "\n" not in str(refused.value)
    assert refused.value.location == ("shots", "encoder")


def test_tokens_are_counted_with_the_given_tokenizer(bert: Any) -> None:
    pool = [Sample(id=f"r{n}", inputs={"question": "the cat sat"}, target="mat") for n in range(5)]  # four tokens each
    options = {"use": "first", "k": 5, "max_tokens": 11, "tokenizer": str(bert)}
    chosen = make_selector(options, pool)
    (sample,) = chosen.attach_to([make_sample("x", "the")])
    assert isinstance(sample, Sample)
    assert sample.meta == {"shots": ["r0", "r1"], "shots_dropped": 3}


def test_missing_tokenizer_is_refused(tmp_path: Path) -> None:
    options = {"use": "first", "k": 1, "max_tokens": 9, "tokenizer": str(tmp_path)}
    chosen = make_selector(options, [make_sample("a", "the")])
    with pytest.raises(SpecError, match="tokenizer") as refused:
        chosen.validate()
    assert refused.value.location == ("shots", "tokenizer")
