"""The reference interpreter of the rules. It is slow and simple, and it shares only the model with `grounding`."""
