/**
 * How good each version is on a dataset: the result of its newest evaluated run, with what is different in the dataset since the version
 * before. Versions whose items differ are not compared by these values; a comparison pairs the items.
 */
import { listBlindRuns } from '../annotations/blind-annotation-queries.ts'
import { badRequest, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { isSameItem } from '../comparisons/pairing/compared-items.ts'
import { findDataset } from '../datasets/dataset-queries.ts'
import { findItemIds } from '../datasets/items/item-queries.ts'
import { listEvaluationsWithResults } from '../overviews/overview-queries.ts'
import { newestMetrics, type ShownMetric, shownResults } from '../overviews/shown-results.ts'
import { sumRunTraces } from '../overviews/summary-queries.ts'
import { numberPage } from '../prompts/prompt-pages.ts'
import { listVersionTimes } from '../prompts/version-queries.ts'
import { listRunEvaluations } from '../scores/run-evaluation-queries.ts'
import type { Queries } from '../storage/db.ts'
import { findVersionedPrompt } from './assess-move.ts'
import { changesBetween, pagesOf } from './changed-items.ts'
import { type VersionedPrompt, versionProblem, versionsIn } from './find-version-runs.ts'
import { type EvaluatedRun, listEvaluatedRuns, listFirstPrompts, listMedianDurations } from './run-version-queries.ts'

const RUNS_MAX = 300

type Asked = {
  componentId: string
  promptId: string
  datasetId: string
  metric: string | undefined
  /** Only versions with lower numbers. */
  before: number | undefined
  limit: number
}

type Measured = EvaluatedRun & {
  /** What the reader may see, each metric from the newest evaluation that has it. */
  metrics: ShownMetric[]
  evaluatedAt: ReadonlyMap<string, string>
}

export async function readResults(q: Queries, by: Principal, asked: Asked) {
  const { workspaceId } = by
  const { datasetId, before = Number.POSITIVE_INFINITY, limit } = asked
  const prompt = await findVersionedPrompt(q, { ...asked, workspaceId })
  if (!prompt) throw notFound('Prompt')
  const [dataset] = await findDataset(q, { ...prompt, datasetId })
  if (!dataset) throw notFound('Dataset')
  const byVersion = await runsByVersion(q, by, prompt, datasetId)
  const names = [...new Set([...byVersion.values()].flat().flatMap(({ metrics }) => metrics.map(({ name }) => name)))]
  const metric = chosenMetric(names, asked.metric, dataset.name)
  const numbers = [...byVersion.keys()].filter((number) => number < before).sort((a, b) => b - a)
  const times = await listVersionTimes(q, { ...prompt, numbers })
  const rows: VersionRow[] = []
  for (const number of numbers) {
    // One more than the page, which also has the version before its last one.
    if (rows.length > limit) break
    const createdAt = times.get(number)
    if (createdAt === undefined) continue
    const row = await newestOf(q, prompt, { number, createdAt, runs: byVersion.get(number) ?? [], metric })
    if (row) rows.push(row)
  }
  const items: ReadonlyMap<string, string>[] = []
  for (const { evaluationId } of rows) items.push(await judgedItems(q, { workspaceId, evaluationId, metric }))
  const shown = await Promise.all(
    rows.map(async ({ info: _, ...row }, place) => {
      const [own = new Map<string, string>(), previous] = [items[place], items[place + 1]]
      const former = rows[place + 1]
      const changed =
        previous && former
          ? { version: former.version, ...(await between(q, { workspaceId, datasetId, own, previous, former })) }
          : null
      return { ...row, items: own.size, changed: changed?.summary == null ? null : changed }
    }),
  )
  const measured = await measureRuns(q, workspaceId, rows)
  const withNumbers = shown.map((row) => ({ ...row, ...measured(row.runId) }))
  const { data, nextCursor } = numberPage(withNumbers, limit, ({ version }) => version)
  const info = rows[0]?.info
  return {
    dataset: { id: dataset.id, name: dataset.name },
    metric: metric ?? null,
    metrics: names.sort(),
    scale: info?.scale ?? null,
    higherIsBetter: info?.higherIsBetter ?? true,
    data,
    nextCursor,
  }
}

/** What the traces of each run cost and how long they took. */
async function measureRuns(q: Queries, workspaceId: string, rows: readonly VersionRow[]) {
  const runIds = rows.map(({ runId }) => runId)
  const costs = new Map((await sumRunTraces(q, workspaceId, runIds)).map((one) => [one.runId, one]))
  const durations = new Map((await listMedianDurations(q, { workspaceId, runIds })).map((one) => [one.runId, one]))
  return (runId: string) => {
    const { priced = 0, costUsd = null } = costs.get(runId) ?? {}
    const { medianMs = null, traces = 0 } = durations.get(runId) ?? {}
    const meanUsd = costUsd === null || priced === 0 ? null : costUsd / priced
    return { cost: { meanUsd, n: priced }, duration: { medianMs, n: traces } }
  }
}

function chosenMetric(names: readonly string[], wanted: string | undefined, dataset: string): string | undefined {
  // Before the first evaluation there is nothing to choose from, and a gate may name its metric already.
  if (wanted === undefined || names.length === 0) return names[0]
  if (names.includes(wanted)) return wanted
  throw badRequest(
    `No evaluated run of a version has the metric ${wanted} on dataset ${dataset}. Choose one of ${names.join(', ')}`,
  )
}

/** The evaluated runs whose first trace names a version, newest first. */
async function runsByVersion(q: Queries, by: Principal, prompt: VersionedPrompt, datasetId: string) {
  const { workspaceId } = by
  const runs = await listEvaluatedRuns(q, { ...prompt, datasetId, limit: RUNS_MAX })
  const runIds = runs.map(({ runId }) => runId)
  const first = await listFirstPrompts(q, { workspaceId, runIds })
  const versions = new Map(first.map(({ runId, prompts }) => [runId, versionsIn(prompts, prompt)]))
  const named = runs.filter(({ runId }) => versions.get(runId)?.length === 1)
  const evaluations = await listRunEvaluations(q, { workspaceId, runIds: named.map(({ runId }) => runId) })
  const blind = new Set(await listBlindRuns(q, { workspaceId, readerId: by.userId }))
  const stored = await listEvaluationsWithResults(
    q,
    workspaceId,
    evaluations.map(({ id }) => id),
  )
  const results = Map.groupBy(stored, ({ runId }) => runId)
  const byVersion = new Map<number, Measured[]>()
  for (const run of named) {
    const own = (results.get(run.runId) ?? []).toSorted((a, b) => (a.id < b.id ? 1 : -1))
    const metrics = newestMetrics(own.map((evaluation) => shownResults(evaluation, blind)))
    const evaluatedAt = new Map(own.map(({ id, completedAt }) => [id, completedAt ?? '']))
    const [number] = versions.get(run.runId) ?? []
    if (number === undefined) continue
    byVersion.set(number, [...(byVersion.get(number) ?? []), { ...run, metrics, evaluatedAt }])
  }
  return byVersion
}

type VersionRow = {
  version: number
  runId: string
  runName: string | null
  evaluationId: string
  evaluatedAt: string
  mean: number | null
  ci: number[] | null
  n: number
  info: Pick<ShownMetric, 'scale' | 'higherIsBetter'>
}

type OfVersion = { number: number; createdAt: string; runs: readonly Measured[]; metric: string | undefined }

async function newestOf(
  q: Queries,
  prompt: VersionedPrompt,
  { number, createdAt, runs, metric }: OfVersion,
): Promise<VersionRow | undefined> {
  for (const run of runs) {
    const found = run.metrics.find(({ name }) => name === metric)
    if (!found || (await versionProblem(q, prompt, { run, version: { number, createdAt } })) !== undefined) continue
    const { evaluationId, mean, ci, n } = found
    const evaluatedAt = run.evaluatedAt.get(evaluationId) ?? ''
    const { runId, runName } = run
    return { version: number, runId, runName, evaluationId, evaluatedAt, mean, ci: ci && [...ci], n, info: found }
  }
  return undefined
}

/** By item: what of it was judged. */
async function judgedItems(
  q: Queries,
  { workspaceId, evaluationId, metric }: { workspaceId: string; evaluationId: string; metric: string | undefined },
): Promise<ReadonlyMap<string, string>> {
  const items = new Map<string, string>()
  for await (const rows of pagesOf(q, { workspaceId, evaluationId, evaluator: metric }))
    for (const { itemId, lastHash } of rows) items.set(itemId, lastHash ?? '')
  return items
}

type TwoResults = {
  workspaceId: string
  datasetId: string
  own: ReadonlyMap<string, string>
  previous: ReadonlyMap<string, string>
  former: Pick<VersionRow, 'evaluationId'>
}

/** Another sample of the same items is no change: only items that did not exist then, or do not exist now, were added or removed. */
async function between(q: Queries, { own, previous, former, ...dataset }: TwoResults) {
  const isEdited = ([itemId, hash]: [string, string]) => {
    const before = previous.get(itemId)
    return before !== undefined && before !== '' && hash !== '' && !isSameItem(before, hash)
  }
  const edited = [...own].filter(isEdited).length
  // Ids are in the order of creation.
  const added = [...own.keys()].filter((itemId) => !previous.has(itemId) && itemId > former.evaluationId).length
  const missing = [...previous.keys()].filter((itemId) => !own.has(itemId))
  const existing = await findItemIds(q, dataset, missing)
  return changesBetween({ edited, added, removed: missing.length - existing.size })
}
