(function_item name: (_) @name body: (block) @body) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name body: (field_declaration_list)? @body) @definition.struct
(union_item name: (_) @name body: (_) @body) @definition.struct
(enum_item name: (_) @name body: (_) @body) @definition.enum
(enum_variant name: (_) @name) @definition.constant
(field_declaration name: (_) @name) @definition.field
(trait_item name: (_) @name body: (_) @body) @definition.trait

; The name is the whole type; the program takes generics, paths and references off it.
(impl_item type: (_) @name body: (declaration_list) @body) @definition.impl

(mod_item name: (_) @name body: (_) @body) @definition.module
(mod_item name: (_) @name) @definition.module
(macro_definition name: (_) @name) @definition.macro
(type_item name: (_) @name) @definition.type
(associated_type name: (_) @name) @definition.type

(source_file [(const_item name: (_) @name) (static_item name: (_) @name)] @definition.constant)
(declaration_list [(const_item name: (_) @name) (static_item name: (_) @name)] @definition.constant)

(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment
