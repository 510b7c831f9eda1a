<?php

namespace Parking;

/** A place to leave a car. */
class Place implements Spot
{
    private string $owner;

    /** Reserves the place. */
    public function reserve(string $owner): bool
    {
        $this->owner = $owner;
        return true;
    }
}

interface Spot
{
    public function reserve(string $owner): bool;
}

trait Named
{
}

function helper($value)
{
    return $value;
}
