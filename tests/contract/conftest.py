"""What the promises are tested with."""

from tests.support.real_server import language_model as language_model
