"""Similarity of audio and text by CLAP: the cosine of their embeddings.

-m clap -M model=laion/larger_clap_music
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auricle.core.errors import SampleError
from auricle.core.types import Predict, Prediction
from auricle.models.request_input import crop_audio, get_candidate_audio, parse_crop
from auricle.models.transformers.base import LocalModel


class Clap(LocalModel):
    """A model that returns `alignment`, from -1 to 1.

    CLAP takes ten seconds of audio. For longer clips transformers picks a random excerpt; here the embeddings of all
    windows are averaged, weighted by length.
    """

    listing = replace(LocalModel.listing, group="Emotion and sounds", architectures=("ClapModel",))
    name = "clap"

    def __init__(self, *, crop: float | None = None, **weights: Any) -> None:
        self._crop_seconds = parse_crop(self.name, crop)
        super().__init__(**weights)

    def load(self) -> None:
        self.model = self.weights.build(self.library.ClapModel, self.device)
        self._tokenizer = self.weights.load(self.library.AutoTokenizer)
        self._feature_extractor = self.weights.load(self.library.ClapFeatureExtractor)
        self.sample_rate = self._rate = int(self._feature_extractor.sampling_rate)
        text = self.model.config.text_config
        self._max_text_tokens = text.max_position_embeddings - text.pad_token_id - 1

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        texts = [self._request_text(request) for request in batch]
        sounds = [crop_audio(get_candidate_audio(request), self._crop_seconds) for request in batch]
        clips = [sound.decode(self._rate) for sound in sounds]
        with self.inference_mode():
            similarities = (self._embed_audio(clips) * self._embed_texts(texts)).sum(dim=-1).tolist()
        return [Prediction(values={"alignment": similarity}, scale="continuous") for similarity in similarities]

    def _embed_audio(self, clips: Sequence[Any]) -> Any:
        """Return one unit-length embedding per clip."""
        import torch

        window = int(self._feature_extractor.nb_max_samples)
        clip_windows = [[clip[at : at + window] for at in range(0, len(clip), window)] for clip in clips]
        # One window per call: given several, fusing extractors mark one of them at random.
        window_features = [
            self._feature_extractor(samples, sampling_rate=self._rate, return_tensors="pt")
            for windows in clip_windows
            for samples in windows
        ]
        inputs = {key: torch.cat([features[key] for features in window_features]) for key in window_features[0]}
        inputs["input_features"] = inputs["input_features"].to(self.model.dtype)
        inputs = {key: value.to(self.model.device) for key, value in inputs.items()}
        embeddings = iter(_projected_embeddings(self.model.get_audio_features(**inputs)))
        means = [sum(len(samples) * next(embeddings) for samples in windows) for windows in clip_windows]
        return torch.nn.functional.normalize(torch.stack(means), dim=-1)

    def _embed_texts(self, texts: Sequence[str]) -> Any:
        import torch

        tokens = self._tokenizer(list(texts), padding=True, return_tensors="pt")
        if (longest := tokens["input_ids"].shape[1]) > self._max_text_tokens:
            raise SampleError(f"the text has {longest} tokens, but the model reads at most {self._max_text_tokens}")
        inputs = {key: tokens[key].to(self.model.device) for key in ("input_ids", "attention_mask")}
        return torch.nn.functional.normalize(_projected_embeddings(self.model.get_text_features(**inputs)), dim=-1)

    def _request_text(self, request: Predict) -> str:
        text = request.inputs.get("text")
        if not isinstance(text, str) or not text.strip():
            raise SampleError("CLAP needs the input `text`, which is missing or empty")
        return text


def _projected_embeddings(output: Any) -> Any:
    """Return the projected embeddings in double precision."""
    return getattr(output, "pooler_output", output).cpu().double()
