"""How well a sound and a text agree, by CLAP: the cosine of their embeddings.

-m clap -M model=laion/larger_clap_music
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auricle.core.errors import SampleError
from auricle.core.types import Predict, Prediction
from auricle.models.audio_input import crop_audio, get_candidate_audio, parse_crop
from auricle.models.transformers.base import LocalModel


class Clap(LocalModel):
    """`alignment`, from -1 to 1.

    CLAP hears ten seconds. Of longer sounds transformers takes a stretch by chance; here all of it
    is heard, window after window, and their embeddings averaged by length.
    """

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
        sounds = [self._decode_samples(request) for request in batch]
        with self.inference_mode():
            cosines = (self._embed_audio(sounds) * self._embed_texts(texts)).sum(dim=-1).tolist()
        return [Prediction(values={"alignment": each}, scale="continuous") for each in cosines]

    def _embed_audio(self, sounds: Sequence[Any]) -> Any:
        """One embedding a sound, of length one."""
        import torch

        window = int(self._feature_extractor.nb_max_samples)
        parts = [[s[at : at + window] for at in range(0, len(s), window)] for s in sounds]
        # One by one: together, fusing extractors mark one of them by chance.
        taken = [self._feature_extractor(p, sampling_rate=self._rate, return_tensors="pt") for s in parts for p in s]
        heard = {key: torch.cat([each[key] for each in taken]) for key in taken[0]}
        heard["input_features"] = heard["input_features"].to(self.model.dtype)
        placed = {key: value.to(self.model.device) for key, value in heard.items()}
        found = iter(_projected_embeddings(self.model.get_audio_features(**placed)))
        means = [sum(len(part) * next(found) for part in each) for each in parts]
        return torch.nn.functional.normalize(torch.stack(means), dim=-1)

    def _embed_texts(self, texts: Sequence[str]) -> Any:
        import torch

        tokens = self._tokenizer(list(texts), padding=True, return_tensors="pt")
        if (longest := tokens["input_ids"].shape[1]) > self._max_text_tokens:
            raise SampleError(f"{longest} tokens of text, and the model reads at most {self._max_text_tokens}")
        kept = {key: tokens[key].to(self.model.device) for key in ("input_ids", "attention_mask")}
        return torch.nn.functional.normalize(_projected_embeddings(self.model.get_text_features(**kept)), dim=-1)

    def _decode_samples(self, request: Predict) -> Any:
        return crop_audio(get_candidate_audio(request), self._crop_seconds).decode(self._rate)

    def _request_text(self, request: Predict) -> str:
        text = request.inputs.get("text")
        if not isinstance(text, str) or not text.strip():
            raise SampleError("CLAP compares a sound with `text`, and there is none")
        return text


def _projected_embeddings(output: Any) -> Any:
    """The projected embeddings, in double precision."""
    return getattr(output, "pooler_output", output).cpu().double()
