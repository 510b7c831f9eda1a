; Definitions of lua: one pattern per kind of chunk; the first pattern that names a node wins.
(function_declaration name: (_) @name) @def.function
(assignment_statement (variable_list name: (_) @name) (expression_list value: (function_definition))) @def.function
