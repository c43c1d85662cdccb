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
    reflective="*.send:0 *.__send__:0 *.public_send:0 *.try:0 *.try!:0 *.method:0 *.public_method:0 "
    "*.instance_method:0 *.const_get:0 *.constantize:- *.safe_constantize:- *.eval:0 *.instance_methods:- "
    "*.public_instance_methods:- *.constants:- *.subclasses:- *.descendants:-",
    forwarders=frozenset({"method_missing"}),
    imports="ruby.imports",
    imports_bring_all=True,
    cost=2.0,
)
