"""Models written for other frameworks, as they are: `cmi:file.py:Class` and its like.

The table of prefixes is in `registry`; here is one module a framework.
"""
