import type { IndexOptions } from './postgres-index.ts'

/**
 * Builds the search index of a database that contains it, and merges new entries into it. The index of an embedded database is built by
 * its indexer. Returns a function that stops the merging; nothing waits for the building.
 */
export function maintainSearchIndex({
  engine,
  ...options
}: IndexOptions & { engine: 'sqlite' | 'postgres' }): () => Promise<void> {
  if (engine === 'sqlite') return async () => {}
  const starting = startOnPostgres(options)
  return async () => (await starting)()
}

async function startOnPostgres(options: IndexOptions): Promise<() => void> {
  // Loaded only here: the driver would take memory for nothing.
  const { preparePostgresIndex } = await import('./postgres-index.ts')
  const { startMerging } = await import('./merge-pending-entries.ts')
  void preparePostgresIndex(options)
  return startMerging(options)
}
