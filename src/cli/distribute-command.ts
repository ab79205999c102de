import { storageOptions } from '../app.ts'
import { systemClock } from '../base/clock.ts'
import { createLogger } from '../base/log.ts'
import type { Config } from '../config.ts'
import { distributeDatabase } from '../storage/distribute-database.ts'
import { createProgress } from './show-progress.ts'

export async function runDistribute(config: Config, { isForced }: { isForced: boolean }): Promise<number> {
  const clock = systemClock()
  const progress = createProgress(process.stderr, clock)
  const { placed, location } = await distributeDatabase({
    storage: storageOptions(config, createLogger(config.logLevel)),
    clock,
    size: isForced ? 'any' : 'limited',
    onProgress: ({ step, table, done, total }) =>
      progress.show({
        label: `${step === 'placed' ? 'tables placed' : 'foreign keys verified'}, at ${table}`,
        done,
        total,
      }),
  }).finally(() => progress.end())
  const done = placed.length === 0 ? 'is already distributed' : `is distributed: ${placed.length} tables were placed`
  process.stdout.write(`${location} ${done}.\n`)
  return 0
}
