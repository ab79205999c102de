/**
 * Creates the example data with the operations that requests use: traces are ingested, runs linked, answers annotated and evaluations
 * started as if a program and people had done it. One transaction, so that there is all of it or nothing.
 */

import { annotateTrace } from '../annotations/of-traces/annotate-trace.ts'
import { readRatingScheme } from '../annotations/rating-rule-queries.ts'
import { saveAnnotation } from '../annotations/save-annotation.ts'
import { insertUser } from '../auth/accounts/account-queries.ts'
import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { insertComponent } from '../components/component-queries.ts'
import { createDataset } from '../datasets/create-dataset.ts'
import { addItems } from '../datasets/items/add-items.ts'
import { startEvaluation } from '../evaluations/start-evaluation.ts'
import type { Context } from '../http/route.ts'
import { addTraces } from '../ingestion/add-traces.ts'
import type { Ingest } from '../ingestion/ingest-spans.ts'
import { createRun } from '../runs/create-run.ts'
import { updateRunMetadata } from '../runs/run-metadata-queries.ts'
import { dbWithin, type Queries } from '../storage/db.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { createExampleExperiment } from './create-example-experiment.ts'
import { createExamplePrompt } from './create-example-prompt.ts'
import { createExampleTrial } from './create-example-trial.ts'
import {
  deleteExampleDataRow,
  type ExampleContents,
  findExampleData,
  insertExampleAuthor,
  insertExampleData,
  updateExampleContents,
} from './example-data-queries.ts'
import { EXAMPLE_MODEL, EXAMPLE_PROMPT } from './example-prompt.ts'
import {
  EXAMPLE_CASES,
  EXAMPLE_DATASET,
  EXAMPLE_EVALUATORS,
  EXAMPLE_VERSIONS,
  type ExampleVersion,
  exampleTrace,
} from './example-traces.ts'
import { type ProductionTrace, productionTraces } from './production-traces.ts'
import { removeContents } from './remove-example-data.ts'
import type { Creating } from './store-answered-trial.ts'

export type ExampleDeps = { ingest: Ingest; quotas: Quotas }

/** Does nothing if the example data is there. */
export async function loadExampleData(
  context: Context,
  deps: ExampleDeps,
  by: Principal,
): Promise<'created' | 'unchanged'> {
  const { workspaceId } = by
  return context.db.transaction(async (tx) => {
    const known = await findExampleData(tx, workspaceId)
    if (known?.isComponentActive) return 'unchanged'
    if (known && (await deleteExampleDataRow(tx, workspaceId))) await removeContents(tx, context, workspaceId, known)
    const componentId = context.newId()
    const createdAt = timestamp(context.clock.now())
    const reserved = { workspaceId, componentId, createdBy: by.userId, createdAt }
    if (!(await insertExampleData(tx, reserved))) return 'unchanged'
    const contents = await create({ ...context, db: dbWithin(tx) }, tx, deps, { workspaceId, componentId })
    await updateExampleContents(tx, workspaceId, contents)
    const event = { by, workspaceId, action: 'example-data.loaded', resourceId: componentId } as const
    await recordAudit(tx, context, event)
    return 'created'
  })
}

async function create(
  context: Creating,
  tx: Queries,
  { ingest, quotas }: ExampleDeps,
  { workspaceId, componentId }: ComponentScope,
): Promise<ExampleContents> {
  await insertComponent(tx, {
    workspaceId,
    id: componentId,
    name: 'Support agent (example)',
    description:
      'Example data: answers questions of a shop’s customers. Remove it on the page “Send your first trace”.',
    createdAt: createdAtOf(componentId),
  })
  const inComponent = { workspaceId, componentId }
  const description = 'Twelve questions of customers with the expected answers'
  const dataset = await createDataset(context, { ...inComponent, name: EXAMPLE_DATASET, description })
  const items = await addItems(
    context,
    { ...inComponent, datasetId: dataset.id },
    // The passages that the agent finds, for the variable of the prompt.
    EXAMPLE_CASES.map(({ question, expected, passage }) => ({
      input: question,
      expected,
      metadata: { passages: passage },
    })),
  )
  const authors = await createAuthors(tx, context, workspaceId)
  const promptId = await createExamplePrompt(context, tx, { ...inComponent, datasetId: dataset.id, authors })
  const inProduction = await sendProductionTraces(context, ingest, { ...inComponent, promptId, authors })
  const inDataset = { ...inComponent, datasetId: dataset.id }
  const itemIds = items.map(({ id }) => id)
  // Before the runs of the versions, which are the newest ones.
  const trialing = { ...inDataset, promptId, itemIds, userId: authors[1] ?? '', ingest, quotas }
  const { traceIds: ofTrial, ...trial } = await createExampleTrial(context, tx, trialing)
  const experimenting = { ...inComponent, userId: authors[0] ?? '', ingest, quotas }
  const { traceIds: ofExperiment, ...experiment } = await createExampleExperiment(context, tx, experimenting)
  const runs: { id: string; traceIds: string[] }[] = []
  for (const version of EXAMPLE_VERSIONS) {
    const run = await createRun(context, { ...inDataset, name: version.name })
    const metadata = { model: EXAMPLE_MODEL, prompt: `${EXAMPLE_PROMPT}@${version.number}`, commit: version.commit }
    await updateRunMetadata(tx, { ...inComponent, runId: run.id }, metadata)
    const traceIds = await sendRun(context, ingest, { ...inComponent, version, itemIds })
    await rateAnswers(context, { ...inComponent, runId: run.id, version, authors, traceIds })
    runs.push({ id: run.id, traceIds })
  }
  const evaluationIds = await startEvaluations(context, quotas, inDataset, runs)
  return {
    datasetId: dataset.id,
    runIds: runs.map(({ id }) => id),
    evaluationIds,
    traceIds: [...inProduction, ...ofTrial, ...ofExperiment, ...runs.flatMap(({ traceIds }) => traceIds)],
    promptId,
    trial,
    experiment,
  }
}

