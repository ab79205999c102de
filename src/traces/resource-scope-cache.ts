import type { Queries } from '../storage/db.ts'
import type { Origin } from './storing/received-span.ts'
import { readOrigin, UNKNOWN_ORIGIN } from './storing/stored-span.ts'
import { listOrigins } from './trace-queries.ts'

/**
 * Origins by workspace and hash. The hash is that of the content, so an origin never changes. What the mapping derives from an origin is
 * cached with the object: see `pick-fields.ts` and `map-metadata.ts`.
 */
const recent = new Map<string, Origin>()
const RECENT_MAX = 500
/** Larger origins are rare, and would use too much memory. */
const RECENT_CHARACTERS_MAX = 8_000

/** Spans share their origins, so each origin is read once. */
export class OriginCache {
  readonly #q: Queries
  readonly #workspaceId: string
  readonly #known = new Map<string, Origin>()

  constructor(q: Queries, workspaceId: string) {
    this.#q = q
    this.#workspaceId = workspaceId
  }

  async load(rows: readonly { origin: string }[]): Promise<void> {
    const missing = new Set<string>()
    for (const { origin: hash } of rows) {
      if (this.#known.has(hash)) continue
      const origin = recent.get(this.#nameOf(hash))
      if (origin) this.#known.set(hash, origin)
      else missing.add(hash)
    }
    if (missing.size === 0) return
    for (const row of await listOrigins(this.#q, this.#workspaceId, [...missing])) {
      const origin = readOrigin(row)
      this.#known.set(row.hash, origin)
      if (row.resource.length + row.scope.length <= RECENT_CHARACTERS_MAX) remember(this.#nameOf(row.hash), origin)
    }
  }

  get(hash: string): Origin {
    return this.#known.get(hash) ?? UNKNOWN_ORIGIN
  }

  #nameOf(hash: string): string {
    return `${this.#workspaceId} ${hash}`
  }
}

function remember(name: string, origin: Origin): void {
  if (recent.size >= RECENT_MAX) {
    const [oldest = ''] = recent.keys()
    recent.delete(oldest)
  }
  recent.set(name, origin)
}
