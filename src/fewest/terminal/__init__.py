"""Playing in the terminal: what happens in a session, how it is drawn, and the full-screen program."""
