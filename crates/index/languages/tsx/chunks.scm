; Definitions of tsx: one pattern per kind of chunk; the first pattern that names a node wins.
(function_declaration name: (identifier) @name) @def.function
(function_signature name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(class_declaration name: (type_identifier) @name) @def.class
(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(internal_module name: (_) @name) @def.module
(module name: (_) @name) @def.module
(method_definition name: (_) @name) @def.method
(abstract_method_signature name: (_) @name) @def.method
(program (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)] @code)) @def.function)
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)] @code))) @def.function)
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @def.constant)
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @def.constant)
(class_body (public_field_definition name: (property_identifier) @name value: (arrow_function) @code) @def.method)
