; Definitions of cpp: one pattern per kind of chunk; the first pattern that names a node wins.
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def.function
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @def.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier) @name)) @def.method
(function_definition declarator: (function_declarator declarator: (destructor_name) @name)) @def.method
(function_definition declarator: (function_declarator declarator: (operator_name) @name)) @def.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @def.function
(function_definition declarator: (operator_cast) @name) @def.method
(class_specifier name: (_) @name body: (_)) @def.class
(struct_specifier name: (_) @name body: (_)) @def.struct
(union_specifier name: (_) @name body: (_)) @def.union
(enum_specifier name: (_) @name body: (_)) @def.enum
(namespace_definition name: (_) @name) @def.module
(concept_definition name: (identifier) @name) @def.type
(alias_declaration name: (type_identifier) @name) @def.type
(type_definition declarator: (type_identifier) @name) @def.type
(preproc_function_def name: (identifier) @name) @def.macro
