"""The messages that `doc_to_messages` returns to classes in the form of lmms-eval's guide."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any


class MessagePart(dict[str, Any]):
    """One text, image, video or sound of a message: a dict whose items are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(f"a part of type {self.get('type')} has no {name}; it has {', '.join(self)}")
        return self[name]


class GuideMessages(list[dict[str, Any]]):
    """A list of messages that serves lmms-eval's guide as well as its code.

    To `ChatMessages(messages=…)`, indexing, `insert` and `+` it is the list of dicts that lmms-eval's code passes.
    The guide calls the methods of `ChatMessages` on it, and iterates over the parts of all messages.
    """

    def __iter__(self) -> Iterator[Any]:
        for message in super().__iter__():
            contents = message["content"]
            for content in [{"type": "text", "text": contents}] if isinstance(contents, str) else contents:
                yield MessagePart({"role": message["role"], "content": [content], **content})

    def __getattr__(self, name: str) -> Any:
        """Return a method of lmms-eval's `ChatMessages`, such as `extract_media` and `to_hf_messages`."""
        if name.startswith("_"):
            raise AttributeError(name)
        chat_messages = import_module("lmms_eval.protocol").ChatMessages
        return getattr(chat_messages(messages=self.copy()), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.copy(),)  # the default rebuilds a list from its iterator
