; Definitions of graphql: one pattern per kind of chunk; the first pattern that names a node wins.
(object_type_definition (name) @name) @def.type
(interface_type_definition (name) @name) @def.interface
(enum_type_definition (name) @name) @def.enum
(input_object_type_definition (name) @name) @def.type
(union_type_definition (name) @name) @def.union
(scalar_type_definition (name) @name) @def.type
(object_type_extension (name) @name) @def.type
(operation_definition (name) @name) @def.query
(fragment_definition (fragment_name) @name) @def.query
(directive_definition (name) @name) @def.macro
(schema_definition) @def.type
