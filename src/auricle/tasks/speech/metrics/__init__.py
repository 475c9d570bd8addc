"""Metrics of answers that are speech."""
