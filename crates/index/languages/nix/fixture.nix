{ pkgs }:
{
  # The parking program.
  package = pkgs.stdenv.mkDerivation {
    name = "parking";
  };

  reserve = place: owner: {
    inherit place owner;
  };
}
