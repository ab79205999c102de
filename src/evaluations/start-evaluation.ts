import { badRequest, notFound, tooManyRequests } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { lockComponent } from '../components/component-queries.ts'
import { lockDataset } from '../datasets/dataset-queries.ts'
import type { Context } from '../http/route.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { findRun } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { countOpenEvaluations, insertEvaluation } from './evaluation-queries.ts'
import type { CaseSource } from './runner/case-queries.ts'

const CONFIG_BYTES_MAX = 64 * 1024
const CONFIG_DEPTH_MAX = 32
const OPEN_MAX = 1_000

export type StartEvaluation = {
  workspaceId: string
  componentId: string
  datasetId: string
  runId?: string | undefined
  name?: string | undefined
  config?: Record<string, unknown> | undefined
}

/** Creates an evaluation and its job in one transaction, so that neither exists without the other. */
export async function startEvaluation(
  { db, clock, newId }: Pick<Context, 'db' | 'clock' | 'newId'>,
  quotas: Quotas,
  input: StartEvaluation,
) {
  const { workspaceId, componentId, datasetId, name = null } = input
  const config = readSize(input.config ?? {})
  const id = newId()
  await db.transaction(async (tx) => {
    const { runId } = await lockSource(tx, input)
    await rejectTooMany(tx, workspaceId)
    const createdAt = createdAtOf(id)
    await insertEvaluation(tx, { workspaceId, id, componentId, datasetId, runId, name, config, createdAt })
    await enqueueJob(tx, { clock, newId }, { workspaceId, kind: 'evaluation', payload: { evaluationId: id } })
    await quotas.countEvaluation(tx, workspaceId)
  })
  return { id, name, status: 'pending' }
}

/** Throws 429 if the maximum number of evaluations is pending or running. */
export async function rejectTooMany(tx: Queries, workspaceId: string): Promise<void> {
  if ((await countOpenEvaluations(tx, workspaceId, OPEN_MAX)) < OPEN_MAX) return
  throw tooManyRequests(`${OPEN_MAX} evaluations are waiting already; try again when some have ended`, 30)
}

/** Locks the dataset and the run. Throws 404 if one does not exist, and 400 if the run belongs to another dataset. */
export async function lockSource(
  tx: Queries,
  { workspaceId, componentId, datasetId, runId }: Omit<StartEvaluation, 'name' | 'config'>,
): Promise<CaseSource> {
  if (!(await lockComponent(tx, workspaceId, componentId))) throw notFound('Component')
  if (!(await lockDataset(tx, { workspaceId, componentId, datasetId }))) throw notFound('Dataset')
  if (runId === undefined) return { workspaceId, datasetId, runId: null }
  const [run] = await findRun(tx, { workspaceId, componentId, runId })
  if (!run) throw notFound('Run')
  if (run.datasetId !== datasetId) throw badRequest('The run does not belong to the dataset')
  return { workspaceId, datasetId, runId }
}

/** Returns the config as JSON text. Throws 400 if it is too large or too deeply nested. */
export function readSize(config: Record<string, unknown>): string {
  const text = JSON.stringify(config)
  if (Buffer.byteLength(text) > CONFIG_BYTES_MAX)
    throw badRequest(`The field config is larger than ${CONFIG_BYTES_MAX} bytes`)
  if (depthOf(config) > CONFIG_DEPTH_MAX) {
    throw badRequest(`The field config is nested too deeply (more than ${CONFIG_DEPTH_MAX} levels)`)
  }
  return text
}

/** A request body has at most 64 levels, so recursion is safe. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
