"""Read SVG plots in tests."""

from html.parser import HTMLParser
from typing import Any

from auricle.tasks.labels import dimensions

EVIL = "<script>alert('x')</script>"


class SvgReader(HTMLParser):
    """Tags with their attributes and texts; refuses tags that do not close in order."""

    def __init__(self, svg: Any) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(svg)
        self.close()
        assert self._open == []

    def handle_starttag(self, name: Any, attributes: Any) -> None:
        self._open.append(name)
        self.elements.append((name, dict(attributes)))

    def handle_endtag(self, name: Any) -> None:
        assert self._open.pop() == name

    def handle_data(self, data: Any) -> None:
        if self._open[-1:] == ["text"]:
            self.texts.append(data)

    def of(self, kind: Any) -> Any:
        return [each for _, each in self.elements if kind in each.get("class", "").split()]


def describe_spread(sizes: Any) -> Any:
    stats = [
        (label, (("arousal", place + 0.01 * at), ("valence", 0.02 * at)))
        for place, (label, size) in enumerate(sizes.items())
        for at in range(size)
    ]
    return {**dimensions.eta2.details(stats), **dimensions.eta2.plot_data(stats)}
