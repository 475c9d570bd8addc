"""The built-in models and their one-line descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.features import Builtin
from auricle.core.registry import Registry
from auricle.core.types import Ability
from auricle.models.base import abilities

_MODELS: Mapping[str, tuple[str, str]] = {
    "moonshine": ("recognisers:Moonshine", "Moonshine tiny-en: English speech to text, CPU, weights included"),
    "pocketsphinx": ("recognisers:PocketSphinx", "PocketSphinx: English speech to text, CPU, weights included"),
    "faster-whisper": ("faster_whisper:FasterWhisper", "Whisper with CTranslate2 weights"),
    "vosk": ("recognisers:Vosk", "Vosk speech to text (Kaldi), CPU"),
    "vllm": ("vllm:VLLM", "vLLM offline engine, local weights"),
    "openai": ("openai:OpenAI", "chat models behind an OpenAI-compatible API (vLLM, SGLang, …)"),
    "azure": ("openai:Azure", "chat models on Azure OpenAI"),
    "vllm-chat": ("openai:VLLMChat", "chat models behind a vLLM server, with log-likelihoods"),
    "completions": ("openai:Completions", "text completion through /v1/completions"),
    "transcription": ("transcription:Transcription", "speech to text through /v1/audio/transcriptions"),
    "responses": ("responses_api:Responses", "chat models through /v1/responses"),
    "hibari": ("hibari:Hibari", "Hibari: English text to speech, CPU, weights included"),
    "espeak": ("espeak:Espeak", "eSpeak NG: text to speech in many languages, CPU, no weights"),
    "speech": ("speech:Speech", "text to speech through /v1/audio/speech"),
    "embeddings": ("retrieval:Embeddings", "embeddings through /v1/embeddings, for load tests"),
    "rerank": ("retrieval:Rerank", "rerankers through /v1/rerank"),
    "gemini": ("gemini:Gemini", "Gemini models through generateContent"),
    "realtime": (
        "sessions.realtime:Realtime",
        "voice agents and streaming recognisers behind OpenAI's Realtime protocol (also vLLM's)",
    ),
    "gemini-live": ("sessions.gemini_live:GeminiLive", "voice agents behind Gemini's Live API"),
    "moonshine-stream": (
        "sessions.recognisers:MoonshineStream",
        "Moonshine tiny-en as a streaming recogniser, CPU, weights included",
    ),
    "vosk-stream": ("sessions.recognisers:VoskStream", "Vosk as a streaming recogniser (Kaldi), CPU"),
    "half-duplex": (
        "sessions.half_duplex:HalfDuplex",
        "any model that answers recorded speech, as a voice agent that listens, then speaks",
    ),
    "cascade": (
        "sessions.cascade:Cascade",
        "a voice agent of local parts: VAD, a recogniser, rules or a text model, and a voice",
    ),
    "whisper": ("transformers.whisper:Whisper", "any Whisper checkpoint; local weights"),
    "ctc": ("transformers.ctc:Ctc", "CTC speech to text: wav2vec 2.0, HuBERT, WavLM; local weights"),
    "audio-chat": ("transformers.audio_chat:AudioChat", "chat models with audio input (Qwen2-Audio, …); local weights"),
    "vision-chat": (
        "transformers.vision_chat:VisionChat",
        "chat models with images and videos (Qwen2.5-VL, …); local weights",
    ),
    "causal": ("transformers.causal:Causal", "text-only language models; local weights"),
    "emotion2vec": ("emotion2vec:Emotion2vec", "emotion2vec+ with FunASR: nine emotions"),
    "audeering": (
        "transformers.audio_classification:Audeering",
        "arousal, dominance and valence from wav2vec 2.0; local weights",
    ),
    "audio-classification": (
        "transformers.audio_classification:AudioClassification",
        "any audio classifier in transformers; local weights",
    ),
    "clap": ("transformers.clap:Clap", "similarity of audio and text (CLAP); local weights"),
    "resemblyzer": ("resemblyzer:Resemblyzer", "speaker embeddings (GE2E), weights included, for `--as verify`"),
    "silero-vad": ("voice_activity:SileroVad", "Silero VAD: where speech is, CPU, weights included"),
    "plcmos": ("mos:Plcmos", "speech quality under packet loss (PLCMOS), CPU, weights included"),
    "distillmos": ("distillmos:Distillmos", "overall speech quality (DistillMOS), weights included"),
    "dnsmos": ("mos:Dnsmos", "speech quality in noise (DNSMOS P.835 and P.808), CPU, weights included"),
}
"""Module, class and summary of each model."""
MODELS: Registry[Any] = Registry(
    "model", {name: Builtin(f"auricle.models.{path}", summary) for name, (path, summary) in _MODELS.items()}
)
model = MODELS
"""Register a model under a name, as a decorator of its class.

Args:
    name (str): Name for `-m` and `Spec`, which no other model may have.

Examples:
    >>> from auricle import AsyncModel, Generation
    >>> @model("parrot-of-this-example")
    ... class Parrot(AsyncModel):
    ...     async def generate(self, request):
    ...         return Generation(text="hello")
"""


def models_with_ability(ability: Ability) -> list[str]:
    """List the built-in models that support a kind of request."""
    return [name for name in _MODELS if ability in abilities(MODELS.get(name))]


def find_model_version(name: str) -> str:
    """Return the version of the package that a built-in model consists of; empty if there is none."""
    return str(MODELS.get(name).listing.version) if name in _MODELS else ""
