"""Ruby."""

from cocosearch_py.languages.language import Language, words
from cocosearch_py.languages.visibility import PUBLIC, modifiers

LANGUAGE = Language(
    "ruby",
    "Ruby",
    words(".rb .rbw .rake .gemspec .ru .podspec .jbuilder .rbi .thor"),
    filenames=words(
        "gemfile rakefile vagrantfile guardfile capfile podfile fastfile brewfile appraisals dangerfile "
        "berksfile thorfile .irbrc .pryrc"
    ),
    interpreters=words("ruby jruby rake"),
    grammar="tree_sitter_ruby",
    comments="hash",
    aliases=("rb",),
    visibility=modifiers(PUBLIC),
    name_marker=":",
    imports="ruby.imports",
    imports_bring_all=True,
    cost=2.0,
)
