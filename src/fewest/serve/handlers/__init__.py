"""The requests that worker processes answer: `name(given, root, say)` for each request of that name."""
