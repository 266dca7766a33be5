"""Changes of a document that must not change its answers: names, mirrors, orders, walled-off cells.

Each change is a function from a document as plain data to another one. It raises NotApplicableError with the reason if
the rules of the puzzle do not allow it.
"""
