import type { Config } from '../config.ts'
import { openForCommand } from './open-for-command.ts'

export async function runMigrate(config: Config): Promise<number> {
  return openForCommand(config, async ({ storage, migrated }) => {
    const done = migrated.length === 0 ? 'is already up to date' : `is up to date: applied ${migrated.join(', ')}`
    process.stdout.write(`${storage.location} ${done}.\n`)
    return 0
  })
}
