"""Cache compiled templates in the user's cache folder, as Python caches compiled modules."""

from __future__ import annotations

import marshal
from contextlib import suppress
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from auricle.core.files import user_cache_folder, write_lines_atomically

DIGEST_BYTES = 16


class TemplateCache(jinja2.BytecodeCache):
    """Compiled templates on disk; compiling those of a report takes a tenth of a second.

    A template is compiled again if its source, the environment, Python or Jinja changed, or if its file is damaged.
    Nothing fails if the folder cannot be written.
    """

    def __init__(self) -> None:
        self._folder = user_cache_folder() / "templates"

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            content = self._locate(bucket).read_bytes()
            code = content[DIGEST_BYTES:]
            if content[:DIGEST_BYTES] == self._digest(bucket, code):
                bucket.code = marshal.loads(code)  # noqa: S302 - the user's own file, as those in __pycache__

    def dump_bytecode(self, bucket: Bucket) -> None:
        code = marshal.dumps(bucket.code)
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_lines_atomically(self._locate(bucket), [self._digest(bucket, code), code])

    def _locate(self, bucket: Bucket) -> Path:
        return self._folder / bucket.key

    def _digest(self, bucket: Bucket, code: bytes) -> bytes:
        environment = bucket.environment
        options = (environment.autoescape, environment.trim_blocks, environment.lstrip_blocks, [*environment.filters])
        version = repr((MAGIC_NUMBER, jinja2.__version__, options, bucket.checksum))
        return blake2b(version.encode() + code, digest_size=DIGEST_BYTES).digest()
