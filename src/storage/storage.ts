import type { Storage, StorageOptions } from './storage-handle.ts'

// Declared elsewhere because the engines need it, and they must not import the module that loads them.
export type { Storage }

/** Only the requested engine is loaded: the driver of the other would waste memory. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  if (options.url.startsWith('file:')) {
    const { openSqlite } = await import('./sqlite/engine.ts')
    return openSqlite(options)
  }
  const { openPostgres } = await import('./postgres/engine.ts')
  return openPostgres(options)
}
