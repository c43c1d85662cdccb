"""What imports lead to in the languages that have packages, crates, headers and load paths."""

import pytest
from tests.import_cases import check, project

GO = project(
    "main.go",
    "internal/a/a.go",
    "internal/a/b.go",
    "internal/a/a_test.go",
    "internal/a/readme.md",
    "tools/gen/gen.go",
    "shared/x/x.go",
    "vendor/example.org/lib/lib.go",
    go_mod='module "example.com/app" // here\n\ngo 1.22\nreplace (\n\texample.com/other v1.2.3 => ./shared\n)\n',
    tools__go_mod="module example.com/app/tools\n",
    go_work="go 1.22\nuse (\n  .\n  ./tools\n)\n",
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("example.com/app", "main.go"),
        ("example.com/app/internal/a", "internal/a/a.go internal/a/b.go"),
        ("example.com/app/tools/gen", "tools/gen/gen.go"),
        ("example.com/app/nothing", ""),
        ("example.com/other/x", "shared/x/x.go"),
        ("example.com/application", None),
        ("example.org/lib", "vendor/example.org/lib/lib.go"),
        ("fmt", None),
        ("net/http", None),
    ],
)
def test_go(written: str, expected: str | None) -> None:
    check("go", GO, "main.go", written, expected)


def test_go_without_modules() -> None:
    tree = project("main.go", "pkg/a/a.go")
    check("go", tree, "main.go", "github.com/owner/repository/pkg/a", "pkg/a/a.go")
    check("go", tree, "main.go", "github.com/owner/repository/nothing", None)


RUST = project(
    "app/src/main.rs",
    "app/src/net/mod.rs",
    "app/src/net/tcp.rs",
    "app/src/text.rs",
    "app/src/text/words.rs",
    "app/src/bin/tool.rs",
    "app/tests/it.rs",
    "app/tests/common/mod.rs",
    "core/src/lib.rs",
    "core/src/fmt.rs",
    "derive/root.rs",
    "derive/parse.rs",
    Cargo_toml='[workspace]\nmembers = ["app", "core", "derive"]\n',
    app__Cargo_toml='[package]\nname = "app"\n[dependencies]\nmy-core = { path = "../core" }\n',
    core__Cargo_toml='[dependencies]\nname = "x"\n[package] # the crate\nname = "my-core"\n',
    derive__Cargo_toml='[package]\nname = "derive"\n[lib]\nname = "my_derive"\npath = "root.rs"\n',
    fixtures__Cargo_toml="# to be written\n",
)


@pytest.mark.parametrize(
    ("path", "written", "expected"),
    [
        ("app/src/main.rs", "net", "app/src/net/mod.rs"),
        ("app/src/main.rs", "text::words", "app/src/text/words.rs"),
        ("app/src/main.rs", "missing", ""),
        ("app/src/net/mod.rs", "tcp", "app/src/net/tcp.rs"),
        ("app/src/text.rs", "words", "app/src/text/words.rs"),
        ("app/src/text.rs", "self::words Word", "app/src/text/words.rs"),
        ("app/src/net/tcp.rs", "crate::text::words Word", "app/src/text/words.rs"),
        ("app/src/net/tcp.rs", "crate::text *", "app/src/text.rs"),
        ("app/src/net/tcp.rs", "crate net", "app/src/net/mod.rs"),
        ("app/src/net/tcp.rs", "super Listener", "app/src/net/mod.rs"),
        ("app/src/net/tcp.rs", "super::super text", "app/src/text.rs"),
        ("app/src/text/words.rs", "super::super::net::tcp Stream", "app/src/net/tcp.rs"),
        ("app/src/text/words.rs", "super self", "app/src/text.rs"),
        ("app/src/text.rs", "crate Config", "app/src/main.rs"),
        ("app/src/bin/tool.rs", "my_core::fmt Format", "core/src/fmt.rs"),
        ("app/src/bin/tool.rs", "my_core Error", "core/src/lib.rs"),
        ("app/tests/it.rs", "common", "app/tests/common/mod.rs"),
        ("app/tests/it.rs", "crate Thing", "app/tests/it.rs"),
        ("core/src/fmt.rs", "my_derive::parse Node", "derive/parse.rs"),
        ("derive/parse.rs", "crate Root", "derive/root.rs"),
        ("core/src/fmt.rs", "std::fmt Display", None),
        ("core/src/fmt.rs", "serde Serialize", None),
        ("core/src/fmt.rs", "::alloc vec", None),
    ],
)
def test_rust(path: str, written: str, expected: str | None) -> None:
    check("rust", RUST, path, written, expected)


