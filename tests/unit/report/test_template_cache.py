"""Compiled templates are stored, and compiled again when they are outdated or damaged."""

from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from auricle.report.template_cache import TemplateCache


class CountingEnvironment(Environment):
    compiled = 0

    def compile(self, *arguments: object, **options: object) -> object:  # type: ignore[override]  # only counts
        self.compiled += 1
        return super().compile(*arguments, **options)  # type: ignore[call-overload]


def compile_template(source: str = "hello {{ name }}", *, trim_blocks: bool = False) -> bool:
    """Render a template; return whether it was compiled."""
    loader = DictLoader({"greeting.html": source})
    environment = CountingEnvironment(
        loader=loader, autoescape=True, trim_blocks=trim_blocks, bytecode_cache=TemplateCache()
    )
    assert "world" in environment.get_template("greeting.html").render(name="world")
    return bool(environment.compiled)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "auricle" / "templates"


@pytest.mark.usefixtures("folder")
def test_template_is_compiled_once() -> None:
    assert compile_template()
    assert not compile_template()


@pytest.mark.usefixtures("folder")
def test_changed_source_or_options_compile_again() -> None:
    compile_template()
    assert compile_template("good evening {{ name }}")
    assert compile_template("good evening {{ name }}", trim_blocks=True)


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 400])
def test_damaged_file_is_ignored(folder: Path, damage: bytes) -> None:
    compile_template()
    (stored,) = folder.iterdir()
    stored.write_bytes(damage)
    assert compile_template()
    content = stored.read_bytes()
    stored.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert compile_template()


def test_unusable_folder_is_no_error(folder: Path) -> None:
    folder.parent.write_bytes(b"a file where the folder should be")
    assert compile_template()
    assert compile_template()
