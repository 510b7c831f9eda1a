; Definitions of zig: one pattern per kind of chunk; the first pattern that names a node wins.
(function_declaration name: (identifier) @name) @def.function
(variable_declaration (identifier) @name (struct_declaration)) @def.struct
(variable_declaration (identifier) @name (enum_declaration)) @def.enum
(variable_declaration (identifier) @name (union_declaration)) @def.union
(variable_declaration (identifier) @name (error_set_declaration)) @def.enum
(test_declaration (string) @name) @def.test
(test_declaration) @def.test
