; Definitions of ruby: one pattern per kind of chunk; the first pattern that names a node wins.
(method name: (_) @name) @def.method
(singleton_method name: (_) @name) @def.method
(class name: (_) @name) @def.class
(module name: (_) @name) @def.module
(singleton_class) @def.class
(program (assignment left: (constant) @name) @def.constant)
