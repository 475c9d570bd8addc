"""Built-in models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.registry import Builtin, Registry

_MODELS: Mapping[str, Builtin] = {
    "moonshine": Builtin("auricle.models.moonshine:Moonshine", "Moonshine tiny-en, CPU, weights in the wheel"),
    "pocketsphinx": Builtin("auricle.models.pocketsphinx:PocketSphinx", "PocketSphinx en-us, CPU, weights inside"),
    "faster-whisper": Builtin("auricle.models.faster_whisper:FasterWhisper", "Whisper in CTranslate2's form"),
    "vosk": Builtin("auricle.models.vosk:Vosk", "Vosk's Kaldi recognisers, CPU"),
    "vllm": Builtin("auricle.models.vllm:VLLM", "vLLM's offline engine on this machine"),
    "openai": Builtin("auricle.models.openai:OpenAI", "chat over an OpenAI-compatible API: vLLM, SGLang, …"),
    "azure": Builtin("auricle.models.openai:Azure", "the same behind Azure"),
    "vllm-chat": Builtin("auricle.models.vllm_chat:VLLMChat", "chat at a vLLM server, with likelihoods"),
    "completions": Builtin("auricle.models.completions:Completions", "a bare text continued, at /v1/completions"),
    "transcription": Builtin("auricle.models.transcription:Transcription", "OpenAI's transcription endpoint"),
    "gemini": Builtin("auricle.models.gemini:Gemini", "Gemini's generateContent"),
    "whisper": Builtin("auricle.models.transformers.whisper:Whisper", "any Whisper checkpoint, local weights"),
    "ctc": Builtin("auricle.models.transformers.ctc:Ctc", "wav2vec 2.0, HuBERT, WavLM; local weights"),
    "audio-chat": Builtin(
        "auricle.models.transformers.audio_chat:AudioChat", "chat models that hear (Qwen2-Audio, …); local weights"
    ),
    "causal": Builtin("auricle.models.transformers.causal:Causal", "language models, text only; local weights"),
    "emotion2vec": Builtin("auricle.models.emotion2vec:Emotion2vec", "emotion2vec+ through FunASR: nine emotions"),
    "audeering": Builtin(
        "auricle.models.transformers.audeering:Audeering",
        "arousal, dominance and valence by wav2vec 2.0; local weights",
    ),
    "audio-classification": Builtin(
        "auricle.models.transformers.audio_classification:AudioClassification",
        "any classifier of sounds in transformers; local weights",
    ),
    "clap": Builtin("auricle.models.transformers.clap:Clap", "how well sound and text agree; local weights"),
    "plcmos": Builtin("auricle.models.mos:Plcmos", "speech quality after lost packets, CPU, weights inside"),
    "dnsmos": Builtin("auricle.models.mos:Dnsmos", "speech quality in noise: P.835 and P.808, weights inside"),
}

MODELS: Registry[Any] = Registry("model", _MODELS)
model = MODELS
