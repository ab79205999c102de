import { AppError } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import type { Config } from '../config.ts'
import { rehashItems } from '../datasets/items/rehash-items.ts'
import { createTraceLinker } from '../ingestion/link-arrived-traces.ts'
import { remapTraces } from '../ingestion/remap-traces.ts'
import { openForCommand } from './open-for-command.ts'

/**
 * Maps stored traces again, then hashes the inputs of dataset items again, while servers are running. Can be stopped at any time; a new
 * run continues where it stopped.
 */
export async function runRemap(config: Config, options: { workspace: string | undefined }): Promise<number> {
  const workspaceId = options.workspace?.toLowerCase()
  if (workspaceId !== undefined && !isUuid(workspaceId)) {
    throw new AppError(500, '--workspace must be a UUID')
  }
  return openForCommand(config, async ({ storage, clock, newId }) => {
    const onProgress = (progress: Progress) => printProgress(progress, 'traces')
    const deps = { db: storage, linker: createTraceLinker({ clock, newId }), onProgress }
    const count = await remapTraces(deps, workspaceId)
    process.stdout.write(`${count} ${count === 1 ? 'trace was' : 'traces were'} mapped again.\n`)
    // After the traces, because items take over what traces say.
    const rehashing = { db: storage, onProgress: (progress: Progress) => printProgress(progress, 'dataset items') }
    const rehashed = await rehashItems(rehashing, workspaceId)
    process.stdout.write(`${rehashed} ${rehashed === 1 ? 'dataset item was' : 'dataset items were'} updated.\n`)
    return 0
  })
}

type Progress = { workspaceId: string; done: number; total: number }

function printProgress({ workspaceId, done, total }: Progress, what: string): void {
  process.stdout.write(`AI application ${workspaceId}: ${done} of ${total} ${what}\n`)
}
