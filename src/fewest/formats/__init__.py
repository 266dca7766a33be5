"""Other programs' files, both ways: `registry` knows which there are."""
