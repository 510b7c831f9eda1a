; Definitions of proto: one pattern per kind of chunk; the first pattern that names a node wins.
(message (message_name) @name) @def.message
(enum (enum_name) @name) @def.enum
(service (service_name) @name) @def.service
(rpc (rpc_name) @name) @def.method
