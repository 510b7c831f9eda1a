; Definitions of bash: one pattern per kind of chunk; the first pattern that names a node wins.
(function_definition name: (word) @name) @def.function
