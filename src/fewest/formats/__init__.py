"""Other programs' files, both ways."""
