; Definitions of dart: one pattern per kind of chunk; the first pattern that names a node wins.
(class_declaration name: (_) @name) @def.class
(mixin_declaration name: (_) @name) @def.trait
(extension_declaration name: (_) @name) @def.impl
(extension_type_declaration name: (_) @name) @def.impl
(enum_declaration name: (_) @name) @def.enum
(function_declaration signature: (function_signature name: (_) @name)) @def.function
(method_declaration signature: (method_signature (function_signature name: (_) @name))) @def.method
(method_declaration signature: (method_signature (getter_signature name: (_) @name))) @def.property
(method_declaration signature: (method_signature (constructor_signature name: (_) @name))) @def.constructor
(method_declaration) @def.method
