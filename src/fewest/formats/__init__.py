"""Files of other programs, in both directions: `registry` lists the formats."""
