"""What comes with the package: names, where each thing stands, and a line about it."""

from auricle.catalogue.asking import ENCODERS, INFERENCERS, RETRIEVERS
from auricle.catalogue.builtin import Builtin
from auricle.catalogue.metrics import METRICS
from auricle.catalogue.models import MODELS
from auricle.catalogue.tasks import TASKS

__all__ = ["ENCODERS", "INFERENCERS", "METRICS", "MODELS", "RETRIEVERS", "TASKS", "Builtin"]
