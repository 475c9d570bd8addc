"""Types, errors, registries and serialization: what every other package builds on."""
