"""Changes of a document that must not change its answers: names, mirrors, orders, walled-off cells.

Each change is a function that takes a document as plain data and returns the changed document. If the rules of the
puzzle do not allow the change, the function raises NotApplicableError with the reason.
"""