JVM = project(
    "core/src/main/java/com/example/app/Main.java",
    "core/src/main/java/com/example/app/text/Words.java",
    "core/src/main/kotlin/com/example/app/io/Files.kt",
    "core/src/main/kotlin/com/example/app/io/extensions.kt",
    "web/src/main/java/com/example/app/text/Words.java",
    "web/src/main/java/com/example/app/web/Page.java",
    "core/src/main/java/util/List.java",
    "core/src/main/scala/com/example/app/Data.scala",
)


@pytest.mark.parametrize(
    ("path", "written", "expected"),
    [
        (0, "com.example.app.text Words", "core/src/main/java/com/example/app/text/Words.java"),
        (1, "com.example.app.text Words", "web/src/main/java/com/example/app/text/Words.java"),
        (0, "com.example.app.text.Words.Kind", "core/src/main/java/com/example/app/text/Words.java"),
        (0, "com.example.app.text.Words count", "core/src/main/java/com/example/app/text/Words.java"),
        (0, "com.example.app.text.Words *", "core/src/main/java/com/example/app/text/Words.java"),
        (0, "com.example.app.web *", "web/src/main/java/com/example/app/web/Page.java"),
        (0, "com.example.app.io Files", "core/src/main/kotlin/com/example/app/io/Files.kt"),
        (
            0,
            "com.example.app.io readAll",
            "core/src/main/kotlin/com/example/app/io/Files.kt core/src/main/kotlin/com/example/app/io/extensions.kt",
        ),
        (0, "com.example.app.gone Thing", ""),
        (0, "com.example.other Thing", None),
        (0, "java.util List", None),
        (2, "Data", "core/src/main/scala/com/example/app/Data.scala"),
    ],
)
def test_java_kotlin_scala(path: int, written: str, expected: str | None) -> None:
    files = (
        "core/src/main/java/com/example/app/Main.java",
        "web/src/main/java/com/example/app/web/Page.java",
        "core/src/main/scala/com/example/app/text/Other.scala",
    )
    for language_id in ("java", "kotlin", "scala"):
        check(language_id, JVM, files[path], written, expected)


C = project("src/main.c", "src/list.h", "src/string.h", "include/lib/list.h", "include/lib/tree.h", "deps/x/tree.h")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"list.h"', "src/list.h"),
        ('"../include/lib/tree.h"', "include/lib/tree.h"),
        ('"lib/list.h"', "include/lib/list.h"),
        ("<lib/list.h>", "include/lib/list.h"),
        ('"x/tree.h"', "deps/x/tree.h"),
        ("lib/tree.h", "include/lib/tree.h"),
        ('"config.h"', ""),
        ('"string.h"', "src/string.h"),
        ("<string.h>", None),
        ("<vector>", None),
        ("<openssl/ssl.h>", None),
    ],
)
def test_includes(written: str, expected: str | None) -> None:
    for language_id in ("c", "cpp", "objc"):
        check(language_id, C, "src/main.c", written, expected)


