"""What `make docs` does before a site generator takes over: copy pages, rewrite links, generate the reference."""
