/**
 * Which evaluated run shows how good a version is: the newest one of which all traces name this version and no other. A run that
 * mixes versions says nothing about one of them.
 */
import { RATING_METRIC, TRACE_METRICS } from '../comparisons/pairing/compared-metrics.ts'
import { listRunEvaluations } from '../scores/run-evaluation-queries.ts'
import type { Queries } from '../storage/db.ts'
import { PROMPTS_MAX, readPrompts, splitPromptName } from '../traces/storing/trace-prompts.ts'
import { type EvaluatedRun, listEvaluatedRuns, listFirstPrompts, listRunPrompts } from './run-version-queries.ts'

export type VersionedPrompt = {
  workspaceId: string
  componentId: string
  promptId: string
  name: string
}

export type PromptVersionRef = { number: number; createdAt: string }

/** Older runs are not looked at. */
const RUNS_MAX = 300

export function versionName({ name }: Pick<VersionedPrompt, 'name'>, number: number): string {
  return `${name}@${number}`
}

export type FoundRun = { run: EvaluatedRun } | { problem: string }

/** `problem` says why there is none, with the run that comes closest. */
export async function findNewestRun(
  q: Queries,
  prompt: VersionedPrompt,
  { datasetId, metric, version }: { datasetId: string; metric: string; version: PromptVersionRef },
): Promise<FoundRun> {
  const { workspaceId } = prompt
  const runs = await listEvaluatedRuns(q, { ...prompt, datasetId, limit: RUNS_MAX })
  const first = await listFirstPrompts(q, { workspaceId, runIds: runs.map(({ runId }) => runId) })
  const candidates = new Set(
    first.filter(({ prompts }) => versionsIn(prompts, prompt).includes(version.number)).map(({ runId }) => runId),
  )
  let problem: string | undefined
  for (const run of runs) {
    if (!candidates.has(run.runId)) continue
    const found =
      (await versionProblem(q, prompt, { run, version })) ?? (await metricProblem(q, workspaceId, { run, metric }))
    if (found === undefined) return { run }
    problem ??= found
  }
  return { problem: problem ?? `no evaluated run has only traces of version ${version.number}` }
}

/** Why a run is not one of this version: some of its traces do not name it, or name another one, too. Undefined if it is. */
export async function versionProblem(
  q: Queries,
  prompt: VersionedPrompt,
  { run, version }: { run: EvaluatedRun; version: PromptVersionRef },
): Promise<string | undefined> {
  const rows = await listRunPrompts(q, { workspaceId: prompt.workspaceId, runId: run.runId })
  const name = shownRun(run)
  const named = rows.map((row) => ({ ...row, versions: versionsIn(row.prompts, prompt) }))
  const traces = sumOf(named)
  const own = sumOf(named.filter(({ versions }) => versions.includes(version.number)))
  if (own < traces || traces === 0)
    return `${own === 0 ? 'no trace' : `${own} of ${traces} traces`} of run ${name} ${own > 1 ? 'name' : 'names'} version ${version.number}`
  const mixed = named.filter(({ prompts }) => othersIn(prompts, prompt, version).length > 0)
  const [other] = mixed.flatMap(({ prompts }) => othersIn(prompts, prompt, version))
  if (other !== undefined)
    return `${sumOf(mixed)} traces of run ${name} name ${other === prompt.name ? `${other} without a version` : other}, too`
  if (named.some(({ prompts }) => isFull(prompts))) return `a trace of run ${name} names too many prompts to know all`
  // A prompt of the same name may have been deleted, and its versions had the same numbers.
  const isOlder = named.some(({ firstAt }) => firstAt !== null && firstAt < version.createdAt)
  return isOlder ? `run ${name} has traces that are older than version ${version.number}` : undefined
}

function sumOf(rows: readonly { traces: number }[]): number {
  return rows.reduce((sum, { traces }) => sum + traces, 0)
}

/** The versions of a prompt that a trace names. */
export function versionsIn(prompts: string | null, { name }: Pick<VersionedPrompt, 'name'>): number[] {
  const versions = readPrompts(prompts).flatMap((used) => {
    const { prompt, version } = splitPromptName(used.name)
    return prompt === name && /^[1-9]\d*$/.test(version) ? Number(version) : []
  })
  return [...new Set(versions)]
}

/** What else of the prompt a trace names: another version, or no version, as a fallback does. */
function othersIn(prompts: string | null, { name }: VersionedPrompt, { number }: PromptVersionRef): string[] {
  const names = readPrompts(prompts).map((used) => used.name)
  return names.filter((used) => splitPromptName(used).prompt === name && used !== versionName({ name }, number))
}

/** Of a trace with as many, others may be missing. */
function isFull(prompts: string | null): boolean {
  return readPrompts(prompts).length >= PROMPTS_MAX
}

async function metricProblem(
  q: Queries,
  workspaceId: string,
  { run, metric }: { run: EvaluatedRun; metric: string },
): Promise<string | undefined> {
  if (isMetricOfEveryRun(metric)) return undefined
  const evaluations = await listRunEvaluations(q, { workspaceId, runIds: [run.runId] })
  const names = evaluations.flatMap((one) => namesIn(one))
  return names.includes(metric) ? undefined : `run ${shownRun(run)} was not evaluated with ${metric}`
}

type WithEvaluators = Awaited<ReturnType<typeof listRunEvaluations>>[number]

function namesIn({ config, evaluators }: WithEvaluators): string[] {
  return [...evaluators.keys(), ...(config.evaluators ?? []).map(({ name }) => name)]
}

/** Their margins are ratios. */
export const RATIO_METRICS: readonly string[] = TRACE_METRICS.filter((name) => name !== 'error')

/** It needs no evaluator. */
export function isMetricOfEveryRun(metric: string): boolean {
  return metric === RATING_METRIC || TRACE_METRICS.some((name) => name === metric)
}

export function shownRun({ runName, runId }: Pick<EvaluatedRun, 'runName' | 'runId'>): string {
  return runName?.trim() || runId
}
