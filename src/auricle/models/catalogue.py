"""The built-in models and their one-line descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.registry import Builtin, Registry

_MODELS: Mapping[str, Builtin] = {
    "moonshine": Builtin(
        "auricle.models.moonshine:Moonshine", "Moonshine tiny-en: English speech to text, CPU, weights included"
    ),
    "pocketsphinx": Builtin(
        "auricle.models.pocketsphinx:PocketSphinx", "PocketSphinx: English speech to text, CPU, weights included"
    ),
    "faster-whisper": Builtin("auricle.models.faster_whisper:FasterWhisper", "Whisper with CTranslate2 weights"),
    "vosk": Builtin("auricle.models.vosk:Vosk", "Vosk speech to text (Kaldi), CPU"),
    "vllm": Builtin("auricle.models.vllm:VLLM", "vLLM offline engine, local weights"),
    "openai": Builtin("auricle.models.openai:OpenAI", "chat models behind an OpenAI-compatible API (vLLM, SGLang, …)"),
    "azure": Builtin("auricle.models.openai:Azure", "chat models on Azure OpenAI"),
    "vllm-chat": Builtin("auricle.models.vllm_chat:VLLMChat", "chat models behind a vLLM server, with log-likelihoods"),
    "completions": Builtin("auricle.models.completions:Completions", "text completion through /v1/completions"),
    "transcription": Builtin(
        "auricle.models.transcription:Transcription", "speech to text through /v1/audio/transcriptions"
    ),
    "gemini": Builtin("auricle.models.gemini:Gemini", "Gemini models through generateContent"),
    "whisper": Builtin("auricle.models.transformers.whisper:Whisper", "any Whisper checkpoint; local weights"),
    "ctc": Builtin(
        "auricle.models.transformers.ctc:Ctc", "CTC speech to text: wav2vec 2.0, HuBERT, WavLM; local weights"
    ),
    "audio-chat": Builtin(
        "auricle.models.transformers.audio_chat:AudioChat",
        "chat models with audio input (Qwen2-Audio, …); local weights",
    ),
    "causal": Builtin("auricle.models.transformers.causal:Causal", "text-only language models; local weights"),
    "emotion2vec": Builtin("auricle.models.emotion2vec:Emotion2vec", "emotion2vec+ with FunASR: nine emotions"),
    "audeering": Builtin(
        "auricle.models.transformers.audeering:Audeering",
        "arousal, dominance and valence from wav2vec 2.0; local weights",
    ),
    "audio-classification": Builtin(
        "auricle.models.transformers.audio_classification:AudioClassification",
        "any audio classifier in transformers; local weights",
    ),
    "clap": Builtin("auricle.models.transformers.clap:Clap", "similarity of audio and text (CLAP); local weights"),
    "plcmos": Builtin("auricle.models.mos:Plcmos", "speech quality under packet loss (PLCMOS), CPU, weights included"),
    "dnsmos": Builtin(
        "auricle.models.mos:Dnsmos", "speech quality in noise (DNSMOS P.835 and P.808), CPU, weights included"
    ),
}

MODELS: Registry[Any] = Registry("model", _MODELS)
model = MODELS
