; Definitions of c: one pattern per kind of chunk; the first pattern that names a node wins.
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @def.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @def.function
(type_definition declarator: (type_identifier) @name) @def.type
(translation_unit (struct_specifier name: (type_identifier) @name body: (_)) @def.struct)
(translation_unit (enum_specifier name: (type_identifier) @name body: (_)) @def.enum)
(translation_unit (union_specifier name: (type_identifier) @name body: (_)) @def.union)
(preproc_ifdef (struct_specifier name: (type_identifier) @name body: (_)) @def.struct)
(preproc_ifdef (enum_specifier name: (type_identifier) @name body: (_)) @def.enum)
(preproc_function_def name: (identifier) @name) @def.macro
