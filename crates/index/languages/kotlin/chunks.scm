; Definitions of kotlin: one pattern per kind of chunk; the first pattern that names a node wins.
(class_declaration "interface" name: (identifier) @name) @def.interface
(class_declaration name: (identifier) @name) @def.class
(object_declaration name: (identifier) @name) @def.object
(companion_object) @def.object
(function_declaration name: (identifier) @name) @def.function
(secondary_constructor) @def.constructor
(type_alias type: (identifier) @name) @def.type
(source_file (property_declaration (variable_declaration (identifier) @name)) @def.constant)
