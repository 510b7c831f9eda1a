; Definitions of go: one pattern per kind of chunk; the first pattern that names a node wins.
(function_declaration name: (identifier) @name) @def.function
(method_declaration name: (field_identifier) @name) @def.method
(type_declaration (type_spec name: (type_identifier) @name type: (struct_type))) @def.struct
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type))) @def.interface
(type_declaration (type_spec name: (type_identifier) @name)) @def.type
(type_declaration (type_alias name: (type_identifier) @name)) @def.type
(source_file (const_declaration (const_spec name: (identifier) @name)) @def.constant)
(source_file (var_declaration (var_spec name: (identifier) @name)) @def.variable)
