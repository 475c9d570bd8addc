"""What a worker does with a shard, the sums it leaves, and the merge of all shards."""
