"""Bash."""

from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "bash",
    "Bash",
    words(".sh .bash .zsh .ksh .bats .ebuild .eclass .command"),
    filenames=words(
        ".bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile .kshrc "
        ".envrc pkgbuild apkbuild gradlew"
    ),
    interpreters=words("sh bash zsh ksh dash ash bats"),
    grammar="tree_sitter_bash",
    comments="hash",
    aliases=words("shell sh zsh ksh shellscript"),
    reflective="eval:0",
    imports="bash.imports",
    cost=1.6,
)