/** Their ratings must not look like those of members, so they are users of their own, without a password or a membership. */
async function createAuthors(tx: Queries, { clock, newId }: Creating, workspaceId: string): Promise<string[]> {
  const authors: string[] = []
  for (const name of ['Maya (example)', 'Jonas (example)']) {
    const id = newId()
    await insertUser(tx, { id, email: `${id}@example.invalid`, name, createdAt: timestamp(clock.now()) })
    await insertExampleAuthor(tx, workspaceId, id)
    authors.push(id)
  }
  return authors
}

type ComponentScope = { workspaceId: string; componentId: string }

async function sendRun(
  context: Creating,
  ingest: Ingest,
  { version, itemIds, ...scope }: ComponentScope & { version: ExampleVersion; itemIds: string[] },
): Promise<string[]> {
  const nowMs = context.clock.now()
  const traces = EXAMPLE_CASES.map((one, index) => {
    return exampleTrace(one, version, { traceId: newTraceId(context), itemId: itemIds[index] ?? '', index, nowMs })
  })
  const { ids } = await addTraces(context, ingest, { ...scope, traces })
  return ids.map(({ id }) => id)
}

async function sendProductionTraces(
  context: Creating,
  ingest: Ingest,
  { promptId, authors, ...scope }: ComponentScope & { promptId: string; authors: string[] },
): Promise<string[]> {
  const times = { nowMs: context.clock.now(), newTraceId: () => newTraceId(context) }
  const answered = productionTraces(promptId, times)
  const { ids } = await addTraces(context, ingest, { ...scope, traces: answered.map(({ trace }) => trace) })
  const traceIds = ids.map(({ id }) => id)
  await rateProduction(context, { ...scope, answered, traceIds, authors })
  return traceIds
}

/** Most of them, so that each version that was live has a rate with an interval. */
async function rateProduction(
  context: Creating,
  {
    workspaceId,
    answered,
    traceIds,
    authors,
  }: ComponentScope & { answered: readonly ProductionTrace[]; traceIds: string[]; authors: string[] },
): Promise<void> {
  const { bad, good } = await endsOfScheme(context, workspaceId)
  for (const [index, { isGood, author }] of answered.entries()) {
    const [traceId, userId] = [traceIds[index], authors[author]]
    if (isGood === undefined || traceId === undefined || userId === undefined) continue
    const by = { kind: 'session', credential: 'bearer', credentialId: userId, userId, workspaceId } as const
    await annotateTrace(context, { ...by, role: 'annotator' }, traceId, { rating: (isGood ? good : bad) ?? null })
  }
}

/** The worst and the best word of the application. */
async function endsOfScheme({ db }: Creating, workspaceId: string) {
  const { ratings } = await readRatingScheme(db.read, workspaceId)
  const byScore = [...ratings].sort((a, b) => a.score - b.score)
  return { bad: byScore[0]?.value, good: byScore.at(-1)?.value }
}

function newTraceId({ newId }: Creating): string {
  return newId().replaceAll('-', '')
}

type Rated = ComponentScope & { runId: string; version: ExampleVersion; authors: string[]; traceIds: string[] }

async function rateAnswers(context: Creating, { version, authors, traceIds, ...run }: Rated): Promise<void> {
  const { workspaceId } = run
  const { bad, good } = await endsOfScheme(context, workspaceId)
  for (const [index, traceDbId] of traceIds.entries()) {
    const answer = EXAMPLE_CASES[index]?.[version.key]
    for (const [place, userId] of authors.entries()) {
      // The newest run is left for users to rate.
      if (!answer?.ratings) continue
      const rating = answer.ratings[place] ? good : bad
      const author = { kind: 'session', credential: 'bearer', credentialId: userId, userId, workspaceId } as const
      const isCommentator = place === authors.length - 1
      const comment = isCommentator ? answer.comment : undefined
      await saveAnnotation(context, { ...author, role: 'annotator' }, { ...run, traceDbId, rating, comment })
    }
  }
}

/** Of each run, because a comparison needs both. */
async function startEvaluations(
  context: Creating,
  quotas: Quotas,
  inDataset: ComponentScope & { datasetId: string },
  runs: readonly { id: string }[],
): Promise<string[]> {
  const ids: string[] = []
  for (const [index, { id: runId }] of runs.entries()) {
    const name = EXAMPLE_VERSIONS[index]?.name
    const { id } = await startEvaluation(context, quotas, {
      ...inDataset,
      runId,
      name,
      config: { evaluators: EXAMPLE_EVALUATORS },
    })
    ids.push(id)
  }
  return ids
}
