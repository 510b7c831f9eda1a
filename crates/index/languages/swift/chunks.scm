; Definitions of swift: one pattern per kind of chunk; the first pattern that names a node wins.
(class_declaration declaration_kind: "class" name: (_) @name) @def.class
(class_declaration declaration_kind: "struct" name: (_) @name) @def.struct
(class_declaration declaration_kind: "enum" name: (_) @name) @def.enum
(class_declaration declaration_kind: "extension" name: (_) @name) @def.impl
(class_declaration name: (_) @name) @def.class
(protocol_declaration name: (_) @name) @def.interface
(function_declaration name: (_) @name) @def.function
(protocol_function_declaration name: (_) @name) @def.method
(init_declaration "init" @name) @def.constructor
(deinit_declaration) @def.method
(subscript_declaration) @def.method
(typealias_declaration name: (_) @name) @def.type
(property_declaration name: (pattern) @name computed_value: (_)) @def.property
