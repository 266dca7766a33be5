"""The reference interpreter of the rules. The interpreter is slow and simple, and shares only the model with
`grounding`.
"""