CSHARP = project(
    "Src/Acme.Text/Acme.Text.csproj",
    "Src/Acme.Text/Writer.cs",
    "Src/Acme.Text/Linq/Tokens.cs",
    "Acme/Web/Page.cs",
    "app/Acme.App.csproj",
    "app/Views/View.cs",
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Acme.Text", "Src/Acme.Text/Writer.cs"),
        ("Acme.Text.Linq", "Src/Acme.Text/Linq/Tokens.cs"),
        ("Acme.Web", "Acme/Web/Page.cs"),
        ("Acme.App.Views", "app/Views/View.cs"),
        ("Acme.Text.Writer", "Src/Acme.Text/Writer.cs"),
        ("Acme.Nothing", ""),
        ("System.Text", None),
        ("Xunit", None),
    ],
)
def test_csharp(written: str, expected: str | None) -> None:
    check("csharp", CSHARP, "app/Views/View.cs", written, expected)


RUBY = project(
    "gem/lib/gem.rb",
    "gem/lib/gem/logger.rb",
    "gem/lib/gem/json/coder.rb",
    "gem/test/test_helper.rb",
    "gem/test/models/user.rb",
    "other/lib/other.rb",
    "site/app/models/post.rb",
)


@pytest.mark.parametrize(
    ("path", "written", "expected"),
    [
        ("gem/lib/gem.rb", "gem/logger", "gem/lib/gem/logger.rb"),
        ("gem/lib/gem.rb", "./gem/logger", "gem/lib/gem/logger.rb"),
        ("gem/lib/gem/json/coder.rb", "../logger.rb", "gem/lib/gem/logger.rb"),
        ("gem/lib/gem.rb", "./nothing", ""),
        ("gem/lib/gem.rb", "logger", None),  # of the standard library; a file of that name is in another folder
        ("gem/lib/gem.rb", "other", "other/lib/other.rb"),
        ("gem/lib/gem.rb", "gem/nothing", ""),
        ("gem/test/models/user.rb", "test_helper", "gem/test/test_helper.rb"),
        ("gem/lib/gem.rb", "test_helper", "gem/test/test_helper.rb"),
        ("gem/lib/gem.rb", "post", "site/app/models/post.rb"),
        ("gem/lib/gem.rb", "json", None),
    ],
)
def test_ruby(path: str, written: str, expected: str | None) -> None:
    check("ruby", RUBY, path, written, expected)


PHP = project(
    "src/Client.php",
    "src/Http/Request.php",
    "src/Text/Words.php",
    "tests/ClientTest.php",
    "legacy/db.php",
    "legacy/inc/util.php",
    "old/Acme/Thing/Old.php",
    composer_json=r'{"autoload": {"psr-4": {"Acme\\": "src/", "Acme\\Http\\": ["src/Http"]}},'
    r' "autoload-dev": {"psr-4": {"Acme\\Tests\\": "tests/"}}}',
    bad__composer_json='{"autoload": {"psr-4": []}}',
)


@pytest.mark.parametrize(
    ("path", "written", "expected"),
    [
        ("src/Client.php", r"Acme\Http\Request", "src/Http/Request.php"),
        ("src/Client.php", r"\Acme\Text\Words", "src/Text/Words.php"),
        ("src/Client.php", r"Acme\Text Words", "src/Text/Words.php"),
        ("src/Client.php", r"Acme\Tests\ClientTest", "tests/ClientTest.php"),
        ("src/Client.php", r"Acme\Thing\Old", "old/Acme/Thing/Old.php"),
        ("src/Client.php", r"Acme\Text\Nothing", ""),
        ("src/Client.php", r"Psr\Log\LoggerInterface", None),
        ("src/Client.php", "Exception", None),
        ("legacy/db.php", "/inc/util.php", "legacy/inc/util.php"),
        ("legacy/inc/util.php", "../db.php", "legacy/db.php"),
        ("legacy/db.php", "nothing.php", ""),
    ],
)
def test_php(path: str, written: str, expected: str | None) -> None:
    check("php", PHP, path, written, expected)


