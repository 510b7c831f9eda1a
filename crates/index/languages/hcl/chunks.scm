; Definitions of hcl: one pattern per kind of chunk; the first pattern that names a node wins.
(body (block (identifier) (string_lit (template_literal)) (string_lit (template_literal) @name)) @def.resource)
(body (block (identifier) (string_lit (template_literal) @name)) @def.resource)
(config_file (body (block (identifier) @name) @def.resource))
