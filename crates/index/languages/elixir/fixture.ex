defmodule Parking.Place do
  @moduledoc "A place to leave a car."

  defstruct [:owner]

  # Reserves the place.
  def reserve(place, owner) do
    %{place | owner: owner}
  end

  def free?(place) when is_map(place), do: place.owner == nil

  defp helper, do: :ok

  defmacro places(count) do
    count
  end
end
