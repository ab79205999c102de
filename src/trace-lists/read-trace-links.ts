import { listBlindRuns } from '../annotations/blind-annotation-queries.ts'
import { notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { findItemsByInputs } from '../runs/items-by-question.ts'
import type { Queries } from '../storage/db.ts'
import { readPrompts, splitPromptName, versionNumber } from '../traces/storing/trace-prompts.ts'
import { findTraceContents } from '../traces/trace-contents.ts'
import { findTrace } from '../traces/trace-queries.ts'
import {
  findTraceOrigin,
  ITEMS_MAX,
  listItemLinks,
  listPromptVersionsNamed,
  listRunLinks,
  listScoreLinks,
  RUNS_MAX,
  SCORES_MAX,
} from './trace-link-queries.ts'

/** The runs, dataset items and scores of a trace. */
export async function readTraceLinks(q: Queries, { workspaceId, userId }: Principal, ref: string) {
  const found = await findTrace(q, workspaceId, ref)
  if (!found) throw notFound('Trace')
  const trace = { workspaceId, traceDbId: found.id, traceRef: found.traceId }
  const runs = await withItems(q, trace, await listRunLinks(q, trace))
  const items = await listItemLinks(q, trace)
  const blindRuns = await listBlindRuns(q, { workspaceId, readerId: userId })
  const scores = await listScoreLinks(q, { ...trace, blindRuns })
  return {
    runs: runs.slice(0, RUNS_MAX),
    items: items.slice(0, ITEMS_MAX),
    scores: scores.slice(0, SCORES_MAX),
    ...(await readOrigin(q, trace)),
    hasMore: {
      runs: runs.length > RUNS_MAX,
      items: items.length > ITEMS_MAX,
      scores: scores.length > SCORES_MAX,
    },
  }
}

/** Where the trace comes from, and its prompts with the versions that exist. */
async function readOrigin(q: Queries, trace: { workspaceId: string; traceDbId: string }) {
  const found = await findTraceOrigin(q, trace)
  const componentId = found?.componentId ?? null
  const prompts = readPrompts(found?.prompts ?? null).map((used) => ({ ...used, ...splitPromptName(used.name) }))
  const names = [...new Set(prompts.map(({ prompt }) => prompt))]
  const numbers = prompts.flatMap(({ version }) => versionNumber(version) ?? [])
  const { workspaceId } = trace
  const known =
    componentId === null || names.length === 0
      ? []
      : await listPromptVersionsNamed(q, { workspaceId, componentId, names, numbers })
  return {
    source: found?.source ?? 'production',
    prompts: prompts.map(({ name, label, source: had, prompt, version }) => {
      const ofName = known.filter((one) => one.name === prompt)
      const number = versionNumber(version)
      const isThere = ofName.some((one) => one.number === number)
      return { name, label, source: had, promptId: ofName[0]?.id ?? null, version: (isThere && number) || null }
    }),
  }
}

/** A run whose link names no item gets that of the question, as in the list of its traces. */
async function withItems(
  q: Queries,
  { workspaceId, traceRef }: { workspaceId: string; traceRef: string },
  runs: Awaited<ReturnType<typeof listRunLinks>>,
) {
  const datasets = new Set(runs.filter(({ itemId }) => itemId === null).map(({ datasetId }) => datasetId))
  if (datasets.size === 0) return runs
  const content = (await findTraceContents(q, workspaceId, [traceRef])).get(traceRef)
  const inputs = new Map([[traceRef, content?.input ?? null]])
  const items = new Map<string, string | undefined>()
  for (const datasetId of datasets)
    items.set(datasetId, (await findItemsByInputs(q, { workspaceId, datasetId }, inputs)).get(traceRef))
  return runs.map((run) => ({ ...run, itemId: run.itemId ?? items.get(run.datasetId) ?? null }))
}
