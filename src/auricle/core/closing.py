"""Objects that are closed after use."""

from __future__ import annotations

from typing import Self


class Closing:
    """Closes itself at the end of a `with` block."""

    __slots__ = ()

    def close(self) -> None:
        """Release what the object holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
