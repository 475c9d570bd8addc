"""Use models, datasets and configs written for other frameworks, and import or export their results.

There is one package per framework; `frameworks` lists what can be imported and exported. Prefixes such as
`kimi:` are entry points in pyproject.toml.
"""
