/** The traces of a run by the verdict of a judge, in random order, from which the queue draws. */
import { createHash } from 'node:crypto'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { findNewestEvaluation, listJudges, listVerdicts } from '../../scores/judge-queries.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { StoredConfig } from '../../scores/stored-config.ts'
import type { Db, Queries } from '../../storage/db.ts'
import type { RunScope } from '../rating-rule-queries.ts'

export type VerdictPool = EvaluationScope & { evaluator: string; passed: Pool; failed: Pool }

/** `refs` are the first of all `count` traces in random order. */
export type Pool = { count: number; refs: readonly string[] }

/** More labels of one verdict than this are not drawn: the corrected rate no longer gains from them. */
const REFS_MAX = 2_000
const ROWS_PER_PAGE = 1_000
const CACHE_SIZE_MAX = 20

const caches = new WeakMap<Queries, Map<string, Promise<VerdictPool | undefined>>>()

/**
 * Returns the pool of the newest completed evaluation and this evaluator, or its first one by name if none is given;
 * undefined if there is no such evaluator with a pass threshold. It is read once, like the judges of `findJudge`.
 */
export async function findVerdictPool(
  db: Db,
  { workspaceId, runId }: RunScope,
  evaluator: string | undefined,
): Promise<VerdictPool | undefined> {
  const evaluation = await findNewestEvaluation(db.read, { workspaceId, runId })
  if (!evaluation) return undefined
  const { id: evaluationId, config, completedAt } = evaluation
  const cache = caches.get(db.read) ?? new Map<string, Promise<VerdictPool | undefined>>()
  caches.set(db.read, cache)
  const cacheKey = JSON.stringify([evaluationId, completedAt, evaluator])
  const bulk = db.bulk({ application: workspaceId, from: 'request' })
  const pool = cache.get(cacheKey) ?? readPool(bulk, { workspaceId, evaluationId }, { config, evaluator })
  // Reinsert the entry to mark it as the most recently used.
  cache.delete(cacheKey)
  cache.set(cacheKey, pool)
  const [oldest] = cache.keys()
  if (cache.size > CACHE_SIZE_MAX && oldest !== undefined) cache.delete(oldest)
  // Failed reads are not cached.
  pool.catch(() => cache.delete(cacheKey))
  return pool
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
  for (let after = ''; ; ) {
    const rows = await listVerdicts(q, scope, { evaluator, after, limit: ROWS_PER_PAGE })
    for (const { ref, share } of rows) (share > 0.5 ? passed : failed).add(ref)
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) break
    after = last.ref
    await yieldToEventLoop()
  }
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
    add(ref: string) {
      count += 1
      first.push({ hash: createHash('sha256').update(`${seed} ${ref}`).digest('base64'), ref })
      if (first.length >= 2 * REFS_MAX) cut()
    },
    pool(): Pool {
      cut()
      return { count, refs: first.map(({ ref }) => ref) }
    },
  }
}
