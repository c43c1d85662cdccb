"""What a language is: the only place of the program that knows names, extensions and grammars.

This module holds data and look-ups by name. It does not look at files (see `detect`) and loads no grammar
(see `parsing.parsers`).
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from cocosearch_py.errors import ValidationError

LanguageKind = Literal["code", "config", "docs", "data"]

TEXT_LANGUAGE_ID = "text"
NEAREST_NAMES_SHOWN = 3  # enough to spot a typing error, short enough for one line
NEAREST_NAME_CUTOFF = 0.5  # below this ratio difflib's guesses look random to a reader


@dataclass(frozen=True, slots=True)
class Language:
    """One language. All strings but `name` are in lower case.

    `extensions` start with a dot; `filenames` are whole names; `interpreters` are programs of a `#!` line,
    without version numbers. `grammar` is the module of a `tree-sitter-<language>` wheel, with ":function" when
    the module has several grammars, or None when there is no grammar.
    """

    id: str
    name: str
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    grammar: str | None = None
    aliases: tuple[str, ...] = ()
    kind: LanguageKind = "code"


_TABLE: tuple[Language, ...] = (
    # Definitions by tree-sitter queries (languages/queries/<id>/symbols.scm)
    Language(
        "python",
        "Python",
        (".py", ".pyi", ".pyw", ".pyx", ".pxd"),
        ("sconstruct", "sconscript", "wscript"),
        ("python", "pypy", "uv"),
        "tree_sitter_python",
        ("py", "python3"),
    ),
    Language(
        "javascript",
        "JavaScript",
        (".js", ".jsx", ".mjs", ".cjs", ".es6"),
        ("jakefile",),
        ("node", "nodejs", "bun"),
        "tree_sitter_javascript",
        ("js", "jsx", "mjs", "cjs", "ecmascript", "node"),
    ),
    Language(
        "typescript",
        "TypeScript",
        (".ts", ".mts", ".cts"),
        (),
        ("ts-node", "deno", "tsx"),
        "tree_sitter_typescript:language_typescript",
        ("ts", "mts", "cts"),
    ),
    Language("tsx", "TSX", (".tsx",), (), (), "tree_sitter_typescript:language_tsx", ("typescriptreact",)),
    Language("go", "Go", (".go",), (), (), "tree_sitter_go", ("golang",)),
    Language("rust", "Rust", (".rs",), (), ("rust-script",), "tree_sitter_rust", ("rs",)),
    Language("java", "Java", (".java",), (), (), "tree_sitter_java"),
    Language("c", "C", (".c", ".h"), (), ("tcc",), "tree_sitter_c"),
    Language(
        "cpp",
        "C++",
        (
            ".cpp",
            ".cc",
            ".cxx",
            ".c++",
            ".hpp",
            ".hh",
            ".hxx",
            ".h++",
            ".ipp",
            ".inl",
            ".tpp",
            ".txx",
            ".cppm",
            ".ixx",
            ".cu",
            ".cuh",
            ".ino",
        ),
        (),
        (),
        "tree_sitter_cpp",
        ("c++", "cc", "cxx", "cplusplus"),
    ),
    Language(
        "csharp", "C#", (".cs", ".csx", ".cake"), (), (), "tree_sitter_c_sharp", ("c#", "cs", "c_sharp", "c-sharp")
    ),
    Language(
        "ruby",
        "Ruby",
        (".rb", ".rbw", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder", ".rbi", ".thor"),
        (
            "gemfile",
            "rakefile",
            "vagrantfile",
            "guardfile",
            "capfile",
            "podfile",
            "fastfile",
            "brewfile",
            "appraisals",
            "dangerfile",
            "berksfile",
            "thorfile",
            ".irbrc",
            ".pryrc",
        ),
        ("ruby", "jruby", "rake"),
        "tree_sitter_ruby",
        ("rb",),
    ),
    Language(
        "php",
        "PHP",
        (".php", ".phtml", ".php3", ".php4", ".php5", ".php7", ".phps", ".phpt"),
        ("artisan",),
        ("php",),
        "tree_sitter_php:language_php",
    ),
    Language("kotlin", "Kotlin", (".kt", ".kts"), (), ("kotlin",), "tree_sitter_kotlin", ("kt", "kts")),
    Language("swift", "Swift", (".swift",), (), ("swift",), "tree_sitter_swift"),
    Language(
        "scala", "Scala", (".scala", ".sc", ".sbt", ".mill"), (), ("scala", "scala-cli", "amm"), "tree_sitter_scala"
    ),
    Language(
        "bash",
        "Bash",
        (".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild", ".eclass", ".command"),
        (
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".bash_logout",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".kshrc",
            ".envrc",
            "pkgbuild",
            "apkbuild",
            "gradlew",
        ),
        ("sh", "bash", "zsh", "ksh", "dash", "ash", "bats"),
        "tree_sitter_bash",
        ("shell", "sh", "zsh", "ksh", "shellscript"),
    ),
    Language(
        "lua", "Lua", (".lua", ".rockspec", ".luau"), (".luacheckrc",), ("lua", "luajit", "nvim"), "tree_sitter_lua"
    ),
    Language("elixir", "Elixir", (".ex", ".exs"), ("mix.lock",), ("elixir",), "tree_sitter_elixir", ("ex", "exs")),
    Language(
        "haskell", "Haskell", (".hs", ".hsc", ".hs-boot"), (), ("runhaskell", "runghc"), "tree_sitter_haskell", ("hs",)
    ),
    Language("zig", "Zig", (".zig", ".zon"), (), (), "tree_sitter_zig"),
    # Other code
    Language("dart", "Dart", (".dart",), (), ("dart",), "tree_sitter_dart"),
    Language("julia", "Julia", (".jl",), (), ("julia",), "tree_sitter_julia", ("jl",)),
    Language("r", "R", (".r", ".rprofile"), (".rprofile",), ("rscript",), None, ("rlang",)),
    Language("solidity", "Solidity", (".sol",), (), (), "tree_sitter_solidity", ("sol",)),
    Language("ocaml", "OCaml", (".ml",), (), ("ocaml",), "tree_sitter_ocaml:language_ocaml", ("ml",)),
    Language(
        "ocaml_interface", "OCaml interface", (".mli",), (), (), "tree_sitter_ocaml:language_ocaml_interface", ("mli",)
    ),
    Language("objc", "Objective-C", (".m", ".mm"), (), (), None, ("objective-c", "objectivec")),
    Language("groovy", "Groovy", (".groovy", ".gradle", ".gvy"), ("jenkinsfile",), ("groovy",), None, ("gradle",)),
    Language(
        "powershell",
        "PowerShell",
        (".ps1", ".psm1", ".psd1"),
        (),
        ("pwsh",),
        None,
        ("ps1", "pwsh", "posh"),
    ),
    Language(
        "perl",
        "Perl",
        (".pl", ".pm", ".t", ".pod"),
        ("cpanfile", "makefile.pl"),
        ("perl",),
        None,
        ("pl",),
    ),
    Language("erlang", "Erlang", (".erl", ".hrl", ".escript"), ("rebar.config",), ("escript",), None, ("erl",)),
    Language(
        "clojure",
        "Clojure",
        (".clj", ".cljs", ".cljc", ".edn", ".bb"),
        (),
        ("clojure", "bb"),
        None,
        ("clj", "cljs", "clojurescript"),
    ),
    Language("fsharp", "F#", (".fs", ".fsi", ".fsx"), (), (), None, ("f#", "fs")),
    Language("vbnet", "Visual Basic", (".vb", ".vbs", ".bas"), (), (), None, ("vb", "visualbasic")),
    Language("nix", "Nix", (".nix",), (), (), None),
    Language("nim", "Nim", (".nim", ".nims", ".nimble"), (), ("nim",), None),
    Language("crystal", "Crystal", (".cr",), (), ("crystal",), None),
    Language("d", "D", (".d", ".di"), (), ("rdmd",), None, ("dlang",)),
    Language("elm", "Elm", (".elm",), (), (), None),
    Language("gleam", "Gleam", (".gleam",), (), (), None),
    Language("purescript", "PureScript", (".purs",), (), (), None, ("purs",)),
    Language("fortran", "Fortran", (".f", ".f90", ".f95", ".f03", ".f08", ".for"), (), (), None),
    Language("pascal", "Pascal", (".pas", ".pp", ".dpr", ".lpr"), (), (), None, ("delphi",)),
    Language("ada", "Ada", (".adb", ".ads"), (), (), None),
    Language("cobol", "COBOL", (".cob", ".cbl", ".cpy"), (), (), None),
    Language(
        "lisp", "Common Lisp", (".lisp", ".lsp", ".asd", ".cl"), (), ("sbcl",), None, ("commonlisp", "common-lisp")
    ),
    Language("elisp", "Emacs Lisp", (".el",), (".emacs",), (), None, ("emacs-lisp",)),
    Language("scheme", "Scheme", (".scm", ".ss", ".sld"), (), ("guile",), None),
    Language("racket", "Racket", (".rkt",), (), ("racket",), None, ("rkt",)),
    Language("prolog", "Prolog", (".pro", ".prolog"), (), ("swipl",), None),
    Language("tcl", "Tcl", (".tcl", ".tk"), (), ("tclsh", "wish"), None),
    Language("awk", "Awk", (".awk",), (), ("awk", "gawk", "mawk"), None),
    Language("fish", "Fish", (".fish",), (), ("fish",), None),
    Language("batch", "Batch", (".bat", ".cmd"), (), (), None, ("bat", "cmd")),
    Language("vim", "Vim script", (".vim",), (".vimrc", "vimrc", ".gvimrc"), ("vim",), None, ("viml", "vimscript")),
    Language("assembly", "Assembly", (".asm", ".s", ".nasm"), (), (), None, ("asm",)),
    Language("verilog", "Verilog", (".v", ".vh", ".sv", ".svh"), (), (), None, ("systemverilog",)),
    Language("vhdl", "VHDL", (".vhd", ".vhdl"), (), (), None),
    Language("glsl", "GLSL", (".glsl", ".vert", ".frag", ".comp", ".geom", ".tesc", ".tese"), (), (), None),
    Language("hlsl", "HLSL", (".hlsl", ".fx"), (), (), None),
    Language("wgsl", "WGSL", (".wgsl",), (), (), None),
    Language("metal", "Metal", (".metal",), (), (), None),
    Language("coffeescript", "CoffeeScript", (".coffee", ".litcoffee"), ("cakefile",), ("coffee",), None, ("coffee",)),
    Language("haxe", "Haxe", (".hx",), (), (), None),
    Language("apex", "Apex", (".apex", ".trigger"), (), (), None),
    Language("gdscript", "GDScript", (".gd",), (), (), None, ("gd",)),
    Language(
        "starlark",
        "Starlark",
        (".bzl", ".star", ".bazel"),
        ("build", "workspace", "tiltfile"),
        (),
        None,
        ("bazel", "bzl"),
    ),
    Language("matlab", "MATLAB", (".mlx",), (), ("octave",), None, ("octave",)),
    Language(
        "sql",
        "SQL",
        (".sql", ".psql", ".pgsql", ".ddl", ".dml"),
        (),
        (),
        "tree_sitter_sql",
        ("psql", "postgresql", "mysql"),
    ),
    Language("graphql", "GraphQL", (".graphql", ".gql", ".graphqls"), (), (), None, ("gql",)),
    Language("proto", "Protocol Buffers", (".proto",), (), (), None, ("protobuf", "protocol-buffers")),
    Language("thrift", "Thrift", (".thrift",), (), (), None),
    Language("prisma", "Prisma", (".prisma",), (), (), None),
    Language("html", "HTML", (".html", ".htm", ".xhtml", ".shtml"), (), (), "tree_sitter_html", ("htm",)),
    Language("css", "CSS", (".css",), (), (), "tree_sitter_css"),
    Language("scss", "SCSS", (".scss",), (), (), None),
    Language("sass", "Sass", (".sass",), (), (), None),
    Language("less", "Less", (".less",), (), (), None),
    Language("vue", "Vue", (".vue",), (), (), None),
    Language("svelte", "Svelte", (".svelte",), (), (), "tree_sitter_svelte"),
    Language("astro", "Astro", (".astro",), (), (), None),
    Language("erb", "ERB", (".erb", ".rhtml"), (), (), None, ("eruby",)),
    Language("haml", "Haml", (".haml",), (), (), None),
    Language("pug", "Pug", (".pug", ".jade"), (), (), None, ("jade",)),
    Language("slim", "Slim", (".slim",), (), (), None),
    Language("heex", "HEEx", (".heex", ".leex", ".eex"), (), (), None, ("eex",)),
    Language("jinja", "Jinja", (".jinja", ".jinja2", ".j2"), (), (), None, ("jinja2",)),
    Language("handlebars", "Handlebars", (".hbs", ".handlebars", ".mustache"), (), (), None, ("hbs", "mustache")),
    Language("liquid", "Liquid", (".liquid",), (), (), None),
    Language("twig", "Twig", (".twig",), (), (), None),
    Language("gotemplate", "Go template", (".tmpl", ".gotmpl", ".tpl"), (), (), None, ("gotmpl", "helm")),
    # Configuration and build
    Language(
        "yaml",
        "YAML",
        (".yaml", ".yml"),
        (".clang-format", ".clang-tidy", ".clangd", ".yamllint"),
        (),
        "tree_sitter_yaml",
        ("yml",),
        "config",
    ),
    Language(
        "toml",
        "TOML",
        (".toml",),
        ("cargo.lock", "poetry.lock", "uv.lock", "pipfile"),
        (),
        "tree_sitter_toml",
        (),
        "config",
    ),
    Language(
        "hcl",
        "HCL",
        (".hcl", ".tf", ".tfvars", ".tofu", ".nomad"),
        (),
        (),
        "tree_sitter_hcl",
        ("terraform", "tf"),
        "config",
    ),
    Language(
        "dockerfile",
        "Dockerfile",
        (".dockerfile", ".containerfile"),
        ("dockerfile", "containerfile"),
        (),
        "tree_sitter_dockerfile",
        ("docker", "containerfile"),
        "config",
    ),
    Language(
        "make",
        "Makefile",
        (".mk", ".mak", ".make"),
        ("makefile", "gnumakefile", "kbuild", "bsdmakefile"),
        ("make",),
        "tree_sitter_make",
        ("makefile", "gnumake"),
        "config",
    ),
    Language("cmake", "CMake", (".cmake",), ("cmakelists.txt",), ("cmake",), None, (), "config"),
    Language("meson", "Meson", (), ("meson.build", "meson_options.txt", "meson.options"), (), None, (), "config"),
    Language("just", "Just", (".just",), ("justfile", ".justfile"), ("just",), None, ("justfile",), "config"),
    Language(
        "ini",
        "INI",
        (".ini", ".cfg", ".conf", ".properties", ".editorconfig", ".service", ".desktop", ".prefs"),
        (".editorconfig", ".gitconfig", ".gitmodules", ".npmrc", ".flake8", ".pylintrc", ".coveragerc", "config"),
        (),
        None,
        ("cfg", "conf", "properties"),
        "config",
    ),
    Language("nginx", "nginx", (".nginx",), ("nginx.conf",), (), None, (), "config"),
    Language(
        "ignore",
        "Ignore list",
        (),
        (
            ".gitignore",
            ".dockerignore",
            ".npmignore",
            ".eslintignore",
            ".prettierignore",
            ".helmignore",
            ".gitattributes",
            "codeowners",
        ),
        (),
        None,
        ("gitignore",),
        "config",
    ),
    Language("gomod", "Go module", (), ("go.mod", "go.work"), (), None, ("go.mod",), "config"),
    Language("bicep", "Bicep", (".bicep",), (), (), None, (), "config"),
    Language("cue", "CUE", (".cue",), (), (), None, (), "config"),
    Language("jsonnet", "Jsonnet", (".jsonnet", ".libsonnet"), (), (), None, (), "config"),
    Language("rego", "Rego", (".rego",), (), (), None, (), "config"),
    Language("puppet", "Puppet", (".epp",), (), (), None, (), "config"),
    Language("cabal", "Cabal", (".cabal",), ("cabal.project",), (), None, (), "config"),
    # Data
    Language(
        "json",
        "JSON",
        (".json", ".jsonc", ".json5", ".geojson", ".webmanifest", ".jsonl", ".ndjson", ".har", ".avsc"),
        (".babelrc", ".eslintrc", ".prettierrc", ".swcrc", ".jshintrc", "composer.lock", "pipfile.lock", ".arcconfig"),
        (),
        "tree_sitter_json",
        ("jsonc", "json5", "jsonl"),
        "data",
    ),
    Language("jupyter", "Jupyter notebook", (".ipynb",), (), (), "tree_sitter_json", ("ipynb", "notebook"), "data"),
    Language(
        "xml",
        "XML",
        (
            ".xml",
            ".xsd",
            ".xsl",
            ".xslt",
            ".svg",
            ".plist",
            ".csproj",
            ".vbproj",
            ".fsproj",
            ".vcxproj",
            ".props",
            ".targets",
            ".nuspec",
            ".resx",
            ".xaml",
            ".storyboard",
            ".xib",
            ".wsdl",
            ".rss",
            ".pom",
            ".xlf",
            ".ruleset",
            ".slnx",
            ".axaml",
            ".xmi",
        ),
        ("pom.xml",),
        (),
        "tree_sitter_xml:language_xml",
        ("svg", "xsd"),
        "data",
    ),
    Language("csv", "CSV", (".csv", ".tsv", ".psv"), (), (), None, ("tsv",), "data"),
    Language("diff", "Diff", (".diff", ".patch"), (), (), None, ("patch",), "data"),
    # Documents
    Language(
        "markdown",
        "Markdown",
        (".md", ".markdown", ".mdx", ".mdown", ".mkd", ".qmd", ".rmd"),
        (),
        (),
        "tree_sitter_markdown",
        ("md", "mdx"),
        "docs",
    ),
    Language("rst", "reStructuredText", (".rst",), (), (), None, ("restructuredtext",), "docs"),
    Language("asciidoc", "AsciiDoc", (".adoc", ".asciidoc", ".asc"), (), (), None, ("adoc",), "docs"),
    Language("latex", "LaTeX", (".tex", ".sty", ".bib", ".ltx"), (), (), None, ("tex",), "docs"),
    Language("org", "Org", (".org",), (), (), None, (), "docs"),
    Language("typst", "Typst", (".typ",), (), (), None, (), "docs"),
    Language("textile", "Textile", (".textile",), (), (), None, (), "docs"),
    Language("rdoc", "RDoc", (".rdoc",), (), (), None, (), "docs"),
    Language("man", "Manual page", (".1", ".2", ".3", ".5", ".7", ".8", ".man"), (), (), None, ("roff",), "docs"),
    Language(
        TEXT_LANGUAGE_ID,
        "Plain text",
        (".txt", ".text", ".log"),
        (
            "readme",
            "license",
            "licence",
            "copying",
            "authors",
            "contributors",
            "changelog",
            "notice",
            "todo",
            "version",
        ),
        (),
        None,
        ("txt", "plain", "plaintext"),
        "docs",
    ),
)

LANGUAGES: Mapping[str, Language] = MappingProxyType({language.id: language for language in _TABLE})


def _names_by_lower_case() -> dict[str, str]:
    names: dict[str, str] = {}
    for language in _TABLE:
        for name in (language.id, language.name.lower(), *language.aliases):
            names.setdefault(name, language.id)
    return names


_ID_BY_NAME = _names_by_lower_case()


def resolve_language(name_or_alias: str) -> str:
    """Return the id of the language that a person calls `name_or_alias` (id, name, alias or ".ext", any case).

    Raises:
        ValidationError: no language has that name; the hint names the nearest ones.
    """
    wanted = name_or_alias.strip().lower()
    found = _ID_BY_NAME.get(wanted)
    if found is None and wanted.startswith("."):
        found = next((language.id for language in _TABLE if wanted in language.extensions), None)
    if found is not None:
        return found
    nearest = difflib.get_close_matches(wanted, _ID_BY_NAME, n=NEAREST_NAMES_SHOWN, cutoff=NEAREST_NAME_CUTOFF)
    guess = f"did you mean {', '.join(nearest)}? " if nearest else ""
    raise ValidationError(
        f"unknown language {name_or_alias!r}", hint=f"{guess}run `cocosearch-py languages` to see all names"
    )
