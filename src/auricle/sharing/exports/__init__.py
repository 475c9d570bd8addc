"""Publish the numbers of runs in formats of other sites and tools; nothing is uploaded."""
