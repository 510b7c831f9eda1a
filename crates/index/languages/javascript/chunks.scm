; Definitions of javascript: one pattern per kind of chunk; the first pattern that names a node wins.
(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(class_declaration name: (_) @name) @def.class
(method_definition name: (_) @name) @def.method
(program (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)] @code)) @def.function)
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)] @code))) @def.function)
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @def.constant)
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @def.constant)
(program (variable_declaration (variable_declarator name: (identifier) @name value: (function_expression))) @def.function)
(program (expression_statement (assignment_expression left: (member_expression property: (property_identifier) @name) right: [(function_expression) (arrow_function)] @code)) @def.function)
(class_body (field_definition property: (property_identifier) @name value: (arrow_function) @code) @def.method)
