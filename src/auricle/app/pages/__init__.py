"""One module a page; each has a `page()` that draws it."""
