"""Files of an index: the cost of reading them."""
