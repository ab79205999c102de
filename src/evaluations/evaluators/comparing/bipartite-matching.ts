/**
 * How many of `left` things can each be given one of `right` things of its own that fits it: the size of a maximum matching, by
 * augmenting paths (Kuhn 1955). `fits` is asked once a pair at most.
 */
export function matchingSize(left: number, right: number, fits: (left: number, right: number) => boolean): number {
  const fitting = Array.from({ length: left }, (_, place) =>
    Array.from({ length: right }, (_, other) => other).filter((other) => fits(place, other)),
  )
  const owner = new Map<number, number>()
  let size = 0
  for (let place = 0; place < left; place += 1) {
    if (giveOne(place, fitting, owner)) size += 1
  }
  return size
}

/** Along the shortest way of exchanges, breadth first: a chain of exchanges may be as long as the list. */
function giveOne(start: number, fitting: readonly (readonly number[])[], owner: Map<number, number>): boolean {
  const cameFrom = new Map<number, number>()
  const queue = [start]
  for (const place of queue) {
    for (const other of fitting[place] ?? []) {
      if (cameFrom.has(other)) continue
      cameFrom.set(other, place)
      const holder = owner.get(other)
      if (holder === undefined) {
        exchange(other, start, cameFrom, owner)
        return true
      }
      queue.push(holder)
    }
  }
  return false
}

function exchange(free: number, start: number, cameFrom: Map<number, number>, owner: Map<number, number>): void {
  const given = new Map([...owner].map(([thing, place]) => [place, thing]))
  let thing: number | undefined = free
  while (thing !== undefined) {
    const place = cameFrom.get(thing)
    if (place === undefined) return
    owner.set(thing, place)
    thing = place === start ? undefined : given.get(place)
  }
}
