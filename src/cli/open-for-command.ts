import { storageOptions } from '../app.ts'
import { systemClock } from '../base/clock.ts'
import { idGenerator } from '../base/ids.ts'
import { createLogger } from '../base/log.ts'
import type { Config } from '../config.ts'
import { migrate } from '../storage/migrate.ts'
import { openStorage, type Storage } from '../storage/storage.ts'

/** Opens the database, which a running server may also use, and closes it when the command ends or fails. */
export async function openForCommand<Result>(
  config: Config,
  work: (parts: {
    storage: Storage
    clock: ReturnType<typeof systemClock>
    newId: ReturnType<typeof idGenerator>
    migrated: string[]
  }) => Promise<Result>,
): Promise<Result> {
  const clock = systemClock()
  const storage = await openStorage({ ...storageOptions(config, createLogger(config.logLevel)), use: 'command' })
  try {
    return await work({ storage, clock, newId: idGenerator(clock), migrated: await migrate(storage, clock) })
  } finally {
    await storage.close()
  }
}
