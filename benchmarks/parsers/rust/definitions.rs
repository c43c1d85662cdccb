//! Prints the definitions of Rust files as syn sees them: paths in, [path, line, end line, kind, name] out.

use proc_macro2::Span;
use std::io::{self, BufRead};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

struct File<'a> {
    path: &'a str,
    depth: usize, // of functions around
}

impl File<'_> {
    fn emit(&self, whole: Span, name: &syn::Ident, kind: &str) {
        let text = name.to_string();
        let (line, end) = (name.span().start().line, whole.end().line);
        println!("[{:?}, {}, {}, {:?}, {:?}]", self.path, line, end, kind, text.trim_start_matches("r#"));
    }
}

impl<'ast> Visit<'ast> for File<'_> {
    fn visit_item_fn(&mut self, one: &'ast syn::ItemFn) {
        self.emit(one.span(), &one.sig.ident, "function");
        self.depth += 1;
        visit::visit_item_fn(self, one);
        self.depth -= 1;
    }
    fn visit_impl_item_method(&mut self, one: &'ast syn::ImplItemMethod) {
        self.emit(one.span(), &one.sig.ident, "function");
        self.depth += 1;
        visit::visit_impl_item_method(self, one);
        self.depth -= 1;
    }
    fn visit_trait_item_method(&mut self, one: &'ast syn::TraitItemMethod) {
        self.emit(one.span(), &one.sig.ident, "function");
        self.depth += 1;
        visit::visit_trait_item_method(self, one);
        self.depth -= 1;
    }
    fn visit_foreign_item_fn(&mut self, one: &'ast syn::ForeignItemFn) {
        self.emit(one.span(), &one.sig.ident, "function");
    }
    fn visit_item_macro(&mut self, one: &'ast syn::ItemMacro) {
        if let Some(name) = &one.ident {
            self.emit(one.span(), name, "function");
        }
    }
    fn visit_item_struct(&mut self, one: &'ast syn::ItemStruct) {
        self.emit(one.span(), &one.ident, "type");
        visit::visit_item_struct(self, one);
    }
    fn visit_item_union(&mut self, one: &'ast syn::ItemUnion) {
        self.emit(one.span(), &one.ident, "type");
        visit::visit_item_union(self, one);
    }
    fn visit_item_enum(&mut self, one: &'ast syn::ItemEnum) {
        self.emit(one.span(), &one.ident, "type");
        visit::visit_item_enum(self, one);
    }
    fn visit_item_trait(&mut self, one: &'ast syn::ItemTrait) {
        self.emit(one.span(), &one.ident, "type");
        visit::visit_item_trait(self, one);
    }
    fn visit_item_trait_alias(&mut self, one: &'ast syn::ItemTraitAlias) {
        self.emit(one.span(), &one.ident, "type");
    }
    fn visit_item_type(&mut self, one: &'ast syn::ItemType) {
        self.emit(one.span(), &one.ident, "type");
    }
    fn visit_impl_item_type(&mut self, one: &'ast syn::ImplItemType) {
        self.emit(one.span(), &one.ident, "type");
    }
    fn visit_trait_item_type(&mut self, one: &'ast syn::TraitItemType) {
        self.emit(one.span(), &one.ident, "type");
    }
    fn visit_foreign_item_type(&mut self, one: &'ast syn::ForeignItemType) {
        self.emit(one.span(), &one.ident, "type");
    }
    fn visit_item_mod(&mut self, one: &'ast syn::ItemMod) {
        self.emit(one.span(), &one.ident, "type");
        visit::visit_item_mod(self, one);
    }
    fn visit_field(&mut self, one: &'ast syn::Field) {
        if let Some(name) = &one.ident {
            self.emit(one.span(), name, "value");
        }
    }
    fn visit_variant(&mut self, one: &'ast syn::Variant) {
        self.emit(one.span(), &one.ident, "value");
        visit::visit_variant(self, one);
    }
    fn visit_item_const(&mut self, one: &'ast syn::ItemConst) {
        if self.depth == 0 {
            self.emit(one.span(), &one.ident, "value");
        }
        visit::visit_item_const(self, one);
    }
    fn visit_item_static(&mut self, one: &'ast syn::ItemStatic) {
        if self.depth == 0 {
            self.emit(one.span(), &one.ident, "value");
        }
    }
    fn visit_foreign_item_static(&mut self, one: &'ast syn::ForeignItemStatic) {
        self.emit(one.span(), &one.ident, "value");
    }
    fn visit_impl_item_const(&mut self, one: &'ast syn::ImplItemConst) {
        self.emit(one.span(), &one.ident, "value");
    }
    fn visit_trait_item_const(&mut self, one: &'ast syn::TraitItemConst) {
        self.emit(one.span(), &one.ident, "value");
    }
}

fn main() {
    for path in io::stdin().lock().lines().map(|line| line.unwrap()) {
        match std::fs::read_to_string(&path).ok().and_then(|text| syn::parse_file(&text).ok()) {
            Some(tree) => File { path: &path, depth: 0 }.visit_file(&tree),
            None => println!("{{\"bad\": {:?}}}", path),
        }
    }
}
