"""Run directories: the journal, verdicts, the response cache, usage and throughput."""
