import { Type } from 'typebox'
import { anyObject, closed, Id } from '../../http/schemas.ts'
import { Component, Dataset } from '../named-arguments.ts'
import { Ref, Stored } from '../stored-text.ts'
import { defineTool, listIn, queryOf } from '../tool.ts'
import { Num } from './shared-fields.ts'

const CREATE = 'POST /components/:componentId/experiments'
const START = 'POST /components/:componentId/experiments/:experimentId/start'

const Items = Type.Optional(closed({ train: Num, validation: Num, test: Num }))
const Warnings = Type.Optional(Type.Array(Type.String()))
const Interval = Type.Optional(Type.Array(Type.Number()))

export const startExperiment = defineTool({
  name: 'start_experiment',
  title: 'Start an experiment',
  description:
    'Looks for a better version of a prompt in the background, and tests it on unread items. Costs money: call with dryRun true first, and report the cost.',
  routes: [CREATE, START],
  effect: { isDestructive: false, isIdempotent: false, callsModels: true },
  input: closed({
    component: Component,
    dataset: Dataset,
    plan: anyObject({
      additionalProperties: true,
      description:
        'prompt {promptId, version}, evaluators [{type, name}], budget {maxCostUsd, maxCalls}, optimizer, target {provider, model}.',
    }),
    dryRun: Type.Optional(Type.Boolean()),
  }),
  facts: {
    id: Ref,
    name: Stored,
    status: Stored,
    items: Items,
    proposals: Num,
    calls: Num,
    expectedCostUsd: Num,
    detectableDifference: Num,
    unpricedModels: Type.Optional(Type.Array(Type.String())),
    warnings: Warnings,
    summary: Stored,
  },
  narrow: 'get_experiment returns the experiment.',
  run: async (call, { component: componentId, dataset: datasetId, plan, dryRun }) => {
    const body = { ...plan, datasetId }
    const query = queryOf({ dry_run: dryRun === true ? true : undefined })
    const created = await call(CREATE, { params: { componentId }, query, body })
    if (dryRun === true) return { facts: created }
    return { facts: await call(START, { params: { componentId, experimentId: String(created.id) } }) }
  },
})

const DETAIL = 'GET /components/:componentId/experiments/:experimentId'
const RESULTS = `${DETAIL}/results`
const FRONT = `${DETAIL}/front`

export const getExperiment = defineTool({
  name: 'get_experiment',
  title: 'Get an experiment',
  description:
    'Gets progress, cost and best candidates of an experiment, what to expect on new items, and the verdict.',
  routes: [DETAIL, RESULTS, FRONT],
  input: closed({ component: Component, experimentId: Id }),
  facts: {
    id: Ref,
    name: Stored,
    status: Stored,
    phase: Stored,
    endedBy: Stored,
    reason: Stored,
    error: Stored,
    datasetId: Ref,
    promptId: Ref,
    version: Num,
    items: Items,
    validation: Type.Optional(
      closed({
        items: Num,
        candidates: Num,
        start: Num,
        expectedOnNew: Type.Optional(closed({ difference: Num, ci: Interval })),
      }),
    ),
    verdict: Stored,
    summary: Stored,
    finalists: Type.Optional(Type.Array(closed({ iteration: Num, version: Num, runId: Ref }))),
    openings: Num,
    cost: Type.Optional(closed({ searchUsd: Num, testUsd: Num, totalUsd: Num })),
    warnings: Warnings,
    completedAt: Stored,
    createdAt: Stored,
  },
  row: closed({ number: Num, best: Num, mean: Num, costUsd: Num }),
  narrow: 'compare_runs compares two of the runs.',
  run: async (call, { component: componentId, experimentId }) => {
    const params = { componentId, experimentId }
    const detail = await call(DETAIL, { params })
    const { verdict, summary, test, openings, cost } = await call(RESULTS, { params })
    const { finalists } = Object(test ?? {})
    return {
      facts: { ...detail, verdict, summary, finalists, openings, cost },
      rows: listIn(await call(FRONT, { params })),
    }
  },
})
