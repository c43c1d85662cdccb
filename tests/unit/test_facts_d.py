"""References, imports and figures of functions in documents and configuration: Markdown, YAML, HCL."""

import pytest
from tests.fact_cases import check_facts

MARKDOWN = """\
# Title [a](docs/a.md)

See [b](b.md#part "Title"), ![image](img/x.png) and `[no](code.md)`, <https://x.org>,
[ref][r] and [web](https://example.org/y.md) or [here](#title).

| col |
|-----|
| [c](../c.py) |

- item [d](<d e.md>)

```
[no](fence.md)
```

[r]: ./ref.md "Title"
"""
MARKDOWN_USES = """\
"""
MARKDOWN_IMPORTS = """\
1: docs/a.md - -
3: b.md#part - -
3: img/x.png - -
8: ../c.py - -
10: d e.md - -
16: ./ref.md - -
"""
MARKDOWN_FIGURES = """\
"""
YAML = """\
include: [x.yml]
services:
  web:
    build: ./web
    env_file: ".env.web"
    image: ./no
  db:
    build:
      context: ./db
    env_file:
      - a.env
  c: { build: ./c }
rules:
  - resources: [pods]
    resources:
      - pods
      - base/pods.yaml
steps:
  - uses: ./.github/actions/setup
  - uses: actions/checkout@v4
  - { uses: ./.github/actions/setup }
"""
YAML_USES = """\
"""
YAML_IMPORTS = """\
1: x.yml - -
4: ./web - -
5: .env.web - -
9: ./db - -
11: a.env - -
12: ./c - -
17: base/pods.yaml - -
19: ./.github/actions/setup - -
20: actions/checkout@v4 - -
21: ./.github/actions/setup - -
"""
COMPOSE = """\
include:
  - a/compose.yml
  - path: ./b.yml
    env_file: b.env
  - { local: ci/c.yml }
services:
  a:
    build: { context: ./x/, dockerfile: y/Dockerfile }
    env_file:
      - path: ./d.env
        required: false
  b:
    build:
      dockerfile: ./Dockerfile.dev
      target: t
      context: ".."
  c:
    build:
      dockerfile: c/Dockerfile
configs:
  e: { file: ./e.conf }
"""
COMPOSE_IMPORTS = """\
2: a/compose.yml - -
3: ./b.yml - -
4: b.env - -
5: ci/c.yml - -
8: ./x/ - -
8: ./x/y/Dockerfile - -
10: ./d.env - -
14: .././Dockerfile.dev - -
16: .. - -
19: c/Dockerfile - -
21: ./e.conf - -
"""
YAML_FIGURES = """\
"""
HCL = """\
module "net" {
  source = "./modules/net"
  version = "1"
}
resource "x" "y" { source = "./no" }
locals { t = file("${path.module}/a.tpl") }
"""
HCL_USES = """\
"""
HCL_IMPORTS = """\
2: ./modules/net - -
"""
HCL_FIGURES = """\
"""


@pytest.mark.parametrize(
    ("language_id", "source", "uses", "imports", "figures"),
    [
        ("markdown", MARKDOWN, MARKDOWN_USES, MARKDOWN_IMPORTS, MARKDOWN_FIGURES),
        ("yaml", YAML, YAML_USES, YAML_IMPORTS, YAML_FIGURES),
        ("yaml", COMPOSE, YAML_USES, COMPOSE_IMPORTS, YAML_FIGURES),
        ("hcl", HCL, HCL_USES, HCL_IMPORTS, HCL_FIGURES),
    ],
)
def test_facts(language_id: str, source: str, uses: str, imports: str, figures: str) -> None:
    check_facts(language_id, source, uses, imports, figures)
