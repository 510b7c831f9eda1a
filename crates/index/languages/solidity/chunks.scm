; Definitions of solidity: one pattern per kind of chunk; the first pattern that names a node wins.
(contract_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(library_declaration name: (_) @name) @def.module
(function_definition name: (_) @name) @def.function
(constructor_definition "constructor" @name) @def.constructor
(modifier_definition name: (_) @name) @def.function
(struct_declaration name: (_) @name) @def.struct
(enum_declaration name: (_) @name) @def.enum
(event_definition name: (_) @name) @def.type
(error_declaration name: (_) @name) @def.type
