; Definitions of elixir: one pattern per kind of chunk; the first pattern that names a node wins.
(call target: (identifier) @_k (arguments . (alias) @name) (#any-of? @_k "defmodule" "defprotocol" "defimpl")) @def.module
(call target: (identifier) @_k (arguments . (call target: (identifier) @name)) (#any-of? @_k "def" "defp" "defdelegate" "defguard" "defguardp")) @def.function
(call target: (identifier) @_k (arguments . (identifier) @name) (#any-of? @_k "def" "defp")) @def.function
(call target: (identifier) @_k (arguments . (binary_operator left: (call target: (identifier) @name))) (#any-of? @_k "def" "defp" "defguard" "defguardp")) @def.function
(call target: (identifier) @_k (arguments . (call target: (identifier) @name)) (#any-of? @_k "defmacro" "defmacrop")) @def.macro
(call target: (identifier) @_k (arguments . (string) @name) (#any-of? @_k "test" "describe")) @def.test
