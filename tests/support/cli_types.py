"""Types of the fixtures that tests of the command line use."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

RunAuricle = Callable[..., CompletedProcess[str]]
WriteManifest = Callable[..., Path]
WriteTone = Callable[..., Path]
