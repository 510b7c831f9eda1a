; Definitions of elm: one pattern per kind of chunk; the first pattern that names a node wins.
(value_declaration functionDeclarationLeft: (function_declaration_left . (_) @name)) @def.function
(type_declaration name: (_) @name) @def.enum
(type_alias_declaration name: (_) @name) @def.type
(port_annotation name: (_) @name) @def.function
