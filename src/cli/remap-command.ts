import { AppError } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import type { Config } from '../config.ts'
import { createTraceLinker } from '../ingestion/link-arrived-traces.ts'
import { type RemapProgress, remapTraces } from '../ingestion/remap-traces.ts'
import { openForCommand } from './open-for-command.ts'

/** Maps stored traces again while servers go on. May be ended at any time and started again: it continues where it was. */
export async function runRemap(config: Config, options: { workspace: string | undefined }): Promise<number> {
  const workspaceId = options.workspace?.toLowerCase()
  if (workspaceId !== undefined && !isUuid(workspaceId)) {
    throw new AppError(500, 'The ID behind --workspace must be a UUID')
  }
  return openForCommand(config, async ({ storage, clock, newId }) => {
    const deps = { db: storage, linker: createTraceLinker({ clock, newId }), onProgress: printProgress }
    const count = await remapTraces(deps, workspaceId)
    process.stdout.write(`${count} ${count === 1 ? 'trace was' : 'traces were'} mapped again.\n`)
    return 0
  })
}

function printProgress({ workspaceId, done, total }: RemapProgress): void {
  process.stdout.write(`AI application ${workspaceId}: ${done} of ${total} traces\n`)
}
