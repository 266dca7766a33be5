"""The requests that worker processes answer: each request `name` is answered by a function `name(given, root, say)`."""
