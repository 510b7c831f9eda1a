; Definitions of r: one pattern per kind of chunk; the first pattern that names a node wins.
(program (binary_operator lhs: (identifier) @name rhs: (function_definition)) @def.function)
(program (binary_operator lhs: (string) @name rhs: (function_definition)) @def.function)
