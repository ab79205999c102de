import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { Component, Dataset } from '../named-arguments.ts'
import { Ref, Stored } from '../stored-text.ts'
import { defineTool, listIn, paging, queryOf } from '../tool.ts'
import { Bool, ComparisonWithBaseline, EvaluationState, Interval, Metric, Num, RunName } from './shared-fields.ts'

const COMPONENT_SUMMARIES = 'GET /component-summaries'

const ComponentTraces = closed({
  count: Num,
  errors: Num,
  errorRate: Type.Optional(closed({ rate: Num, ci: Interval, n: Num })),
  p95: Type.Optional(closed({ ms: Num, ci: Interval, n: Num })),
  cost: Type.Optional(closed({ usd: Num, known: Stored })),
})

export const listComponents = defineTool({
  name: 'list_components',
  title: 'List components',
  description:
    'Lists the AI components of this application, newest first, with trace numbers of a period, the newest run and evaluation, and the newest comparison with a baseline. Start here: other tools need the name or id of a component.',
  routes: [COMPONENT_SUMMARIES],
  input: closed({
    from: Type.Optional(
      Type.String({ maxLength: 500, description: 'Begin of the period: a date, or relative as -24h. Default: -7d.' }),
    ),
    ...paging,
  }),
  facts: { from: Stored, to: Stored },
  row: closed({
    id: Ref,
    name: Stored,
    description: Stored,
    traces: Type.Optional(ComponentTraces),
    counts: Type.Optional(closed({ prompts: Num, datasets: Num, runs: Num, evaluations: Num, experiments: Num })),
    newestRun: RunName,
    newestEvaluation: EvaluationState,
    headline: Type.Optional(closed({ evaluationId: Ref, ...Metric.properties })),
    comparison: ComparisonWithBaseline,
  }),
  narrow: 'Use a lower limit, or continue with the cursor.',
  run: async (call, { from, limit, cursor }) => {
    const body = await call(COMPONENT_SUMMARIES, { query: queryOf({ from, limit, cursor }) })
    return { facts: { from: body.from, to: body.to }, rows: listIn(body), nextCursor: body.nextCursor }
  },
})

const RUN_SUMMARIES = 'GET /components/:componentId/run-summaries'

export const listRuns = defineTool({
  name: 'list_runs',
  title: 'List runs',
  description:
    'Lists the runs of a component, newest first, with the results of their newest evaluation, costs, ratings, and the comparison with their baseline. Two runs of one dataset can be compared with compare_runs.',
  routes: [RUN_SUMMARIES],
  input: closed({ component: Component, dataset: Type.Optional(Dataset), ...paging }),
  facts: {},
  row: closed({
    id: Ref,
    name: Stored,
    datasetId: Ref,
    datasetName: Stored,
    traceCount: Num,
    createdAt: Stored,
    rated: Num,
    unrated: Num,
    isToBeRated: Bool,
    traces: Type.Optional(
      closed({ arrived: Num, errors: Num, cost: Type.Optional(closed({ usd: Num, unknown: Num })) }),
    ),
    newestEvaluation: EvaluationState,
    results: Type.Optional(closed({ id: Ref, headline: Stored, metrics: Type.Optional(Type.Array(Metric)) })),
    comparison: ComparisonWithBaseline,
  }),
  narrow: 'Use dataset or a lower limit, or continue with the cursor.',
  run: async (call, { component: componentId, dataset: datasetId, limit, cursor }) => {
    const query = queryOf({ dataset_id: datasetId, limit, cursor })
    const body = await call(RUN_SUMMARIES, { params: { componentId }, query })
    return { rows: listIn(body), nextCursor: body.nextCursor }
  },
})
