"""XML."""

from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "xml",
    "XML",
    words(
        ".xml .xsd .xsl .xslt .svg .plist .csproj .vbproj .fsproj .vcxproj .props .targets .nuspec .resx "
        ".xaml .storyboard .xib .wsdl .rss .pom .xlf .ruleset .slnx .axaml .xmi"
    ),
    filenames=("pom.xml",),
    grammar="tree_sitter_xml:language_xml",
    comments="markup",
    aliases=words("svg xsd"),
    kind="data",
    probes={"": rb"\A<\?xml", ".ts": rb"\A[\xef\xbb\xbf \r\n\t]*<(?:\?xml|!DOCTYPE TS)"},
)
