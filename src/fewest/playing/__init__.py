"""The reference interpreter of the rules, slow and obvious; it shares only the model with `grounding`."""
