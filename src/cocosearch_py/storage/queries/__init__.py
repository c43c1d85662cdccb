"""Statements that read, and those about table `indexes`, beside each other."""
