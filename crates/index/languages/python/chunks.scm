; Definitions of python: one pattern per kind of chunk; the first pattern that names a node wins.
(function_definition name: (identifier) @name body: (block . (expression_statement (string) @doc))) @def.function
(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name body: (block . (expression_statement (string) @doc))) @def.class
(class_definition name: (identifier) @name) @def.class
(module (expression_statement (assignment left: (identifier) @name)) @def.constant)
