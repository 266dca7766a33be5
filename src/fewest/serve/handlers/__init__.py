"""The requests that worker processes answer: the function `name(given, root, say)` answers the requests of this
name.
"""
