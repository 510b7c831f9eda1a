; Definitions of csharp: one pattern per kind of chunk; the first pattern that names a node wins.
(class_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.struct
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(delegate_declaration name: (identifier) @name) @def.type
(namespace_declaration name: (_) @name) @def.module
(method_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.constructor
(destructor_declaration name: (identifier) @name) @def.method
(operator_declaration) @def.method
(property_declaration name: (identifier) @name) @def.property
(local_function_statement name: (identifier) @name) @def.function
