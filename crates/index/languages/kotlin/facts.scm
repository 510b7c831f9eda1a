; Facts of kotlin: the first pattern that captures a node wins.
[(function_declaration name: (_) @skip) (class_declaration name: (_) @skip) (object_declaration name: (_) @skip)]
(package_header (_) @skip)
(annotation (user_type) @skip)

; Heads.
[(lambda_literal) (anonymous_function) (function_declaration)] @scope
(parameter (identifier) @param)
(class_parameter (identifier) @param)
(lambda_parameters (variable_declaration (identifier) @param))
(modifiers (annotation) @decorator)
(function_declaration [(user_type) (nullable_type)] @return_type (#eq? @return_type "Unit"))
(function_declaration [(user_type) (nullable_type)] @return_type @returns)
(function_body "=" @returns)
(function_modifier "suspend" @async)
[(function_declaration (modifiers (visibility_modifier) @visibility)) (class_declaration (modifiers (visibility_modifier) @visibility)) (object_declaration (modifiers (visibility_modifier) @visibility))]
(delegation_specifier (constructor_invocation (user_type) @extends))
(delegation_specifier (user_type) @extends)

; Imports.
(import (qualified_identifier) @_old (identifier) @_new) @alias
(import (identifier) @skip)
(import (qualified_identifier) @import)
(qualified_identifier (identifier) @skip)

; Types.
(parameter [(user_type) (nullable_type) (function_type)] @type)
(class_parameter [(user_type) (nullable_type) (function_type)] @type)
(variable_declaration [(user_type) (nullable_type)] @type)
(property_declaration (call_expression (identifier) @type @call (#match? @type "^[A-Z]")))
(property_declaration (number_literal) @type.is.Int)
(property_declaration (string_literal) @type.is.String)

; What is thrown, awaited and returned.
(throw_expression (call_expression (identifier) @throw @call))
(throw_expression (identifier) @throw @read)
(navigation_expression (call_expression) @await.head (identifier) @_await (#any-of? @_await "await" "awaitAll"))
(navigation_expression (identifier) @await @read (identifier) @_await (#not-any-of? @await "await" "awaitAll") (#any-of? @_await "await" "awaitAll"))
(return_expression (_)) @returns

; Writes.
(property_declaration (variable_declaration (identifier) @_new) (identifier) @_old) @alias
(assignment left: (identifier) @_new operator: "=" right: (identifier) @_old) @alias
(variable_declaration (identifier) @write)
(assignment left: (identifier) @write)
(assignment left: [(navigation_expression) (index_expression)] @mutate)

; Calls.
(call_expression (identifier) @call @generator (annotated_lambda) (#any-of? @call "sequence" "iterator"))
(call_expression (identifier) @call)
(call_expression (navigation_expression) @call)

; Control flow.
[(if_expression) (when_entry) (catch_block)] @branch
[(for_statement) (while_statement) (do_while_statement)] @loop
((identifier) @break (#eq? @break "break"))
((identifier) @continue (#eq? @continue "continue"))

; Everything else that is named is read.
(navigation_expression (navigation_expression) @skip)
(navigation_expression) @read
(user_type (identifier) @use)
(identifier) @read
