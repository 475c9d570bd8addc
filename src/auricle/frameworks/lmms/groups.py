"""Groups of lmms-eval: YAML files whose `task` is a list of tasks, tags and further groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.frameworks.lmms.config_reader import TaskConfig, merge_includes, read_config
from auricle.frameworks.lmms.stubs import find_checkout

GROUP_FIELDS = ("group", "group_alias", "task", "aggregate_metric_list", "metadata")
"""Fields of a group; any other field overrides that of its tasks."""
MEMBER_SEPARATOR = ".yaml:"


@dataclass(frozen=True)
class Member:
    """A task of a group, with the fields that the group overrides."""

    name: str
    config: TaskConfig
    overrides: Mapping[str, Any] = field(default_factory=dict)

    @property
    def overridden_config(self) -> TaskConfig:
        values = {**self.config.values, **self.overrides, "task": self.name}
        return replace(self.config, values=values)


@dataclass
class TaskIndex:
    """The tasks, groups and tags that the YAML files of a folder define."""

    tasks: dict[str, TaskConfig] = field(default_factory=dict)
    groups: dict[str, TaskConfig] = field(default_factory=dict)
    tags: dict[str, list[str]] = field(default_factory=dict)
    unreadable_files: list[str] = field(default_factory=list)

    @classmethod
    def scan(cls, folder: Path) -> TaskIndex:
        index = cls()
        for path in sorted(folder.rglob("*.yaml")):
            try:
                index._add(read_config(path))
            except SpecError:
                index.unreadable_files.append(path.name)  # named if a task is missing
        return index

    def _add(self, config: TaskConfig) -> None:
        name = config.get("task")
        if isinstance(name, list):
            self.groups[str(config.get("group", config.source.stem))] = config
        elif isinstance(name, str):
            self.tasks[name] = config
            for tag in (*_as_list(config.get("tag")), *_as_list(config.get("group"))):
                self.tags.setdefault(str(tag), []).append(name)

    def __contains__(self, name: str) -> bool:
        return name in self.tasks or name in self.groups or name in self.tags

    @property
    def names(self) -> list[str]:
        return sorted({*self.tasks, *self.groups, *self.tags})


def is_group(config: TaskConfig) -> bool:
    return isinstance(config.get("task"), list)


def list_members(group: TaskConfig) -> list[Member]:
    """List the tasks of a group and of the groups within it, in order.

    Names are searched in the folder of the group's file, then in the tasks of the checkout it belongs to.
    """
    members = list(_GroupResolver(group).resolve(group, {}, ()))
    counts: Counter[str] = Counter()
    for position, member in enumerate(members):
        if number := counts[member.name]:  # lmms-eval numbers repetitions the same way
            members[position] = replace(member, name=f"{member.name}-{number}")
        counts[member.name] += 1
    return members


def format_member(group: TaskConfig, member: Member) -> str:
    """Return the path of a member's file, or `GROUP.yaml:NAME` if the group overrides its fields."""
    is_file_as_written = not member.overrides and member.name == member.config.get("task")
    return str(member.config.source) if is_file_as_written else f"{group.source}:{member.name}"


def read_task(path: str) -> TaskConfig:
    """Read `FILE.yaml`, or the task NAME of a group from `GROUP.yaml:NAME`."""
    file, separator, name = path.rpartition(MEMBER_SEPARATOR)
    if not separator:
        return read_config(Path(path).expanduser())
    group = read_config(Path(f"{file}.yaml").expanduser())
    members = {member.name: member for member in list_members(group)} if is_group(group) else {}
    if name not in members:
        raise group.spec_error(f"it is not a group with the task {name!r}. Available: {', '.join(members)}.")
    return members[name].overridden_config


class _GroupResolver:
    def __init__(self, group: TaskConfig) -> None:
        self._index = TaskIndex.scan(group.source.parent)
        self._checkout = find_checkout(group.source)

    def resolve(self, group: TaskConfig, overrides: Mapping[str, Any], parents: Sequence[str]) -> Iterator[Member]:
        """Yield the members of a group whose fields are overridden by those of the groups around it."""
        name = str(group.get("group", group.source.stem))
        if name in parents:
            raise group.spec_error(f"the group {name} contains itself: {' > '.join((*parents, name))}.")
        own = {field: value for field, value in group.values.items() if field not in GROUP_FIELDS}
        for entry in group.get("task"):
            yield from self._resolve_entry(group, entry, {**own, **overrides}, (*parents, name))

    def _resolve_entry(
        self, group: TaskConfig, entry: Any, overrides: Mapping[str, Any], parents: Sequence[str]
    ) -> Iterator[Member]:
        if not isinstance(entry, Mapping):
            yield from self._resolve_name(group, str(entry), overrides, parents)
        elif isinstance(entry.get("task"), list):
            yield from self.resolve(replace(group, values=entry), overrides, parents)
        elif isinstance(name := entry.get("task"), str):
            own = merge_includes({field: value for field, value in entry.items() if field != "task"}, group.source)
            if "dataset_path" in own and name not in self._find(name):  # a task written into the group
                yield Member(name, TaskConfig(group.source, {}), {**own, **overrides})
            else:
                yield from self._resolve_name(group, name, {**own, **overrides}, parents)
        else:
            raise group.spec_error(f"an entry of `task` should be a name or have `task: NAME`, not {entry!r:.80}.")

    def _resolve_name(
        self, group: TaskConfig, name: str, overrides: Mapping[str, Any], parents: Sequence[str]
    ) -> Iterator[Member]:
        index = self._find(name)
        if name in index.tasks:
            yield Member(name, index.tasks[name], overrides)
        elif name in index.groups:
            yield from self.resolve(index.groups[name], overrides, parents)
        elif name in index.tags:
            for task in index.tags[name]:
                yield Member(task, index.tasks[task], overrides)
        else:
            unreadable = f" Files that could not be read: {', '.join(index.unreadable_files[:5])}."
            raise group.spec_error(
                f"no YAML file defines the task, group or tag {name!r}. Available: {', '.join(index.names[:40])}."
                f"{unreadable if index.unreadable_files else ''}"
            )

    def _find(self, name: str) -> TaskIndex:
        """Return an index with a name: that of the folder, or of the whole checkout if the folder has no such name."""
        if name not in self._index and self._checkout:
            checkout_index, self._checkout = TaskIndex.scan(Path(self._checkout) / "tasks"), ""
            if name in checkout_index:
                self._index = checkout_index
        return self._index


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
