"""Names of the pages of a site."""

import re

import pytest

from auricle.studies.leaderboards.site_names import name_models, name_sample, slugify
from auricle.studies.leaderboards.table import Row


@pytest.mark.parametrize(
    ("text", "slug"),
    [("Whisper tiny.en", "whisper-tiny.en"), ("../..", "other"), ("模型", "other"), ("a" * 99, "a" * 40)],
)
def test_slugs_are_safe_names_of_files(text: str, slug: str) -> None:
    assert slugify(text) == slug
    assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", slug)


def test_samples_whose_ids_differ_only_in_other_letters_have_different_pages() -> None:
    names = [name_sample(sample) for sample in ("a/b", "a b", "A-b", "录音1", "录音2")]
    assert len(set(names)) == 5
    assert names[0].startswith("a-b-")


def test_models_are_named_by_their_arguments_too() -> None:
    rows = [Row("m", "", {}), Row("m", "size=1", {}), Row("m", "size=2", {}), Row("M", "", {})]
    names = name_models(rows)
    assert names[0] == "m"
    assert names[3] == "m-2"
    assert len(set(names)) == 4