OTHERS = project(
    "Sources/App/main.swift",
    "Sources/App/Routes/routes.swift",
    "Sources/Core/Core.swift",
    "lua/tool/init.lua",
    "lua/tool/util.lua",
    "script/extra.lua",
    "lib/shop/cart_item.ex",
    "lib/shop.ex",
    "src/Data/Map/Lazy.hs",
    "src/Main.hs",
    "app/lib/main.dart",
    "app/lib/src/page.dart",
    "julia/src/Tool.jl",
    "julia/src/parts/words.jl",
    "ocaml/lib/words.ml",
    "ocaml/lib/words.mli",
    "ocaml/lib/list.ml",
    "zig/main.zig",
    "zig/parts/words.zig",
    "contracts/Token.sol",
    "contracts/base/Owned.sol",
    "bin/run.sh",
    "bin/lib/common.sh",
    app__pubspec_yaml="name: shop\nversion: 1.0.0\n",
)


@pytest.mark.parametrize(
    ("language_id", "path", "written", "expected"),
    [
        ("swift", "Tests/a.swift", "App", "Sources/App/Routes/routes.swift Sources/App/main.swift"),
        ("swift", "Tests/a.swift", "Core.Thing", "Sources/Core/Core.swift"),
        ("swift", "Tests/a.swift", "Foundation", None),
        ("lua", "lua/tool/init.lua", "tool.util", "lua/tool/util.lua"),
        ("lua", "script/extra.lua", "tool", "lua/tool/init.lua"),
        ("lua", "script/extra.lua", "extra", "script/extra.lua"),
        ("lua", "script/extra.lua", "plenary.path", None),
        ("elixir", "lib/shop.ex", "Shop.CartItem", "lib/shop/cart_item.ex"),
        ("elixir", "lib/shop.ex", "Shop.CartItem.Price", "lib/shop/cart_item.ex"),
        ("elixir", "lib/shop.ex", "Shop.Other", None),
        ("elixir", "lib/shop.ex", "Shop CartItem", "lib/shop/cart_item.ex"),
        ("elixir", "lib/shop.ex", "GenServer", None),
        ("haskell", "src/Main.hs", "Data.Map.Lazy", "src/Data/Map/Lazy.hs"),
        ("haskell", "src/Data/Map/Lazy.hs", "Data.Map", None),
        ("dart", "app/lib/main.dart", "src/page.dart", "app/lib/src/page.dart"),
        ("dart", "app/lib/main.dart", "package:shop/src/page.dart", "app/lib/src/page.dart"),
        ("dart", "app/lib/main.dart", "nothing.dart", ""),
        ("dart", "app/lib/main.dart", "package:http/http.dart", None),
        ("dart", "app/lib/main.dart", "dart:io", None),
        ("julia", "julia/src/Tool.jl", "./parts/words.jl", "julia/src/parts/words.jl"),
        ("julia", "julia/src/parts/words.jl", "Tool", "julia/src/Tool.jl"),
        ("julia", "julia/src/Tool.jl", "LinearAlgebra", None),
        ("ocaml", "ocaml/bin/main.ml", "Shop.Words", "ocaml/lib/words.ml"),
        ("ocaml", "ocaml/bin/main.ml", "List", None),
        ("zig", "zig/main.zig", "parts/words.zig", "zig/parts/words.zig"),
        ("zig", "zig/main.zig", "nothing.zig", ""),
        ("zig", "zig/main.zig", "std", None),
        ("solidity", "contracts/Token.sol", "./base/Owned.sol", "contracts/base/Owned.sol"),
        ("solidity", "contracts/Token.sol", "base/Owned.sol", "contracts/base/Owned.sol"),
        ("solidity", "contracts/Token.sol", "@openzeppelin/ERC20.sol", None),
        ("bash", "bin/run.sh", "./lib/common.sh", "bin/lib/common.sh"),
        ("bash", "bin/run.sh", '$(dirname"$0")/lib/common.sh', "bin/lib/common.sh"),
        ("bash", "bin/run.sh", "${BASE}/common.sh", "bin/lib/common.sh"),
        ("bash", "bin/run.sh", "./nothing.sh", ""),
        ("bash", "bin/run.sh", "/etc/profile", None),
        ("bash", "bin/run.sh", "$HOME/.bashrc", None),
    ],
)
def test_other_languages(language_id: str, path: str, written: str, expected: str | None) -> None:
    check(language_id, OTHERS, path, written, expected)


