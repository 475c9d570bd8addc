"""Exit codes of all commands."""

EXIT_OK = 0
EXIT_ERROR = 2
"""The command could not run as given: a wrong option, model, task or data file."""
EXIT_FAILURES = 3
"""The command finished, but some samples, metrics or checks failed."""
EXIT_INTERRUPTED = 130
