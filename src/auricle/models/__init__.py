"""Models, one module per family, imported when they are requested by name."""

from auricle.models.adapt import adapt
from auricle.models.base import AsyncModel, BatchModel, Model, abilities

__all__ = ["AsyncModel", "BatchModel", "Model", "abilities", "adapt"]
