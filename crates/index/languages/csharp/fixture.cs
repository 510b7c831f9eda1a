using System;

namespace Parking
{
    /// <summary>A place to leave a car.</summary>
    public class Place : ISpot
    {
        public string Owner { get; set; }

        public Place(string owner)
        {
            Owner = owner;
        }

        // Reserves the place.
        public async Task<bool> ReserveAsync(string owner)
        {
            Owner = owner;
            return true;
        }
    }

    public interface ISpot
    {
        Task<bool> ReserveAsync(string owner);
    }

    public enum State { Free, Taken }
}
