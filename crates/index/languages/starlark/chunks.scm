; Definitions of starlark: one pattern per kind of chunk; the first pattern that names a node wins.
(function_definition name: (identifier) @name) @def.function
(module (expression_statement (assignment left: (identifier) @name)) @def.constant)
(module (expression_statement (call function: (identifier) arguments: (argument_list (keyword_argument name: (identifier) @_k value: (string) @name)))) @def.target (#eq? @_k "name"))
