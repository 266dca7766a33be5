"""The rules played on the board, slowly and obviously; it shares nothing with `grounding` but the model."""
