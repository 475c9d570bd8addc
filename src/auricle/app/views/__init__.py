"""Parts of pages that show runs, samples and charts."""
