# Reserves a place.
function Set-Place {
    param([string]$Owner)
    Write-Output $Owner
}

class Place {
    [string]$Owner

    [bool] Reserve([string]$owner) {
        $this.Owner = $owner
        return $true
    }
}

enum State {
    Free
    Taken
}
