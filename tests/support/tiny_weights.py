"""Tiny random models of real families, in the formats of the originals."""

import json
from typing import Any

import numpy as np

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>"]
CHAT = (
    "{% for message in messages %}<s>{{ message['role'] }}: "
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'audio' %}<|audio_bos|><|AUDIO|><|audio_eos|>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}"
    "</s>{% endfor %}{% if add_generation_prompt %}<s>assistant: {% endif %}"
)
AUDIO_ENCODER: dict[str, Any] = {
    "num_mel_bins": 16,
    "d_model": 32,
    "encoder_layers": 1,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
}


def tone(seconds: Any, hertz: float = 440.0, rate: int = 16_000) -> Any:
    """Return a non-silent clip that differs by length."""
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(round(hertz)).normal(0, 0.1, len(time))
    return (0.3 * np.sin(2 * np.pi * hertz * time) + noise).astype(np.float32)


def seeded() -> None:
    import torch

    torch.set_num_threads(1)  # so small a model only waits for more of them
    torch.manual_seed(7)


def tokenizer(chat: Any = None) -> Any:
    """Build a byte tokeniser with a few merges, so that tokens may span a boundary."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE(unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=[AddedToken(item, special=True) for item in SPECIAL],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(["the cat sat on the mat", "a user and an assistant"] * 9, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        chat_template=chat,
    )


def llama(folder: Any, chat: Any = None) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    words = tokenizer(chat)
    seeded()
    sizes = {"intermediate_size": 64, "num_key_value_heads": 4, "max_position_embeddings": 256}
    LlamaForCausalLM(LlamaConfig(**text_model(words, **sizes))).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def whisper(folder: Any, languages: Any = ()) -> Any:
    """Save a Whisper with windows of one second; multilingual if languages are given."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import (
        WhisperConfig,
        WhisperFeatureExtractor,
        WhisperForConditionalGeneration,
        WhisperProcessor,
        WhisperTokenizer,
    )

    marks = ["<|endoftext|>", "<|startoftranscript|>", *(f"<|{item}|>" for item in languages)]
    marks += ["<|translate|>", "<|transcribe|>", "<|startofprev|>", "<|notimestamps|>"]
    marks += [f"<|{step * 0.02:.2f}|>" for step in range(51)]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={item: i for i, item in enumerate(alphabet)}, merges=[]))
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens([AddedToken(item, special=True) for item in marks])
    words = WhisperTokenizer(tokenizer_object=inner)
    number = words.convert_tokens_to_ids
    seeded()
    model = WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=inner.get_vocab_size(),
            num_mel_bins=16,
            d_model=32,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            max_source_positions=50,
            max_target_positions=40,
            init_std=0.5,
            pad_token_id=number("<|endoftext|>"),
            bos_token_id=number("<|endoftext|>"),
            eos_token_id=number("<|endoftext|>"),
            decoder_start_token_id=number("<|startoftranscript|>"),
            suppress_tokens=[],
            begin_suppress_tokens=[],
        )
    )
    spoken = {f"<|{item}|>": number(f"<|{item}|>") for item in languages}
    tasks = {item: number(f"<|{item}|>") for item in ("translate", "transcribe")}
    model.save_pretrained(folder)
    known_values = {"lang_to_id": spoken, "task_to_id": tasks} if languages else {}
    settings = folder / "generation_config.json"
    extra = {
        "is_multilingual": bool(languages),
        "no_timestamps_token_id": number("<|notimestamps|>"),
        "prev_sot_token_id": number("<|startofprev|>"),
        **known_values,
        "_from_model_config": False,  # else what is not in a model's config is dropped
    }
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **extra}))
    ears = WhisperFeatureExtractor(feature_size=16, chunk_length=1)
    WhisperProcessor(ears, words).save_pretrained(folder)
    return folder


