"""Models: one file each, imported when asked for by name."""

from auricle.models.adapt import adapt
from auricle.models.base import AsyncModel, BatchModel, Model, abilities

__all__ = ["AsyncModel", "BatchModel", "Model", "abilities", "adapt"]
