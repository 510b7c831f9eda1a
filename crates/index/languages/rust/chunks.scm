; Definitions of rust: one pattern per kind of chunk; the first pattern that names a node wins.
(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(union_item name: (type_identifier) @name) @def.union
(trait_item name: (type_identifier) @name) @def.trait
(impl_item type: (type_identifier) @name) @def.impl
(impl_item type: (generic_type type: (type_identifier) @name)) @def.impl
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @def.impl
(impl_item type: (_) @name) @def.impl
(mod_item name: (identifier) @name body: (_)) @def.module
(macro_definition name: (identifier) @name) @def.macro
(source_file (type_item name: (type_identifier) @name) @def.type)
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.constant
