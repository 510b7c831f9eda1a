; Definitions of erlang: one pattern per kind of chunk; the first pattern that names a node wins.
(fun_decl clause: (function_clause name: (_) @name)) @def.function
(record_decl name: (_) @name) @def.struct
(type_alias name: (_) @name) @def.type
(pp_define lhs: (macro_lhs name: (_) @name)) @def.macro
