"""The reference interpreter of the rules. The interpreter is slow and simple, and it shares only the model with
`grounding`.
"""
