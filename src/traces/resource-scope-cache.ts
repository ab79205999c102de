import type { Queries } from '../storage/db.ts'
import type { ResourceScope } from './storing/received-span.ts'
import { readResourceScope, UNKNOWN_RESOURCE_SCOPE } from './storing/stored-span.ts'
import { listResourceScopes } from './trace-queries.ts'

/**
 * Resource scopes by workspace and hash. The hash is that of the content, so a resource scope never changes. What the mapping derives
 * from it is cached with the object: see `pick-fields.ts` and `map-metadata.ts`.
 */
const recent = new Map<string, ResourceScope>()
const RECENT_MAX = 500
/** Larger resource scopes are rare, and would use too much memory. */
const RECENT_CHARACTERS_MAX = 8_000

/** Spans share their resource scopes, so each is read once. */
export class ResourceScopeCache {
  readonly #q: Queries
  readonly #workspaceId: string
  readonly #known = new Map<string, ResourceScope>()

  constructor(q: Queries, workspaceId: string) {
    this.#q = q
    this.#workspaceId = workspaceId
  }

  async load(rows: readonly { resource_scope: string }[]): Promise<void> {
    const missing = new Set<string>()
    for (const { resource_scope: hash } of rows) {
      if (this.#known.has(hash)) continue
      const resourceScope = recent.get(this.#nameOf(hash))
      if (resourceScope) this.#known.set(hash, resourceScope)
      else missing.add(hash)
    }
    if (missing.size === 0) return
    for (const row of await listResourceScopes(this.#q, this.#workspaceId, [...missing])) {
      const resourceScope = readResourceScope(row)
      this.#known.set(row.hash, resourceScope)
      if (row.resource.length + row.scope.length <= RECENT_CHARACTERS_MAX)
        remember(this.#nameOf(row.hash), resourceScope)
    }
  }

  get(hash: string): ResourceScope {
    return this.#known.get(hash) ?? UNKNOWN_RESOURCE_SCOPE
  }

  #nameOf(hash: string): string {
    return `${this.#workspaceId} ${hash}`
  }
}

function remember(name: string, resourceScope: ResourceScope): void {
  if (recent.size >= RECENT_MAX) {
    const [oldest = ''] = recent.keys()
    recent.delete(oldest)
  }
  recent.set(name, resourceScope)
}
