; include: typescript/symbols
