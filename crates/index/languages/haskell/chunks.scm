; Definitions of haskell: one pattern per kind of chunk; the first pattern that names a node wins.
(declarations (function name: (_) @name) @def.function)
(declarations (bind name: (_) @name) @def.function)
(declarations (data_type name: (_) @name) @def.type)
(declarations (newtype name: (_) @name) @def.type)
(declarations (type_synonym name: (_) @name) @def.type)
(declarations (class name: (_) @name) @def.trait)
(declarations (instance name: (_) @name) @def.impl)
