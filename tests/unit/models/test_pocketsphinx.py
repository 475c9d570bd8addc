"""PocketSphinx with its real model."""

from tests.support.recogniser_checks import RecogniserChecks


class TestPocketSphinx(RecogniserChecks):
    model_name = "pocketsphinx"
