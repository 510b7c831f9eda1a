; Definitions of powershell: one pattern per kind of chunk; the first pattern that names a node wins.
(function_statement (function_name) @name) @def.function
(class_statement . (simple_name) @name) @def.class
(class_method_definition (simple_name) @name) @def.method
(enum_statement . (simple_name) @name) @def.enum
