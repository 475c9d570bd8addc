"""Entry point of `python -m auricle`."""

from auricle.cli import main

main()
