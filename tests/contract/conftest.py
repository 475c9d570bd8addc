"""What the promises are tested with."""

from real_server import language_model as language_model
