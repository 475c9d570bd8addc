"""A fake Ray that runs actors in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from auricle import SpecError


class RayActorError(Exception):
    """The error of an actor that died."""


class FakeHandle:
    """An actor: its methods have `remote`, as those of Ray's handles."""

    def __init__(self, fake_ray: FakeRay, make_actor: Callable[[], Any]) -> None:
        self._ray, self._make_actor = fake_ray, make_actor
        self._actor: Any = None

    def __getattr__(self, method: str) -> Any:
        return SimpleNamespace(remote=lambda *arguments: self._call(method, arguments))

    async def _call(self, method: str, arguments: tuple[Any, ...]) -> Any:
        behaviour = self._ray.behaviours.pop(0) if self._ray.behaviours else "answer"
        if behaviour == "crash":
            raise RayActorError("node lost")
        if behaviour == "hang":
            await asyncio.Event().wait()
        try:
            self._actor = self._actor or self._make_actor()
        except SpecError as error:
            raise RayActorError("the actor died") from error
        return getattr(self._actor, method)(*arguments)


class FakeRay:
    """The part of Ray's interface that is used."""

    exceptions = SimpleNamespace(RayActorError=RayActorError)

    def __init__(self) -> None:
        self.init_options: dict[str, Any] = {}
        self.actor_options: dict[str, Any] = {}
        self.actor_arguments: list[tuple[Any, ...]] = []
        self.behaviours: list[str] = []
        """What the next calls do: crash, hang or answer."""
        self.started: list[FakeHandle] = []
        self.killed: list[FakeHandle] = []
        self.is_shut_down = False

    def init(self, **options: Any) -> None:
        if options["address"] == "nowhere:6379":
            raise ConnectionError("no route")
        self.init_options = options

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 4.0, "GPU": 2.0}

    def remote(self, actor_class: type) -> Any:
        def start(*arguments: Any) -> FakeHandle:
            self.actor_arguments.append(arguments)
            self.started.append(FakeHandle(self, lambda: actor_class(*arguments)))
            return self.started[-1]

        def options(**actor_options: Any) -> Any:
            self.actor_options = actor_options
            return SimpleNamespace(remote=start)

        return SimpleNamespace(options=options)

    def kill(self, handle: FakeHandle) -> None:
        self.killed.append(handle)

    def shutdown(self) -> None:
        self.is_shut_down = True
