"""Read AISBench's dataset configs without running them.

Configs are Python files that assign dictionaries, in loops or from other configs. Statements are interpreted by
`ConfigInterpreter`, expressions by `ExpressionEvaluator`; code that would have to run raises an error with its line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.frameworks.aisbench.config_expressions import (
    MAX_SIZE,
    ExpressionEvaluator,
    NotAllowed,
    Symbol,
    count_values,
)

INCLUDE_STATEMENT = "read_base()"
"""Context manager whose body imports from other configs."""


@dataclass
class ConfigInterpreter(ExpressionEvaluator):
    """Interprets the statements of one config."""

    including: tuple[Path, ...] = ()
    """Configs that include this one."""
    configs: dict[Path, dict[str, Any]] = field(default_factory=dict)
    """Names of the configs included so far. Each is read once, so that two imports give the same object."""

    def interpret(self) -> dict[str, Any]:
        """Return the values that the config assigns, by name."""
        try:
            tree = ast.parse(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise SpecError(f"There is no file {self.path}.") from error
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise SpecError(f"{self.path} is not valid Python: {error}.") from error
        self.names["__name__"] = self.path.stem
        try:
            self.run(tree.body)
        except RecursionError as error:
            raise SpecError(f"{self.path}: the code is nested too deeply.") from error
        return {name: value for name, value in self.names.items() if name != "__name__"}

    def run(self, statements: Sequence[ast.stmt]) -> None:
        for node in statements:
            run_statement: Callable[[Any], None] | None = getattr(self, f"_run_{type(node).__name__.lower()}", None)
            if run_statement is None:
                raise self.error_at(node, "is not a statement of a config")
            try:
                self.counter.count()
                run_statement(node)
            except NotAllowed as error:
                raise self.error_at(node, str(error)) from error

    def _run_import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.names[alias.asname or alias.name.partition(".")[0]] = Symbol(alias.name)

    def _run_importfrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            self.names[alias.asname or alias.name] = Symbol(alias.name, module)

    def _run_with(self, node: ast.With) -> None:
        if ast.unparse(node.items[0].context_expr) != INCLUDE_STATEMENT:
            raise self.error_at(node, f"is not `with {INCLUDE_STATEMENT}:`")
        for statement in node.body:
            if not isinstance(statement, ast.ImportFrom):
                raise self.error_at(statement, "does not import from another config")
            self._include(statement)

    def _include(self, node: ast.ImportFrom) -> None:
        """Assign names of another config."""
        path = self._find_config(node)
        if path in (*self.including, self.path):
            raise self.error_at(node, "includes this config again")
        if path not in self.configs:
            interpreter = ConfigInterpreter(path, {}, self.counter, (*self.including, self.path), self.configs)
            self.configs[path] = interpreter.interpret()
        values = self.configs[path]
        for alias in node.names:
            if alias.name == "*":
                self.names.update(values)
            elif alias.name in values:
                self.names[alias.asname or alias.name] = values[alias.name]
            else:
                raise self.error_at(node, f"imports {alias.name}, which {path} does not assign")

    def _find_config(self, node: ast.ImportFrom) -> Path:
        """Return the file of an included config: relative to this one, or below a folder that contains it."""
        relative_path = Path(*(node.module or "").split("."))
        folders = list(self.path.resolve().parents)
        candidates = folders[node.level - 1 : node.level] if node.level else folders
        for folder in candidates:
            if (file := (folder / relative_path).with_suffix(".py")).is_file():
                return file
        raise self.error_at(node, "includes a config that does not exist")

    def _run_assign(self, node: ast.Assign) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _run_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value))

    def _run_augassign(self, node: ast.AugAssign) -> None:
        current, value = self.evaluate(node.target), self.evaluate(node.value)
        if isinstance(current, list) and isinstance(value, list) and isinstance(node.op, ast.Add):
            current.extend(value)  # in place, as in Python: other names may refer to the list
            return
        self.assign(node.target, self.combine(node.op, current, value))

    def _run_for(self, node: ast.For) -> None:
        for value in self.iterate(node.iter):
            self.assign(node.target, value)
            self.run(node.body)
        self.run(node.orelse)

    def _run_if(self, node: ast.If) -> None:
        self.run(node.body if self.evaluate(node.test) else node.orelse)

    def _run_expr(self, node: ast.Expr) -> None:
        self.evaluate(node.value)

    def _run_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Name):
                raise self.error_at(node, "deletes something other than a name")
            self.names.pop(target.id, None)

    def _run_pass(self, node: ast.Pass) -> None:
        pass


def read_config(path: Path) -> dict[str, Any]:
    """Return the values that a config assigns, by name."""
    return ConfigInterpreter(path).interpret()


def find_datasets(path: Path) -> list[dict[str, Any]]:
    """Return the datasets of a config, from its lists or from its dictionaries; each once."""
    values = read_config(path)
    lists = [value for name, value in values.items() if name.endswith("datasets")]
    candidates = [item for value in lists if isinstance(value, list) for item in value]
    candidates = candidates or [value for value in values.values() if isinstance(value, dict)]
    datasets = {id(item): item for item in candidates if isinstance(item, dict) and "infer_cfg" in item}
    if not datasets:
        raise SpecError(f"{path} contains no dataset: no dictionary has an infer_cfg.")
    for dataset in datasets.values():
        if count_values(dataset) > MAX_SIZE:
            raise SpecError(f"{path}: a dataset has more than {MAX_SIZE:,} values.")
    return list(datasets.values())
