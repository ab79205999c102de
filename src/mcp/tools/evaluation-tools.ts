import { Type } from 'typebox'
import { anyObject, closed, Id, NAME_LENGTH_MAX } from '../../http/schemas.ts'
import { Component, Dataset, Run } from '../named-arguments.ts'
import { Ref, Stored } from '../stored-text.ts'
import { defineTool, type Loaded, listIn, offsetCursor, offsetOf, offsetPage, paging, queryOf } from '../tool.ts'
import { ComparisonWithBaseline, Metric, Num } from './shared-fields.ts'

const EVALUATORS = 'GET /evaluators'
const EVALUATORS_PER_CALL = 100

export const listEvaluators = defineTool({
  name: 'list_evaluators',
  title: 'List evaluator types',
  description:
    'Lists the evaluator types that config.evaluators of start_evaluation accepts, with what they need and their options as JSON Schema text.',
  routes: [EVALUATORS],
  input: closed({
    type: Type.Optional(Type.String({ maxLength: 100, description: 'Only this type, with its options.' })),
    limit: paging.limit,
    cursor: offsetCursor,
  }),
  facts: {},
  row: closed({
    type: Ref,
    summary: Stored,
    kind: Stored,
    needs: Type.Optional(Type.Array(Type.String())),
    options: Stored,
  }),
  narrow: 'Use type, which also returns the options, or continue with the cursor.',
  run: async (call, { type, limit, cursor }): Promise<Loaded> => {
    const body = await call(EVALUATORS, { query: queryOf({ limit: EVALUATORS_PER_CALL }) })
    const all = listIn(body).filter((evaluator) => type === undefined || evaluator.type === type)
    // The options of all types together are longer than a result.
    const rows = all.map(({ options, ...fields }) =>
      type === undefined ? fields : { ...fields, options: JSON.stringify(options) },
    )
    const offset = offsetOf(cursor)
    return offsetPage(rows.slice(offset, offset + limit + 1), { limit, offset })
  },
})

const START = 'POST /components/:componentId/evaluations'

export const startEvaluation = defineTool({
  name: 'start_evaluation',
  title: 'Start an evaluation',
  description:
    'Starts an evaluation of a run, or of the traces of a dataset, in the background; get_evaluation returns its progress. It may call models and cost money: call with dryRun true first, and report the expected cost to the user. Without config, the default evaluators are used. config may have evaluators (list_evaluators), baselineRunId, gate, maxCostUsd.',
  routes: [START],
  effect: { isDestructive: false, isIdempotent: false, callsModels: true },
  input: closed({
    component: Component,
    dataset: Dataset,
    run: Type.Optional(Run),
    name: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })),
    config: Type.Optional(anyObject({ additionalProperties: true })),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only estimates cases, calls of models and cost.' })),
  }),
  facts: {
    id: Ref,
    name: Stored,
    status: Stored,
    cases: Num,
    scores: Num,
    calls: Num,
    expectedCostUsd: Num,
    unpricedModels: Type.Optional(Type.Array(Type.String())),
    detectableDifference: Num,
    summary: Stored,
  },
  narrow: 'get_evaluation returns the evaluation.',
  run: async (call, { component: componentId, dataset: datasetId, run: runId, dryRun, limit: _, ...rest }) => {
    const body = { ...rest, datasetId, ...(runId !== undefined && { runId }) }
    const query = queryOf({ dry_run: dryRun === true ? true : undefined })
    return { facts: await call(START, { params: { componentId }, query, body }) }
  },
})

const DETAIL = 'GET /components/:componentId/evaluations/:evaluationId'
const SUMMARIES = 'GET /components/:componentId/evaluation-summaries'

const Insight = closed({ type: Stored, severity: Stored, title: Stored, description: Stored, suggestedFix: Stored })

export const getEvaluation = defineTool({
  name: 'get_evaluation',
  title: 'Get an evaluation',
  description:
    'Gets the state and progress of an evaluation and, once completed, its metrics with confidence intervals, the comparison with its baseline and gate, and findings in its traces. list_worst_cases lists the cases of its run.',
  routes: [DETAIL, SUMMARIES],
  input: closed({ component: Component, evaluationId: Id }),
  facts: {
    id: Ref,
    name: Stored,
    status: Stored,
    error: Stored,
    datasetId: Ref,
    runId: Ref,
    progress: Type.Optional(closed({ total: Num, done: Num, failed: Num, skipped: Num })),
    headline: Stored,
    metrics: Type.Optional(Type.Array(Metric)),
    comparison: ComparisonWithBaseline,
    spentUsd: Num,
    insights: Type.Optional(Type.Array(Insight)),
    startedAt: Stored,
    completedAt: Stored,
    createdAt: Stored,
  },
  narrow: 'The API has the whole results: GET /components/{componentId}/evaluations/{evaluationId}.',
  run: async (call, { component: componentId, evaluationId }) => {
    const { results, ...detail } = await call(DETAIL, { params: { componentId, evaluationId } })
    const query = { evaluation_id: evaluationId }
    const [summary] = listIn(await call(SUMMARIES, { params: { componentId }, query }))
    const { headline, metrics, comparison, spentUsd } = summary ?? {}
    return { facts: { ...detail, headline, metrics, comparison, spentUsd, insights: Object(results).insights } }
  },
})
