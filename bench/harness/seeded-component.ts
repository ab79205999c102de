const FIRST_MS = Date.parse('2026-01-01T00:00:00.000Z')

/** The component at a position in a seeded table: the same in every run, and older than everything created later. */
export function seededComponent(place: number): { id: string; name: string; createdAt: string } {
  const ms = FIRST_MS + place
  const time = ms.toString(16).padStart(12, '0')
  const tail = Math.imul(place, 0x9e3779b1) >>> 0
  return {
    id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail.toString(16).padStart(12, '0')}`,
    name: `Support assistant ${place}`,
    createdAt: new Date(ms).toISOString(),
  }
}

/** Positions spread evenly over a table, not in the order of the table. */
export function spreadPlaces(rows: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(((index * 0.618_033_988_749_895) % 1) * rows))
}
