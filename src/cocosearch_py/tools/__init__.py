"""What operations share: how one is declared, what it may use of its caller, parts of arguments and of answers."""
