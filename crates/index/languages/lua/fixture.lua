local M = {}

-- Reserves a place.
function M.reserve(place, owner)
  place.owner = owner
  return true
end

local function helper(value)
  return value
end

M.release = function(place)
  place.owner = nil
end

return M
