"""DistillMOS: speech quality by a small network that imitates a large one; the weights are part of the package.

-m distillmos
"""

from __future__ import annotations

from typing import Annotated, Any

from auricle.core.arguments import Hint
from auricle.core.errors import SpecError, describe
from auricle.models.listing import ModelListing
from auricle.models.mos import MosModel
from auricle.models.transformers.weights import resolve_device


class Distillmos(MosModel):
    """Overall quality of speech; clips are rated in segments of 7.68 s, whose ratings are averaged by the package."""

    listing = ModelListing(
        group="Quality and reward", extra="distillmos", packages=("distillmos", "torch"), weights="package"
    )
    name = "distillmos"

    def __init__(
        self,
        *,
        crop: float | None = None,
        device: Annotated[str, Hint(choices=("auto", "cpu", "cuda:0", "mps"))] = "auto",
    ) -> None:
        """Load the network.

        Args:
            crop: Rate only the first `crop` seconds of each clip.
            device: `auto`, `cpu`, `cuda:N` or `mps`.
        """
        super().__init__(crop)
        self.listing.require("The model distillmos")
        try:
            from distillmos import ConvTransformerSQAModel
        except (ImportError, OSError) as error:  # such as a torchaudio that does not fit torch
            raise SpecError(f"distillmos cannot be imported: {describe(error)}") from error
        self._device = resolve_device("distillmos", device)
        self._network: Any = ConvTransformerSQAModel().eval().to(self._device)

    def predict_mos(self, samples: Any) -> dict[str, float]:
        import torch

        with torch.inference_mode():
            rating = self._network(torch.from_numpy(samples)[None].to(self._device))
        return {"distillmos": float(rating.item())}

    def close(self) -> None:
        self._network = None
