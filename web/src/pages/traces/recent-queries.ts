/** The last queries of a user in an application, kept in this browser. */
const RECENT_MAX = 6

interface Owner {
  applicationId: string
  /** Another user of the same browser must not see them. */
  userId: string
}

export function readRecentQueries(owner: Owner): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(owner)) ?? '[]')
    return Array.isArray(stored) ? stored.filter((query) => typeof query === 'string') : []
  } catch {
    // Storage is blocked, or was changed by hand: there are no recent queries.
    return []
  }
}

export function rememberQuery(owner: Owner, query: string): void {
  const others = readRecentQueries(owner).filter((other) => other !== query)
  try {
    localStorage.setItem(keyOf(owner), JSON.stringify([query, ...others].slice(0, RECENT_MAX)))
  } catch {
    // Storage is blocked or full: the query is not remembered.
  }
}

function keyOf({ applicationId, userId }: Owner): string {
  return `touchstone.recent-queries.${applicationId}.${userId}`
}
