; Definitions of dockerfile: one pattern per kind of chunk; the first pattern that names a node wins.
(from_instruction as: (_) @name) @def.target
(from_instruction (image_spec) @name) @def.target
