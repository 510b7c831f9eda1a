; Definitions of sql: one pattern per kind of chunk; the first pattern that names a node wins.
(create_table (object_reference name: (_) @name)) @def.table
(create_view (object_reference name: (_) @name)) @def.view
(create_materialized_view (object_reference name: (_) @name)) @def.view
(create_function (object_reference name: (_) @name)) @def.function
(create_index) @def.index
(create_trigger) @def.trigger
(create_type (object_reference name: (_) @name)) @def.type
