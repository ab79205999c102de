import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../base/errors.ts'
import type { Config } from '../config.ts'
import { openForCommand } from './open-for-command.ts'

/** Copies the database into a new file. An existing file is never overwritten: it may be the only good backup. */
export async function runBackup(config: Config, [file = '']: string[]): Promise<number> {
  if (file === '') throw new AppError(500, 'The name of the backup must not be empty')
  const target = resolve(file)
  if (existsSync(target)) throw new AppError(500, `${target} already exists. Choose another name`)
  return openForCommand(config, async ({ storage }) => {
    await storage.backup(target)
    process.stdout.write(
      `${storage.location} is copied to ${target}.\nStart a server on the copy with DATABASE_URL=file:${target}\n`,
    )
    return 0
  })
}
