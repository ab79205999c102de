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

/** Accepts an evaluation. It and its job are one transaction: never one without the other. */
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

/** 429 if as many wait or run already as may. */
export async function rejectTooMany(tx: Queries, workspaceId: string): Promise<void> {
  if ((await countOpenEvaluations(tx, workspaceId, OPEN_MAX)) < OPEN_MAX) return
  throw tooManyRequests(`${OPEN_MAX} evaluations are waiting already; try again when some have ended`, 30)
}

/** What is to be evaluated, which must be there: else 404; and a run must be of the dataset: else 400. */
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

/** As text; throws 400 if it is larger or deeper than anybody needs. */
export function readSize(config: Record<string, unknown>): string {
  const text = JSON.stringify(config)
  if (Buffer.byteLength(text) > CONFIG_BYTES_MAX)
    throw badRequest(`The field config is larger than ${CONFIG_BYTES_MAX} bytes`)
  if (depthOf(config) > CONFIG_DEPTH_MAX) {
    throw badRequest(`The field config is nested too deeply (more than ${CONFIG_DEPTH_MAX} levels)`)
  }
  return text
}

/** The whole body is no deeper than 64 levels, so recursion is safe. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
