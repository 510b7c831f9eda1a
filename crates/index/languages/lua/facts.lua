local json = require("json")
local client = require "ledger.client"

local function target(amount, rest)
  local copy = amount
  local ledger = Ledger.new("EUR")
  local total = 0
  for _, row in ipairs(rest) do
    if row.closed then
      break
    elseif row.empty then
      total = 1
    end
    total = total + row.balance
  end
  while total > limit do
    total = total - 1
  end
  self.state = total
  rest[0] = copy
  ledger:settle(total)
  if total == 0 then
    error("LedgerError")
  end
  return total
end

function decoy(sum, other)
  -- target settle amount balance total Ledger LedgerError
  local note = "ledger:settle(total) error copy = amount"
  print(note, sum)
  local pick = function(amount) return amount end
  for _, one in ipairs(other) do
    pick(one)
  end
  if sum then
    pick(sum)
  end
end

function numbers(limit)
  coroutine.yield(limit)
end
