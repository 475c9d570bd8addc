"""Tiny random emotion models, in the formats of the originals."""

import json
from typing import Any

from tests.support.tiny_weights import seeded

LABELS = [
    "生气/angry",
    "厌恶/disgusted",
    "恐惧/fearful",
    "开心/happy",
    "中立/neutral",
    "其他/other",
    "难过/sad",
    "吃惊/surprised",
    "<unk>",
]
WAV2VEC2 = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "conv_dim": (16, 16),
    "conv_kernel": (10, 8),
    "conv_stride": (80, 4),
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 2,
    "feat_extract_norm": "layer",
    "do_stable_layer_norm": True,
    "initializer_range": 0.2,
}


def emotion2vec(folder: Any, labels: Any = LABELS, **other: Any) -> Any:
    """Write a FunASR directory: config.yaml, model.pt, tokens.txt and configuration.json."""
    import torch
    import yaml
    from funasr.models.emotion2vec.model import Emotion2vec

    folder.mkdir(exist_ok=True)
    config = {
        "model": "Emotion2vec",
        "model_conf": emotion2vec_shape(),
        "tokenizer": "CharTokenizer",
        "tokenizer_conf": {"unk_symbol": "<unk>", "split_with_space": True},
        **other,
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (folder / "tokens.txt").write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
    files = {"init_param": "model.pt", "config": "config.yaml", "tokenizer_conf": {"token_list": "tokens.txt"}}
    about = {"framework": "pytorch", "task": "emotion-recognition", "file_path_metas": files}
    (folder / "configuration.json").write_text(json.dumps(about))
    seeded()
    model = Emotion2vec(model_conf=config["model_conf"], vocab_size=len(labels))
    for weight in model.parameters():  # so that labels are not all as likely as each other
        weight.data += 0.1 * torch.randn_like(weight)
    weights = model.state_dict()
    published = {k: v for k, v in weights.items() if ".AUDIO.decoder." not in k}
    torch.save({"model": published}, folder / "model.pt")
    return folder


def emotion2vec_shape() -> Any:
    audio = {
        "type": "AUDIO",
        "prenet_depth": 1,
        "prenet_layerdrop": 0.0,
        "prenet_dropout": 0.0,
        "start_drop_path_rate": 0.0,
        "end_drop_path_rate": 0.0,
        "num_extra_tokens": 2,
        "init_extra_token_zero": True,
        "mask_noise_std": 0.01,
        "mask_prob": 0.5,
        "mask_prob_min": None,
        "inverse_mask": False,
        "mask_prob_adjust": 0.05,
        "keep_masked_pct": 0.0,
        "mask_length": 5,
        "add_masks": False,
        "remove_masks": False,
        "mask_dropout": 0.0,
        "encoder_zero_mask": True,
        "mask_channel_prob": 0.0,
        "mask_channel_length": 64,
        "local_grad_mult": 1.0,
        "use_alibi_encoder": True,
        "alibi_scale": 1.0,
        "learned_alibi": False,
        "alibi_max_pos": None,
        "learned_alibi_scale": True,
        "learned_alibi_scale_per_head": True,
        "learned_alibi_scale_per_layer": False,
        "num_alibi_heads": 4,
        "model_depth": 2,
        "decoder": {
            "decoder_dim": 16,
            "decoder_groups": 4,
            "decoder_kernel": 3,
            "decoder_layers": 1,
            "input_dropout": 0.1,
            "add_positions_masked": False,
            "add_positions_all": False,
            "decoder_residual": True,
            "projection_layers": 1,
            "projection_ratio": 2.0,
        },
        "extractor_mode": "layer_norm",
        "feature_encoder_spec": "[(32, 10, 5)] + [(32, 3, 2)] * 4 + [(32,2,2)] + [(32,2,2)]",
        "conv_pos_width": 15,
        "conv_pos_groups": 4,
        "conv_pos_depth": 3,
        "conv_pos_pre_ln": False,
    }
    return {
        "loss_beta": 0.0,
        "loss_scale": None,
        "depth": 2,
        "start_drop_path_rate": 0.0,
        "end_drop_path_rate": 0.0,
        "num_heads": 4,
        "norm_eps": 1e-5,
        "norm_affine": True,
        "encoder_dropout": 0.1,
        "post_mlp_drop": 0.1,
        "attention_dropout": 0.1,
        "activation_dropout": 0.0,
        "dropout_input": 0.0,
        "layerdrop": 0.05,
        "embed_dim": 48,
        "mlp_ratio": 2.0,
        "layer_norm_first": False,
        "end_of_block_targets": False,
        "clone_batch": 1,
        "average_top_k_layers": 2,
        "normalize": True,
        "modalities": {"audio": audio},
    }


def ears(folder: Any, **settings: Any) -> None:
    from transformers import Wav2Vec2FeatureExtractor

    value = {"return_attention_mask": True, "do_normalize": True, **settings}
    Wav2Vec2FeatureExtractor(**value).save_pretrained(folder)


def audeering(folder: Any, labels: Any = ("arousal", "dominance", "valence"), **settings: Any) -> Any:
    """Save a wav2vec 2.0 with audeering's head, which transformers does not have."""
    from transformers import Wav2Vec2Config

    from auricle.models.transformers.pooled_regressor import PooledRegressor

    seeded()
    names = dict(enumerate(labels))
    PooledRegressor(Wav2Vec2Config(**WAV2VEC2, id2label=names)).save_pretrained(folder)
    ears(folder, **settings)
    return folder


def old_style(folder: Any) -> Any:
    """Save the same weights as in 2022: a pickle with old weight names."""
    import torch
    from safetensors.torch import load_file

    renamed = {"parametrizations.weight.original0": "weight_g", "parametrizations.weight.original1": "weight_v"}
    weights = load_file(folder / "model.safetensors")
    for new, old in renamed.items():
        weights = {name.replace(new, old): weight for name, weight in weights.items()}
    assert any(name.endswith("weight_g") for name in weights)
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    return folder


def classifier(folder: Any, family: str = "Wav2Vec2", labels: Any = ("angry", "happy", "sad"), **other: Any) -> Any:
    """Save a transformers classifier; `other` goes into its configuration."""
    import transformers

    seeded()
    shape = {**WAV2VEC2, "classifier_proj_size": 16, "id2label": dict(enumerate(labels)), **other}
    config = getattr(transformers, f"{family}Config")(**shape)
    getattr(transformers, f"{family}ForSequenceClassification")(config).save_pretrained(folder)
    ears(folder)
    return folder
