"""Process the shards of a run: the loop of a worker, and what starts workers."""
