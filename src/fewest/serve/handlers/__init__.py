"""The requests that worker processes answer: a function `name(parameters, root, send)` answers the request `name`."""