CONFIGURATION = project(
    ".github/workflows/ci.yml",
    ".github/workflows/build.yml",
    ".github/actions/setup/action.yml",
    "deploy/compose.yml",
    "deploy/web/Dockerfile",
    "deploy/web.env",
    "deploy/base/kustomization.yaml",
    "deploy/base/pods.yaml",
    "charts/common/Chart.yaml",
    "charts/app/Chart.yaml",
    "ci/test.yml",
    "infra/main.tf",
    "infra/modules/net/main.tf",
    "infra/modules/net/out.tf",
    "infra/modules/net/README.md",
    "docs/guide/start.md",
    "docs/guide/a b.md",
    "docs/index.md",
)


@pytest.mark.parametrize(
    ("language_id", "path", "written", "expected"),
    [
        ("yaml", ".github/workflows/ci.yml", "./.github/workflows/build.yml", ".github/workflows/build.yml"),
        ("yaml", ".github/workflows/ci.yml", "./.github/actions/setup", ".github/actions/setup/action.yml"),
        ("yaml", ".github/workflows/ci.yml", "./.github/actions/gone", ""),
        ("yaml", ".github/workflows/ci.yml", "actions/checkout@v4", None),
        ("yaml", "deploy/compose.yml", "./web", "deploy/web/Dockerfile"),
        ("yaml", "deploy/compose.yml", "web.env", "deploy/web.env"),
        ("yaml", "deploy/compose.yml", "./web/./Dockerfile", "deploy/web/Dockerfile"),
        ("yaml", "deploy/compose.yml", "./gone", None),
        ("yaml", "deploy/compose.yml", "https://example.org/x.git", None),
        ("yaml", "deploy/kustomization.yaml", "base", "deploy/base/kustomization.yaml"),
        ("yaml", "deploy/base/kustomization.yaml", "pods.yaml", "deploy/base/pods.yaml"),
        ("yaml", "charts/app/Chart.yaml", "file://../common", "charts/common/Chart.yaml"),
        ("yaml", ".gitlab-ci.yml", "/ci/test.yml", "ci/test.yml"),
        ("hcl", "infra/main.tf", "./modules/net", "infra/modules/net/main.tf infra/modules/net/out.tf"),
        ("hcl", "infra/main.tf", "./modules/gone", ""),
        ("hcl", "infra/main.tf", "hashicorp/consul/aws", None),
        ("markdown", "docs/index.md", "guide/start.md#part", "docs/guide/start.md"),
        ("markdown", "docs/index.md", "guide/start", "docs/guide/start.md"),
        ("markdown", "docs/index.md", "guide/a%20b.md", "docs/guide/a b.md"),
        ("markdown", "docs/guide/start.md", "/guide/start.md", "docs/guide/start.md"),
        ("markdown", "docs/guide/start.md", "../../infra/modules/net", "infra/modules/net/README.md"),
        ("markdown", "docs/guide/start.md", "..", "docs/index.md"),
        ("markdown", "docs/index.md", "../infra/main.tf", "infra/main.tf"),
        ("markdown", "docs/index.md", "gone.md", ""),
        ("markdown", "docs/index.md", "picture.png", None),
        ("markdown", "docs/index.md", "mailto:a@example.org", None),
        ("markdown", "docs/index.md", "../../elsewhere.md", None),
    ],
)
def test_configuration(language_id: str, path: str, written: str, expected: str | None) -> None:
    check(language_id, CONFIGURATION, path, written, expected)
