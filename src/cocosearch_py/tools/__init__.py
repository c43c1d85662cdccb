"""Frame of all tools: their declaration, the call, shared arguments, and answers that fit."""
