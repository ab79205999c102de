import type { Queries } from '../../storage/db.ts'

/**
 * Returns a function that reads what is too slow to read for each request of a queue once per key. It keeps the results
 * that were used last.
 */
export function cachedReads<T>(sizeMax: number) {
  const caches = new WeakMap<Queries, Map<string, Promise<T>>>()
  return (q: Queries, key: string, read: () => Promise<T>): Promise<T> => {
    const cache = caches.get(q) ?? new Map<string, Promise<T>>()
    caches.set(q, cache)
    const result = cache.get(key) ?? read()
    // Reinsert the entry to mark it as the most recently used.
    cache.delete(key)
    cache.set(key, result)
    const [oldest] = cache.keys()
    if (cache.size > sizeMax && oldest !== undefined) cache.delete(oldest)
    // Failed reads are not cached.
    result.catch(() => cache.delete(key))
    return result
  }
}
