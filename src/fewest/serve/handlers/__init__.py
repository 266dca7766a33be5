"""The requests that worker processes answer: a function `name(given, root, send)` answers the request `name`."""
