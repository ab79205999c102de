/** The traces of a run in random order, from which the queue draws: all of them, or by the verdict of a judge. */
import { createHash } from 'node:crypto'
import { readPages } from '../../base/event-loop.ts'
import { listJudges, listVerdicts } from '../../scores/judge-queries.ts'
import { listRunEvaluations } from '../../scores/run-evaluation-queries.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { StoredConfig } from '../../scores/stored-config.ts'
import type { Db, Queries } from '../../storage/db.ts'
import type { RunScope } from '../rating-rule-queries.ts'
import { cachedReads } from './cached-reads.ts'
import { listItemsOfRun } from './queue-queries.ts'

export type VerdictPool = EvaluationScope & { evaluator: string; passed: Pool; failed: Pool }

/** `refs` are the first of all `count` traces in random order. */
export type Pool = { count: number; refs: readonly string[] }

/** More labels than this are not drawn: the corrected rate no longer gains from them. */
const REFS_MAX = 2_000
const BY_REF = { first: '', limit: 1_000, keyOf: ({ ref }: { ref: string }) => ref }
const CACHE_SIZE_MAX = 20

const cachedPools = cachedReads<Pool>(CACHE_SIZE_MAX)
const cachedVerdicts = cachedReads<VerdictPool | undefined>(CACHE_SIZE_MAX)

/** Below this, the pool of a run that grows is read again for each new trace. */
const EXACT_MAX = 5_000

/**
 * All traces of a run. Runs of one dataset have the same order of items, so that the items that are rated first in both
 * runs are the same and their difference is known.
 */
export async function findRunPool(
  db: Db,
  { workspaceId, runId }: RunScope,
  { datasetId, traceCount }: { datasetId: string; traceCount: number },
): Promise<Pool> {
  // A large run that is still growing is read again when it has grown by five percent.
  const size = traceCount < EXACT_MAX ? traceCount : Math.round(20 * Math.log(traceCount))
  const bulk = db.bulk({ application: workspaceId, from: 'request' })
  return cachedPools(db.read, `${runId} ${size}`, async () => {
    const order = randomOrder(datasetId)
    for await (const rows of readPages((page) => listItemsOfRun(bulk, { workspaceId, runId }, page), BY_REF))
      for (const { ref, itemId } of rows) order.add(ref, itemId ?? ref)
    return order.pool()
  })
}

/**
 * Returns the pool of this evaluator in the newest completed evaluation that has it, or of the first one by name of the newest
 * with any; undefined if there is no such evaluator with a pass threshold. It is read once, like the judges of `findJudge`.
 */
export async function findVerdictPool(
  db: Db,
  { workspaceId, runId }: RunScope,
  evaluator: string | undefined,
): Promise<VerdictPool | undefined> {
  const bulk = db.bulk({ application: workspaceId, from: 'request' })
  const evaluations = await listRunEvaluations(db.read, { workspaceId, runIds: [runId] })
  for (const { id: evaluationId, config, completedAt } of evaluations) {
    const pool = await cachedVerdicts(db.read, JSON.stringify([evaluationId, completedAt, evaluator]), () =>
      readPool(bulk, { workspaceId, evaluationId }, { config, evaluator }),
    )
    if (pool) return pool
  }
  return undefined
}

async function readPool(
  q: Queries,
  scope: EvaluationScope,
  { config, evaluator: wanted }: { config: StoredConfig; evaluator: string | undefined },
): Promise<VerdictPool | undefined> {
  const names = (await listJudges(q, scope, config)).map((judge) => judge.evaluator)
  const evaluator = wanted === undefined ? names[0] : names.find((name) => name === wanted)
  if (evaluator === undefined) return undefined
  const passed = randomOrder(scope.evaluationId)
  const failed = randomOrder(scope.evaluationId)
  for await (const rows of readPages((page) => listVerdicts(q, scope, { evaluator, ...page }), BY_REF))
    for (const { ref, share } of rows) (share > 0.5 ? passed : failed).add(ref, ref)
  return { ...scope, evaluator, passed: passed.pool(), failed: failed.pool() }
}

/** The order of hashes is random with regard to everything that a trace contains, and the same for every process. */
function randomOrder(seed: string) {
  let count = 0
  let first: { hash: string; ref: string }[] = []
  const cut = () => {
    first.sort((a, b) => (a.hash < b.hash ? -1 : 1))
    first = first.slice(0, REFS_MAX)
  }
  return {
    /** Traces with the same key follow each other. */
    add(ref: string, key: string) {
      count += 1
      first.push({ hash: `${createHash('sha256').update(`${seed} ${key}`).digest('base64')} ${ref}`, ref })
      if (first.length >= 2 * REFS_MAX) cut()
    },
    pool(): Pool {
      cut()
      return { count, refs: first.map(({ ref }) => ref) }
    },
  }
}
