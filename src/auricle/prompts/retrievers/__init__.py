"""Few-shot retrievers, which rank the rows of a pool. The selector decides which rows may be shown."""
