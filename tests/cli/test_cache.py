"""`auricle cache`: contents and clearing of the response cache."""

import json
from pathlib import Path

import pytest

from tests.support.cli_types import RunAuricle

CACHE = ("--cache-path", "cache.sqlite")


@pytest.fixture
def _filled_cache(auricle: RunAuricle, quiz: Path) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run", *CACHE)
    assert done.returncode == 0, done.stderr


def test_missing_cache_is_empty(auricle: RunAuricle) -> None:
    assert auricle("cache", *CACHE).stdout == "The response cache is empty: cache.sqlite\n"


@pytest.mark.usefixtures("_filled_cache")
def test_entries_are_listed_per_model(auricle: RunAuricle) -> None:
    assert auricle("cache", *CACHE).stdout.startswith("cache.sqlite: 5 responses, ")
    document = json.loads(auricle("cache", "show", *CACHE, "--json").stdout)
    assert [(model["model"], model["entries"]) for model in document["models"]] == [("echo", 5)]


@pytest.mark.usefixtures("_filled_cache")
def test_cleared_responses_are_counted(auricle: RunAuricle) -> None:
    assert auricle("cache", "clear", "--older-than", "1", *CACHE).stdout == "Deleted 0 responses from cache.sqlite.\n"
    assert json.loads(auricle("cache", "clear", *CACHE, "--json").stdout) == {"path": "cache.sqlite", "cleared": 5}


@pytest.mark.usefixtures("_filled_cache")
def test_model_without_entries_cannot_be_cleared(auricle: RunAuricle) -> None:
    done = auricle("cache", "clear", "--model", "other", *CACHE)
    assert done.returncode == 2
    assert "No responses of 'other' in cache.sqlite. Cached models: echo." in done.stderr
