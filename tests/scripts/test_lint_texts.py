"""`scripts/lint_texts.py`: what it finds in pages and help texts."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from scripts import lint_texts

GUIDE = "Run `make nothing`, and see [a page](gone.md) and `src/auricle/gone.py`.\nNobody does.\n"


def test_faults_of_pages_and_of_help_texts_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command(help="Do something.")
    @click.option("--number", default=1, help="of samples")
    def count(number: int) -> None: ...

    (tmp_path / "Makefile").write_text("test:\n", encoding="utf-8")
    (tmp_path / "CONTRIBUTING.md").write_text(GUIDE, encoding="utf-8")
    monkeypatch.setattr(lint_texts, "ROOT", tmp_path)
    monkeypatch.setattr("auricle.cli.cli", click.Group("auricle", {"count": count}))
    assert lint_texts.find_all() == [
        "auricle count --number: the help is not a sentence that stands alone: 'of samples'",
        "CONTRIBUTING.md: the link to gone.md leads nowhere",
        "CONTRIBUTING.md: src/auricle/gone.py does not exist",
        "CONTRIBUTING.md: there is no `make nothing`",
        "CONTRIBUTING.md:2: Nobody: name who it is",
    ]
