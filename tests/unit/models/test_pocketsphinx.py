"""PocketSphinx with its real model."""

import pytest

from tests.support.recogniser_checks import RecogniserChecks

pytestmark = pytest.mark.slow


class TestPocketSphinx(RecogniserChecks):
    model_name = "pocketsphinx"
