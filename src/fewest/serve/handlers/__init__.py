"""The requests that worker processes answer: a function `name(given, root, say)` answers each request `name`."""
