; Definitions of gleam: one pattern per kind of chunk; the first pattern that names a node wins.
(function name: (_) @name) @def.function
(external_function name: (_) @name) @def.function
(type_definition (type_name) @name) @def.enum
(type_alias (type_name) @name) @def.type
(constant name: (_) @name) @def.constant
