; Definitions of nix: one pattern per kind of chunk; the first pattern that names a node wins.
(binding attrpath: (_) @name expression: [(function_expression) (apply_expression) (attrset_expression) (rec_attrset_expression) (let_expression)]) @def.property
