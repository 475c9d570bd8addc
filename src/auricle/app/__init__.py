"""The web app: inspect runs, start benchmarks and try models."""
