"""A tiny random CLAP checkpoint."""

from typing import Any

from tests.support import tiny_weights


def clap(folder: Any, fusion: bool = False) -> Any:
    from transformers import ClapConfig, ClapFeatureExtractor, ClapModel

    words = tiny_weights.tokenizer()
    tiny_weights.seeded()
    audio = {
        "spec_size": 64,
        "num_mel_bins": 16,
        "window_size": 2,
        "patch_size": 4,
        "patch_stride": [4, 4],
        "patch_embeds_hidden_size": 8,
        "depths": [1, 1],
        "num_attention_heads": [2, 2],
        "num_hidden_layers": 2,
        "hidden_size": 16,
        "projection_dim": 8,
        "enable_fusion": fusion,
    }
    text = {
        "vocab_size": len(words),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": 66,
        "projection_dim": 8,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "initializer_range": 0.6,
    }
    model = ClapModel(ClapConfig(audio_config=audio, text_config=text, projection_dim=8))
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    extractor = ClapFeatureExtractor(
        feature_size=16,
        sampling_rate=8_000,
        hop_length=100,
        max_length_s=1,
        fft_window_size=512,
        frequency_max=4_000,
        truncation="fusion" if fusion else "rand_trunc",
    )
    extractor.save_pretrained(folder)
    return folder
