"""The reference interpreter of the rules. It is slow and simple, and shares only the model with `grounding`."""
