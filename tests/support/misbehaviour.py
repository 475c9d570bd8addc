"""What user code may do to its caller, as a module for models of tests: a row of a run asks for one by its name."""

# mypy: ignore-errors
# ruff: noqa: T201, TRY, EM, B904

import asyncio
import contextlib
import gc
import io
import logging
import os
import sys
import threading
import time
import warnings

FAILS, IS_HARMLESS = True, False


class NoText(Exception):
    def __str__(self):
        raise ValueError("no text")


class NoTextAtAll(Exception):
    def __str__(self):
        raise SystemExit("no text")

    __repr__ = __str__


class TextOfWrongType(Exception):
    def __str__(self):
        return 7


class EvilText(str):
    def __str__(self):
        return self

    def __len__(self):
        raise RuntimeError("no length")

    def __format__(self, _):
        raise RuntimeError("no format")


class TextIsEvil(Exception):
    def __str__(self):
        return EvilText("evil")


class NotesAreEvil(Exception):
    __notes__ = 7


class NamelessMeta(type):
    __name__ = property(lambda _: 1 / 0)


class Nameless(Exception, metaclass=NamelessMeta):
    pass


class NoArguments(Exception):
    def __getattribute__(self, name):
        raise RuntimeError(name)


class Bare(BaseException):
    pass


class BareWithoutText(BaseException):
    __str__ = NoText.__str__


class OfAnotherClass(Exception):
    __class__ = property(lambda _: 1 / 0)


class Unprintable:
    def __repr__(self):
        raise KeyError("no repr")

    __str__ = __repr__


class Evasive:
    def __getattr__(self, name):
        raise LookupError(name)


def fail(error):
    raise error


def caused():
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    raise first


def recurse():
    return recurse() + 1


def noted():
    error = ValueError("noted")
    error.__notes__ = [Unprintable(), 7]
    raise error


def grouped():
    raise BaseExceptionGroup("both", [Bare("one"), ValueError("two")])


def deeply_nested():
    value = []
    for _ in range(100_000):
        value = [value]
    return value


def spin(seconds=1000):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(Exception):
            time.sleep(0)


BEHAVIOURS = {
    "StopIteration": (FAILS, lambda: next(item for item in [] if item)),
    "StopIteration with a value": (FAILS, lambda: fail(StopIteration(7))),
    "StopAsyncIteration": (FAILS, lambda: fail(StopAsyncIteration())),
    "GeneratorExit": (FAILS, lambda: fail(GeneratorExit())),
    "CancelledError": (FAILS, lambda: fail(asyncio.CancelledError())),
    "InvalidStateError": (FAILS, lambda: fail(asyncio.InvalidStateError())),
    "SystemExit": (FAILS, lambda: sys.exit(0)),
    "BaseException": (FAILS, lambda: fail(Bare("bare"))),
    "BaseException without a text": (FAILS, lambda: fail(BareWithoutText())),
    "BaseExceptionGroup": (FAILS, grouped),
    "TimeoutError": (FAILS, lambda: fail(TimeoutError())),
    "BrokenPipeError": (FAILS, lambda: fail(BrokenPipeError(32, "broken"))),
    "MemoryError": (FAILS, lambda: fail(MemoryError())),
    "RecursionError": (FAILS, recurse),
    "no text": (FAILS, lambda: fail(NoText())),
    "no text at all": (FAILS, lambda: fail(NoTextAtAll())),
    "text of a wrong type": (FAILS, lambda: fail(TextOfWrongType())),
    "evil text": (FAILS, lambda: fail(TextIsEvil())),
    "evil notes": (FAILS, lambda: fail(NotesAreEvil("notes"))),
    "unprintable notes": (FAILS, noted),
    "unprintable argument": (FAILS, lambda: fail(ValueError(Unprintable()))),
    "nameless class": (FAILS, lambda: fail(Nameless("nameless"))),
    "no attributes": (FAILS, lambda: fail(NoArguments("none"))),
    "of another class": (FAILS, lambda: fail(OfAnotherClass("other"))),
    "cyclic cause": (FAILS, caused),
    "10 MB of text": (FAILS, lambda: fail(ValueError("x" * 10_000_000))),
    "long name": (FAILS, lambda: fail(type("N" * 100_000, (Exception,), {})("long"))),
    "surrogates": (FAILS, lambda: fail(ValueError("\ud800\x00\x1b[31m"))),
    "returns None": (FAILS, lambda: None),
    "returns an evasive object": (FAILS, Evasive),
    "returns an unprintable object": (FAILS, Unprintable),
    "returns a generator": (FAILS, lambda: (item for item in "abc")),
    "returns nested lists": (FAILS, deeply_nested),
    "returns bytes that are no sound": (FAILS, lambda: (b"", "x")),
    "sleeps": (FAILS, lambda: time.sleep(1000)),
    "spins": (FAILS, spin),
    "waits": (FAILS, spin),  # asynchronous code awaits instead, and ignores that it is cancelled
    "changes the folder": (IS_HARMLESS, lambda: os.chdir("/") or "fine"),
    "prints": (IS_HARMLESS, lambda: print("x" * 10_000) or "fine"),
    "logs": (IS_HARMLESS, lambda: logging.disable() or logging.getLogger().handlers.clear() or "fine"),
    "warns": (IS_HARMLESS, lambda: warnings.simplefilter("error") or "fine"),
    "lowers the recursion limit": (IS_HARMLESS, lambda: sys.setrecursionlimit(300) or "fine"),
    "collects no garbage": (IS_HARMLESS, lambda: gc.disable() or "fine"),
    "clears the environment": (IS_HARMLESS, lambda: os.environ.clear() or "fine"),
    "leaves a thread": (
        IS_HARMLESS,
        lambda: threading.Thread(target=time.sleep, args=(3600,), daemon=True).start() or "fine",
    ),
    "replaces stderr": (IS_HARMLESS, lambda: setattr(sys, "stderr", io.StringIO()) or "fine"),
}


def behave(text):
    """Do what the text names, or return the text."""
    return BEHAVIOURS[text][1]() if text in BEHAVIOURS else text
