/** The results of an experiment: the comparison of its trial, and what the search has done. */
import { describeTestSet } from '../../datasets/splits/test-openings.ts'
import { dollarsOf } from '../../spending/spending-limit.ts'
import type { Queries } from '../../storage/db.ts'
import { describeTrial } from '../../trials/describe-trial.ts'
import { findTrial } from '../../trials/trial-queries.ts'
import { countExperimentCalls } from '../calls/experiment-call-queries.ts'
import { type ExperimentPlan, OPENINGS_MANY, TEST_ITEMS_MIN } from '../experiment-plan.ts'
import type { ExperimentRow } from '../experiment-queries.ts'
import type { ExperimentResults } from '../experiment-schemas.ts'
import { type IterationRow, listIterations } from '../iteration-queries.ts'
import type { Fate } from '../search/search.ts'
import type { Validation } from './measure-validation.ts'
import type { Running } from './searching.ts'

/** Undefined while the trial runs. */
export async function readTest(running: Running): Promise<ExperimentResults | undefined> {
  const { job, experiment, items, of } = running
  const q = job.db.read
  const { trialId, workspaceId } = experiment
  const row = trialId === null ? undefined : await findTrial(q, { workspaceId, trialId })
  if (row && (row.status === 'pending' || row.status === 'running')) return undefined
  const iterations = await listIterations(q, of)
  const base = await describeSearch(q, running, iterations)
  if (!row) return { ...base, verdict: 'noVerdict', summary: TRIAL_DELETED, test: null, openings: 0 }
  const trial = await describeTrial({ q, clock: job.clock }, row)
  const { openings } = await describeTestSet(q, { workspaceId, datasetId: experiment.datasetId })
  const finalists = iterations.flatMap(({ number, version, state }) => {
    const variant = trial.variants.find(({ name }) => name === `proposal ${number}`)
    if (state !== 'finalist' || version === null || !variant) return []
    const { comparison, runId } = variant
    return [{ iteration: number, version, runId, comparison }]
  })
  const metric = trial.ranking?.metric ?? null
  const baselineRunId = trial.variants.find(({ name }) => name === trial.plan.baseline)?.runId ?? null
  const [first] = finalists.toSorted((a, b) => gainOf(b) - gainOf(a))
  const found = first?.comparison ?? null
  const verdict = items.test < TEST_ITEMS_MIN ? 'tooFewCases' : (found?.verdict ?? 'noVerdict')
  const cost = { ...base.cost, testUsd: trial.cost.spentUsd + trial.cost.judgesUsd }
  return {
    ...base,
    verdict: verdictOf(verdict),
    summary: [
      found === null ? `The test has no verdict: ${trial.error ?? 'its runs could not be compared'}.` : found.summary,
      ...(items.test < TEST_ITEMS_MIN
        ? [`The ${items.test} test items are too few for a verdict (at least ${TEST_ITEMS_MIN}).`]
        : []),
      ...(openings >= OPENINGS_MANY
        ? [`This test split has decided ${openings} times: its numbers become too good; add new test items.`]
        : []),
    ].join(' '),
    test: { trialId: row.id, items: items.test, metric, baselineRunId, finalists },
    openings,
    cost: { ...cost, totalUsd: cost.searchUsd + cost.testUsd },
  }
}

const TRIAL_DELETED = 'The trial of the test was deleted before it ended, so that there is no verdict.'
const VERDICTS = ['improved', 'regressed', 'equivalent', 'noClearDifference', 'tooFewCases'] as const

function verdictOf(text: string): ExperimentResults['verdict'] {
  return VERDICTS.find((verdict) => verdict === text) ?? 'noVerdict'
}

function gainOf({ comparison }: { comparison: { difference: number | null } | null }): number {
  return comparison?.difference ?? -Infinity
}

/** Without a finalist: the test split stays closed. */
export async function describeWithoutTest(running: Running): Promise<ExperimentResults> {
  const q = running.job.db.read
  const base = await describeSearch(q, running, await listIterations(q, running.of))
  const summary = 'No proposal was better than the start on the validation items. The test split was not opened.'
  return { ...base, verdict: 'noFinalist', summary, test: null, openings: 0 }
}

/** What the search has done so far. */
export async function describeInterim(q: Queries, experiment: ExperimentRow): Promise<ExperimentResults> {
  const of = { workspaceId: experiment.workspaceId, experimentId: experiment.id }
  const base = await describeSearch(q, { of, experiment }, await listIterations(q, of))
  const why = experiment.error === null ? '' : ` (${experiment.error})`
  const summary = `The experiment is ${experiment.status}${why}: it has no verdict yet.`
  return { ...base, verdict: null, summary, test: null, openings: 0 }
}

type SearchResults = Omit<ExperimentResults, 'verdict' | 'summary' | 'test' | 'openings'>

async function describeSearch(
  q: Queries,
  { of, experiment }: Pick<Running, 'of' | 'experiment'>,
  iterations: readonly IterationRow[],
): Promise<SearchResults> {
  const plan: ExperimentPlan = JSON.parse(experiment.plan)
  const calls = await countExperimentCalls(q, of)
  const usdOf = (isReflection: boolean) =>
    dollarsOf(
      calls
        .filter(({ kind }) => (kind === 'reflection') === isReflection)
        .reduce((sum, { nanoUsd }) => sum + nanoUsd, 0),
    )
  const searchUsd = dollarsOf(experiment.spentNanoUsd)
  const validation: Validation | null = experiment.validation === null ? null : JSON.parse(experiment.validation)
  return {
    optimizer: plan.optimizer,
    validation,
    proposals: Math.max(0, iterations.length - 1),
    rejected: countFates(iterations),
    warnings: plan.warnings,
    cost: { answersUsd: usdOf(false), reflectionsUsd: usdOf(true), searchUsd, testUsd: 0, totalUsd: searchUsd },
  }
}

export function countFates(iterations: readonly Pick<IterationRow, 'fate'>[]): Record<Fate, number> {
  const count = (fate: Fate) => iterations.filter((one) => one.fate === fate).length
  return {
    copied: count('copied'),
    frozen: count('frozen'),
    tooLong: count('tooLong'),
    unusable: count('unusable'),
    repeated: count('repeated'),
    nothingToImprove: count('nothingToImprove'),
    noGain: count('noGain'),
    outdone: count('outdone'),
    worse: count('worse'),
    unfinished: count('unfinished'),
  }
}
