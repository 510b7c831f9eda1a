; Definitions of scala: one pattern per kind of chunk; the first pattern that names a node wins.
(class_definition name: (_) @name) @def.class
(object_definition name: (_) @name) @def.object
(trait_definition name: (_) @name) @def.trait
(enum_definition name: (_) @name) @def.enum
(function_definition name: (_) @name) @def.function
(function_declaration name: (_) @name) @def.function
(given_definition name: (_) @name) @def.constant
(extension_definition) @def.impl
(type_definition name: (_) @name) @def.type
(package_object name: (_) @name) @def.object
