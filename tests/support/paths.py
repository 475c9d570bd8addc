"""Folders that tests read: the repository, its documentation, golden files and shared recordings."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
GOLDEN = ROOT / "tests" / "golden"
SHARED = ROOT.parent / "shared"
SHARED_DATA = SHARED / "data"
