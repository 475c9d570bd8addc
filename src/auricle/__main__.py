"""Entry point of the command `auricle` and of `python -m auricle`."""

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C during imports ends the process without a traceback

from auricle.cli import main  # noqa: E402 - after the handler is set

if __name__ == "__main__":
    main()
