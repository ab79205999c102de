/**
 * An experiment that has improved a prompt, with a dataset and a prompt of its own. Its search has ended and its test is answered; its job
 * then waits for the trial of the test, and ends the experiment with the verdict as it does with any other.
 */
import { timestamp } from '../base/clock.ts'
import { idGenerator } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { createDataset } from '../datasets/create-dataset.ts'
import { addItems } from '../datasets/items/add-items.ts'
import { SPLITS } from '../datasets/splits/split.ts'
import { createExperiment } from '../experiments/change-experiment.ts'
import { describeEstimate } from '../experiments/estimate-experiment.ts'
import type { ExperimentPlan } from '../experiments/experiment-plan.ts'
import { addSpent, updateExperiment } from '../experiments/experiment-queries.ts'
import { type CandidateContent, findContents, saveFinalist } from '../experiments/iteration-queries.ts'
import { measureValidation } from '../experiments/runner/measure-validation.ts'
import { saveProposal } from '../experiments/save-proposal.ts'
import { chooseFinalists } from '../experiments/search/choose-finalists.ts'
import type { Ingest } from '../ingestion/ingest-spans.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { createPrompt } from '../prompts/change-prompt.ts'
import { saveVersion } from '../prompts/save-version.ts'
import { prepareContent } from '../prompts/version-content.ts'
import { findVersion } from '../prompts/version-queries.ts'
import { nanosOf } from '../spending/spending-limit.ts'
import type { Queries } from '../storage/db.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { EXAMPLE_MODEL } from './example-prompt.ts'
import {
  REFLECTION_MODEL,
  SORTING_CASES,
  SORTING_DATASET,
  SORTING_EVALUATORS,
  SORTING_NAME,
  SORTING_PROMPT,
  SORTING_START,
  SORTING_VARIABLES,
} from './example-sorting.ts'
import { type Searched, searchExample } from './search-example.ts'
import { callOfSorting } from './sorting-traces.ts'
import { type Creating, type ExampleTrial, storeAnsweredTrial } from './store-answered-trial.ts'

const MINUTE_MS = 60_000
/** The prompt and the dataset are older than the other examples, which are the first ones of their lists. */
const PREPARED_MINUTES_AGO = 160 * 60
const STARTED_MINUTES_AGO = 40
const MAX_COST_USD = 0.5
const SEED = 7

type Given = {
  workspaceId: string
  componentId: string
  /** Who has started it. */
  userId: string
  ingest: Ingest
  quotas: Quotas
}

export type ExampleExperiment = Omit<ExampleTrial, 'traceIds'> & {
  experimentId: string
  datasetId: string
  promptId: string
}

export async function createExampleExperiment(
  context: Creating,
  tx: Queries,
  { userId, ingest, quotas, ...scope }: Given,
): Promise<ExampleExperiment & { traceIds: string[] }> {
  const { workspaceId, componentId } = scope
  const nowMs = context.clock.now()
  const by = editorOf(workspaceId, userId)
  const earlier = contextAt(context, nowMs - PREPARED_MINUTES_AGO * MINUTE_MS)
  const { datasetId, itemIds } = await createSortingDataset(earlier, scope)
  const promptId = await createSortingPrompt(earlier, by, componentId)
  const start = await findVersion(tx, { workspaceId, promptId, number: 1 })
  if (!start) throw new RangeError('the example prompt has a first version')
  const startMs = nowMs - STARTED_MINUTES_AGO * MINUTE_MS
  const begun = contextAt(context, startMs)
  const items = itemsBySplit(itemIds)
  const plan = planOf(promptId)
  const counts = { train: items.train.length, validation: items.validation.length, test: items.test.length }
  const splits = { items, drawn: [], leaks: [], together: { pairs: 0, examples: [] } }
  const priced = { expected: null, reflectionUsd: 0, unpricedModels: [], openings: 0 }
  const estimate = { ...describeEstimate(plan, splits, priced), leaks: [], together: splits.together }
  const prepared = { plan, splits, estimate }
  const { id: experimentId } = await createExperiment(begun, by, {
    componentId,
    datasetId,
    name: SORTING_NAME,
    prepared,
  })
  const of = { workspaceId, experimentId }
  const caseOf = (itemId: string) => caseWith(itemIds, itemId)
  const searching = { plan, items: { ...items, test: counts.test }, start: start.content, caseOf, startMs }
  const searched = await searchExample(tx, of, searching)
  const ended = contextAt(context, searched.endMs)
  const finalist = await saveWinner(ended, tx, by, { searched, componentId, promptId, experimentId })
  const { traceIds, ...test } = await storeAnsweredTrial(context, tx, {
    ...{ workspaceId, componentId, datasetId, userId, ingest, quotas },
    name: `${SORTING_NAME}: test`,
    plan: testPlan(plan),
    startMs: searched.endMs,
    variants: [
      { name: 'start', target: { ...plan.target, version: 1 } },
      { name: `proposal ${finalist.number}`, target: { ...plan.target, version: finalist.version } },
    ],
    itemIds: items.test,
    evaluators: SORTING_EVALUATORS,
    answer({ number, index, startMs: calledMs }) {
      const variant = number === 1 ? { version: 1, content: start.content } : finalist
      return callOfSorting(variant, caseOf(items.test[index] ?? ''), { index, startMs: calledMs })
    },
  })
  await setTesting(tx, of, { searched, trialId: test.trialId, startMs })
  await enqueueJob(tx, context, { workspaceId, kind: 'experiment', payload: { experimentId } })
  return { experimentId, datasetId, promptId, ...test, traceIds }
}

