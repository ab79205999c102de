import { systemClock } from '../../src/base/clock.ts'
import { endLeasesOfAnyWorkspace } from '../../src/jobs/job-queries.ts'
import { openTestStorage } from '../harness/test-storage.ts'

/** No living process loses its job on a busy machine. */
export const LEASE_SECONDS = 600

/** The process that had the job is gone: what its lease would show in time. */
export async function endLeases(databaseUrl: string): Promise<void> {
  const storage = await openTestStorage(databaseUrl, 'command')
  await storage.transaction((tx) => endLeasesOfAnyWorkspace(tx, systemClock()))
  await storage.close()
}
