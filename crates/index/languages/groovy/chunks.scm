; Definitions of groovy: one pattern per kind of chunk; the first pattern that names a node wins.
(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(record_declaration name: (identifier) @name) @def.class
(annotation_type_declaration name: (identifier) @name) @def.interface
(method_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.constructor
(compact_constructor_declaration name: (identifier) @name) @def.constructor
(interface_body (constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant)

(function_definition name: (identifier) @name) @def.function