async function createSortingDataset(context: Creating, scope: { workspaceId: string; componentId: string }) {
  const description = 'A hundred messages with the team that answers them'
  const { id: datasetId } = await createDataset(context, { ...scope, name: SORTING_DATASET, description })
  const added = await addItems(
    context,
    { ...scope, datasetId },
    SORTING_CASES.map(({ message, team, split }) => ({ input: message, expected: team, split })),
  )
  return { datasetId, itemIds: added.map(({ id }) => id) }
}

async function createSortingPrompt(context: Creating, by: Principal, componentId: string): Promise<string> {
  const description = 'Names the team that answers a message'
  const { id: promptId } = await createPrompt(context, by, { componentId, name: SORTING_PROMPT, description })
  const { messages, ...settings } = SORTING_START
  const content = prepareContent({ ...settings, messages: [...messages] })
  await saveVersion(context, by, { componentId, promptId, content, note: 'first version', labels: [], verdicts: [] })
  return promptId
}

function itemsBySplit(itemIds: readonly string[]) {
  const [train = [], validation = [], test = []] = SPLITS.map((split) =>
    itemIds.filter((_, place) => SORTING_CASES[place]?.split === split),
  )
  return { train, validation, test }
}

function caseWith(itemIds: readonly string[], itemId: string) {
  const found = SORTING_CASES[itemIds.indexOf(itemId)]
  if (!found) throw new RangeError('each item of the example is one of its messages')
  return found
}

function planOf(promptId: string): ExperimentPlan {
  return {
    optimizer: 'gepa',
    target: {
      type: 'prompt',
      ...{ promptId, version: 1, provider: null, model: EXAMPLE_MODEL, parameters: {}, tools: 'record' },
    },
    reflection: { provider: null, model: REFLECTION_MODEL },
    variables: SORTING_VARIABLES,
    evaluators: SORTING_EVALUATORS,
    provider: null,
    weights: { 'right team': 1 },
    objectives: [
      { metric: 'right team', role: 'improve', margin: 0.03 },
      { metric: 'one word', role: 'notWorse', margin: 0.03 },
      { metric: 'costUsd', role: 'tieBreak', margin: 0.03 },
    ],
    splits: { train: 0.3, validation: 0.3, test: 0.4, seed: SEED },
    optimize: ['messages'],
    frozen: [],
    frozenTexts: [],
    labels: ['returns', 'delivery', 'billing', 'repairs', 'account'],
    maxPromptTokens: 200,
    budget: { maxCostUsd: MAX_COST_USD, maxCalls: 2_000, maxMinutes: 60, patience: 6 },
    finalists: 1,
    repetitions: 1,
    concurrency: 8,
    search: { parents: 2, proposals: 1, sampleSize: 8 },
    allowTooFew: false,
    callsPerAnswer: 1,
    expected: null,
    warnings: [],
  }
}

/** As `open-test.ts` plans the trial of a test. */
function testPlan({ variables, concurrency, repetitions }: ExperimentPlan) {
  return {
    ...{ split: 'test' as const, sample: null, variables, baseline: 1, repetitions, concurrency, maxMinutes: 60 },
    evaluation: { evaluators: SORTING_EVALUATORS },
    looks: null,
    rankedBy: 'right team',
  }
}

type Winning = { searched: Searched; componentId: string; promptId: string; experimentId: string }
type Winner = { number: number; version: number; content: CandidateContent }

async function saveWinner(
  context: Creating,
  tx: Queries,
  by: Principal,
  { searched: { search }, experimentId, ...target }: Winning,
): Promise<Winner> {
  const { workspaceId } = by
  const of = { workspaceId, experimentId }
  const [number] = chooseFinalists(search, { count: 1, whyNot: () => undefined, tieBreak: () => 0 })
  const proposed = number === undefined ? undefined : (await findContents(tx, of, [number])).get(number)?.content
  const start = await findVersion(tx, { workspaceId, promptId: target.promptId, number: 1 })
  if (number === undefined || !proposed || !start) throw new RangeError('the example experiment finds a better prompt')
  const { version } = await saveProposal(context, by, {
    ...{ ...target, experimentId, experimentName: SORTING_NAME },
    ...{ number, start: start.content, proposed },
  })
  await saveFinalist(tx, { ...of, number }, version.number)
  return { number, version: version.number, content: proposed }
}

async function setTesting(
  tx: Queries,
  of: { workspaceId: string; experimentId: string },
  { searched, trialId, startMs }: { searched: Searched; trialId: string; startMs: number },
): Promise<void> {
  const { search, end, reason, used, endMs } = searched
  const now = timestamp(endMs)
  const validation = JSON.stringify(await measureValidation(search))
  await addSpent(tx, of, { ...used, now })
  await updateExperiment(tx, of, {
    status: 'running',
    phase: 'testing',
    ended_by: end,
    reason,
    validation,
    trial_id: trialId,
    started_at: timestamp(startMs),
    ends_at: timestamp(startMs + 60 * MINUTE_MS),
    max_nano_usd: nanosOf(MAX_COST_USD),
    now,
  })
}

/** The same transaction at another time. */
function contextAt(context: Creating, ms: number): Creating {
  const clock = { now: () => ms }
  return { ...context, clock, newId: idGenerator(clock) }
}

function editorOf(workspaceId: string, userId: string): Principal {
  return { kind: 'session', credential: 'bearer', credentialId: userId, userId, workspaceId, role: 'editor' }
}