def ctc(folder: Any, family: str = "Wav2Vec2", mask: bool = True) -> Any:
    import transformers

    folder.mkdir(exist_ok=True)
    letters = ["<pad>", "<s>", "</s>", "<unk>", "|", *LETTERS]
    table = folder / "vocab.json"
    table.write_text(json.dumps({item: i for i, item in enumerate(letters)}))
    words = transformers.Wav2Vec2CTCTokenizer(str(table))
    ears = transformers.Wav2Vec2FeatureExtractor(return_attention_mask=mask)
    transformers.Wav2Vec2Processor(ears, words).save_pretrained(folder)
    seeded()
    config = getattr(transformers, f"{family}Config")(
        vocab_size=len(letters),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        conv_dim=(16, 16),
        conv_kernel=(10, 8),
        conv_stride=(80, 4),
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=2,
        feat_extract_norm="layer" if mask else "group",
        do_stable_layer_norm=mask,
        initializer_range=0.5,
        pad_token_id=0,
    )
    getattr(transformers, f"{family}ForCTC")(config).save_pretrained(folder)
    return folder


def qwen2_audio(folder: Any, template: Any = CHAT) -> Any:
    """Save a Qwen2-Audio with a limit of one second."""
    from transformers import (
        Qwen2AudioConfig,
        Qwen2AudioEncoderConfig,
        Qwen2AudioForConditionalGeneration,
        Qwen2AudioProcessor,
        Qwen2Config,
        WhisperFeatureExtractor,
    )

    words = tokenizer()
    seeded()
    config = Qwen2AudioConfig(
        audio_config=Qwen2AudioEncoderConfig(**AUDIO_ENCODER, max_source_positions=50, init_std=0.5),
        text_config=Qwen2Config(**text_model(words, max_position_embeddings=256)),
        audio_token_index=words.convert_tokens_to_ids("<|AUDIO|>"),
    )
    model = Qwen2AudioForConditionalGeneration(config)
    model.generation_config.eos_token_id = 2
    model.save_pretrained(folder)
    ears = WhisperFeatureExtractor(feature_size=16, chunk_length=1)
    Qwen2AudioProcessor(ears, words, chat_template=template).save_pretrained(folder)
    return folder


def text_model(words: Any, **changes: int) -> Any:
    return {
        "vocab_size": len(words),
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 2048,
        "initializer_range": 0.6,
        "eos_token_id": 2,
        "bos_token_id": 1,
        "pad_token_id": 0,
        **changes,
    }


def audio_flamingo3(folder: Any) -> Any:
    """Save an Audio Flamingo 3 with windows of thirty seconds and its own padding."""
    import transformers

    words = tokenizer()
    seeded()
    config = transformers.AudioFlamingo3Config(
        audio_config={
            "model_type": "audioflamingo3_encoder",
            "num_mel_bins": 16,
            "hidden_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 32,
        },
        text_config={"model_type": "qwen2", **text_model(words)},
        audio_token_id=words.convert_tokens_to_ids("<|AUDIO|>"),
    )
    model = transformers.AudioFlamingo3ForConditionalGeneration(config)
    model.generation_config.eos_token_id = 2
    model.save_pretrained(folder)
    ears = transformers.WhisperFeatureExtractor(feature_size=16)
    transformers.AudioFlamingo3Processor(ears, words, chat_template=CHAT, audio_token="<|AUDIO|>").save_pretrained(
        folder
    )
    return folder


def omni_thinker(folder: Any) -> Any:
    """Save the text part of Qwen2.5-Omni, with a processor without vision."""
    import transformers
    from transformers.models.qwen2_5_omni.configuration_qwen2_5_omni import Qwen2_5OmniThinkerConfig

    words = tokenizer()
    seeded()
    turning = {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [1, 1, 2]}
    number = words.convert_tokens_to_ids
    config = Qwen2_5OmniThinkerConfig(
        audio_config={**AUDIO_ENCODER, "output_dim": 32, "n_window": 50},
        vision_config={"depth": 1, "hidden_size": 32, "num_heads": 2, "out_hidden_size": 32},
        text_config={**text_model(words), "rope_parameters": turning},
        audio_token_index=number("<|AUDIO|>"),
        audio_start_token_id=number("<|audio_bos|>"),
        audio_end_token_id=number("<|audio_eos|>"),
        image_token_index=number("z"),
        video_token_index=number("q"),
        vision_start_token_id=number("w"),
        vision_end_token_id=number("v"),
    )
    model = transformers.Qwen2_5OmniThinkerForConditionalGeneration(config)
    model.generation_config.eos_token_id = 2
    model.save_pretrained(folder)
    ears = transformers.WhisperFeatureExtractor(feature_size=16)
    transformers.Qwen2AudioProcessor(ears, words, chat_template=CHAT).save_pretrained(folder)
    return folder
