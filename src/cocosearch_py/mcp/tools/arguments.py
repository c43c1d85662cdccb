"""Parameters that several tools share, with the words that agents read."""

from typing import Annotated, Any

from pydantic import Field

IndexName = Annotated[str | None, Field(description="Index to use; null: that of the current project")]
Language = Annotated[
    str | None,
    Field(description="e.g. python, typescript, hcl (=terraform), bash (=shell, sh); comma-separated for several"),
]
UseHybrid = Annotated[bool | None, Field(description="null: auto, true: words and meaning, false: meaning only")]
SymbolType = Annotated[
    str | list[str] | None, Field(description="function, class, method, interface ...; a list means any of them")
]
SymbolName = Annotated[str | None, Field(description="Glob, case-insensitive: get*, User*Service")]
Limit = Annotated[int, Field(description="Results, 1-100")]
PathGlob = Annotated[str | list[str] | None, Field(description="Only these paths: src/**/*.py")]
Exclude = Annotated[list[str] | None, Field(description="Not these paths")]
MinScore = Annotated[float, Field(description="Least vector similarity, 0-1")]
Weights = Annotated[
    dict[str, Any] | None,
    Field(
        description='Rank factors 0-10, <1 demotes: {"ext":{"md":0.5},"path":[{"pattern":"src/**","weight":2}],'
        '"language":{"go":2}}'
    ),
]
