; Definitions of cmake: one pattern per kind of chunk; the first pattern that names a node wins.
(function_def (function_command (argument_list . (argument) @name))) @def.function
(macro_def (macro_command (argument_list . (argument) @name))) @def.macro
