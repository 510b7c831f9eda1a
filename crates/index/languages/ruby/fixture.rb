require 'set'

LIMIT = 8

module Parking
  # A place to leave a car.
  class Place < Base
    attr_reader :owner

    # Reserves the place.
    def reserve(owner)
      @owner = owner
    end

    def self.build
      new
    end
  end
end
