import { Type } from 'typebox'
import { anyObject, closed, Id } from '../../http/schemas.ts'
import { Component, Dataset } from '../named-arguments.ts'
import { Ref, Stored } from '../stored-text.ts'
import { defineTool, listIn, queryOf } from '../tool.ts'
import { Num } from './shared-fields.ts'

const START = 'POST /components/:componentId/trials'

const Interval = Type.Optional(Type.Array(Type.Number()))

export const startTrial = defineTool({
  name: 'start_trial',
  title: 'Start a trial',
  description:
    'Starts a trial in the background: each variant answers each item; get_trial returns verdicts. It may cost money: call with dryRun true first, and report the expected cost to the user.',
  routes: [START],
  effect: { isDestructive: false, isIdempotent: false, callsModels: true },
  input: closed({
    component: Component,
    dataset: Dataset,
    plan: anyObject({
      additionalProperties: true,
      description:
        'variants [{name, target {type: "prompt", promptId, version, model}, {type: "worker", queue} or {type: "recorded"}}], baseline, repetitions, maxCostUsd, stopEarly, evaluation {evaluators, gate}.',
    }),
    dryRun: Type.Optional(Type.Boolean()),
  }),
  facts: {
    id: Ref,
    name: Stored,
    status: Stored,
    runs: Type.Optional(Type.Array(closed({ variant: Stored, runId: Ref }))),
    calls: Num,
    cost: Type.Optional(closed({ minUsd: Num, expectedUsd: Num, maxUsd: Num })),
    unpricedModels: Type.Optional(Type.Array(Type.String())),
    judges: Type.Optional(closed({ calls: Num, expectedUsd: Num })),
    minutes: Num,
    missing: Type.Optional(Type.Array(closed({ variable: Stored, items: Num, of: Num }))),
    summary: Stored,
  },
  narrow: 'get_trial returns the trial.',
  run: async (call, { component: componentId, dataset: datasetId, plan, dryRun }) => {
    const query = queryOf({ dry_run: dryRun === true ? true : undefined })
    const body = { ...plan, datasetId }
    return { facts: await call(START, { params: { componentId }, query, body }) }
  },
})

const DETAIL = 'GET /components/:componentId/trials/:trialId'
const FAILURES = `${DETAIL}/failures`

export const getTrial = defineTool({
  name: 'get_trial',
  title: 'Get a trial',
  description:
    'Gets progress and cost of a trial, why calls wait, its variants with verdicts, and failed calls by reason.',
  routes: [DETAIL, FAILURES],
  input: closed({ component: Component, trialId: Id }),
  facts: {
    id: Ref,
    name: Stored,
    status: Stored,
    endedBy: Stored,
    error: Stored,
    datasetId: Ref,
    progress: Type.Optional(closed({ total: Num, done: Num, failed: Num, skipped: Num })),
    waiting: Type.Optional(Type.Array(closed({ reason: Stored, variant: Stored, calls: Num, summary: Stored }))),
    cost: Type.Optional(closed({ spentUsd: Num, maxUsd: Num, judgesUsd: Num, expectedAtEndUsd: Num })),
    ranking: Type.Optional(
      closed({
        best: Stored,
        metric: Stored,
        summary: Stored,
        expectedOnNew: Type.Optional(closed({ difference: Num, ci: Interval })),
      }),
    ),
    failures: Type.Optional(
      Type.Array(closed({ variant: Stored, reason: Stored, retryable: Type.Optional(Type.Boolean()), calls: Num })),
    ),
    completedAt: Stored,
    createdAt: Stored,
  },
  row: closed({
    name: Stored,
    runId: Ref,
    evaluationId: Ref,
    done: Num,
    failed: Num,
    skipped: Num,
    costUsd: Num,
    judgesUsd: Num,
    durationMs: Type.Optional(closed({ median: Num, ci: Interval })),
    reason: Stored,
    comparison: Type.Optional(closed({ verdict: Stored, summary: Stored })),
  }),
  narrow: 'compare_runs compares two of the runs.',
  run: async (call, { component: componentId, trialId }) => {
    const { variants, ...trial } = await call(DETAIL, { params: { componentId, trialId } })
    const failures = listIn(await call(FAILURES, { params: { componentId, trialId } }))
    return { facts: { ...trial, failures }, rows: listIn({ data: variants }) }
  },
})
