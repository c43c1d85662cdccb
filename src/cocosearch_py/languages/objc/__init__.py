"""Objective-C."""

from cocosearch_py.languages.language import Language, words

LANGUAGE = Language(
    "objc",
    "Objective-C",
    words(".m .mm"),
    aliases=words("objective-c objectivec"),
    probes={".h": rb"(?m)^[ \t]*(?:@interface|@protocol|@class|@end|#import)\b"},
    lexer="objective-c",
    reflective="NSSelectorFromString:0 NSClassFromString:0 dlsym:1",
    imports="c_family.imports",
    family="c",
    imports_bring_all=True,
    links_by_name=True,
)
