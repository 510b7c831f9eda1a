; Definitions of make: one pattern per kind of chunk; the first pattern that names a node wins.
(rule (targets . (word) @name)) @def.target
(define_directive name: (_) @name) @def.macro
