"""Tiny random chat models of real families that take images and videos."""

from typing import Any

from tests.support.tiny_weights import AUDIO_ENCODER, seeded, text_model, tokenizer

MARKS = {"image": "<|image_pad|>", "video": "<|video_pad|>", "audio": "<|AUDIO|>"}
TEMPLATE = (
    "{% for message in messages %}<s>{{ message['role'] }}: "
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif part['type'] == 'video' %}<|vision_start|><|video_pad|><|vision_end|>"
    "{% elif part['type'] == 'audio' %}<|audio_bos|><|AUDIO|><|audio_eos|>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}"
    "</s>{% endfor %}{% if add_generation_prompt %}<s>assistant: {% endif %}"
)
"""A chat template with places for images, videos and audio."""
ROPE = {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [1, 1, 2]}
PATCHES = {"patch_size": 4, "temporal_patch_size": 2, "merge_size": 2}
PIXELS = {"shortest_edge": 64, "longest_edge": 1024}


def vision_tokenizer() -> Any:
    """Return the tokeniser of the other tiny models, with named tokens for all media."""
    from transformers import PreTrainedTokenizerFast

    words = tokenizer()
    limits = {"vision_bos": "<|vision_start|>", "vision_eos": "<|vision_end|>"}
    limits |= {"audio_bos": "<|audio_bos|>", "audio_eos": "<|audio_eos|>"}
    names = {f"{name}_token": token for name, token in {**MARKS, **limits}.items()}
    usual = {name: getattr(words, name) for name in ("pad_token", "bos_token", "eos_token", "unk_token")}
    return PreTrainedTokenizerFast(
        tokenizer_object=words.backend_tokenizer, **usual, model_specific_special_tokens=names
    )


def llava(folder: Any, template: str = TEMPLATE) -> Any:
    """Save a LLaVA, which takes images but no videos; an image takes four tokens."""
    import transformers

    words = vision_tokenizer()
    seeded()
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            image_size=28,
            patch_size=14,
            initializer_factor=3.0,
        ),
        text_config=transformers.LlamaConfig(**text_model(words, max_position_embeddings=256)),
        image_token_index=words.convert_tokens_to_ids(MARKS["image"]),
    )
    model = transformers.LlavaForConditionalGeneration(config)
    model.generation_config.eos_token_id = 2
    model.save_pretrained(folder)
    eyes = transformers.CLIPImageProcessorPil(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}, do_center_crop=True
    )
    transformers.LlavaProcessor(
        eyes,
        words,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        image_token=MARKS["image"],
        chat_template=template,
    ).save_pretrained(folder)
    return folder


def qwen2_vl(folder: Any) -> Any:
    """Save a Qwen2-VL, which takes images and videos; its processor needs torchvision."""
    import transformers

    words = vision_tokenizer()
    seeded()
    number = words.convert_tokens_to_ids
    config = transformers.Qwen2VLConfig(
        text_config={**text_model(words), "rope_parameters": ROPE},
        vision_config={
            "depth": 1,
            "embed_dim": 32,
            "num_heads": 2,
            "mlp_ratio": 1,
            "hidden_size": 32,
            "patch_size": PATCHES["patch_size"],
            "temporal_patch_size": PATCHES["temporal_patch_size"],
            "spatial_merge_size": PATCHES["merge_size"],
        },
        image_token_id=number(MARKS["image"]),
        video_token_id=number(MARKS["video"]),
        vision_start_token_id=number("<|vision_start|>"),
        vision_end_token_id=number("<|vision_end|>"),
    )
    model = transformers.Qwen2VLForConditionalGeneration(config)
    model.generation_config.eos_token_id = 2
    model.save_pretrained(folder)
    transformers.Qwen2VLProcessor(
        transformers.Qwen2VLImageProcessor(**PATCHES, size=PIXELS),
        words,
        transformers.Qwen2VLVideoProcessor(**PATCHES, size=PIXELS),
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
    return folder


def qwen2_5_omni(folder: Any) -> Any:
    """Save the text part of Qwen2.5-Omni, with its processor for everything; that needs torchvision."""
    import transformers

    words = vision_tokenizer()
    save_omni_thinker(folder, words)
    transformers.Qwen2_5OmniProcessor(
        transformers.Qwen2VLImageProcessor(),
        transformers.Qwen2VLVideoProcessor(),
        transformers.WhisperFeatureExtractor(feature_size=16),
        words,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
    return folder


def save_omni_thinker(folder: Any, words: Any) -> None:
    """Save the weights of the text part of Qwen2.5-Omni, with eyes and ears."""
    import transformers
    from transformers.models.qwen2_5_omni.configuration_qwen2_5_omni import Qwen2_5OmniThinkerConfig

    seeded()
    number = words.convert_tokens_to_ids
    vision = {"depth": 1, "hidden_size": 32, "intermediate_size": 32, "num_heads": 2, "out_hidden_size": 32}
    config = Qwen2_5OmniThinkerConfig(
        audio_config={**AUDIO_ENCODER, "output_dim": 32, "n_window": 50},
        vision_config={**vision, "patch_size": 14, "fullatt_block_indexes": [0]},
        text_config={**text_model(words), "rope_parameters": ROPE},
        audio_token_index=number(MARKS["audio"]),
        audio_start_token_id=number("<|audio_bos|>"),
        audio_end_token_id=number("<|audio_eos|>"),
        image_token_index=number(MARKS["image"]),
        video_token_index=number(MARKS["video"]),
        vision_start_token_id=number("<|vision_start|>"),
        vision_end_token_id=number("<|vision_end|>"),
    )
    model = transformers.Qwen2_5OmniThinkerForConditionalGeneration(config)
    model.generation_config.eos_token_id = 2
    model.save_pretrained(folder)
