import type { Logger } from '../../base/log.ts'

type PrepareOptions = { engine: 'sqlite' | 'postgres'; url: string; log: Logger }

/** Builds the search index of a database that contains it. That of an embedded one is built by its indexer. Never rejects. */
export async function prepareSearchIndex({ engine, ...options }: PrepareOptions): Promise<void> {
  if (engine === 'sqlite') return
  // Loaded only here: the driver would take memory for nothing.
  const { preparePostgresIndex } = await import('./postgres-index.ts')
  await preparePostgresIndex(options)
}
