"""Run a spec: the request loop, retries, batching, judges and workers."""
