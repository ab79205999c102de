import { Type } from 'typebox'
import { SplitName } from '../../datasets/splits/split-schemas.ts'
import { closed, ofTypes } from '../../http/schemas.ts'
import { Component, Run } from '../named-arguments.ts'
import { Preview, Ref, Stored } from '../stored-text.ts'
import { defineTool, hasTexts, include, type Loaded, listIn, offsetCursor, offsetOf, paging, queryOf } from '../tool.ts'
import { Bool, Interval, Num } from './shared-fields.ts'

const COMPARISON = 'GET /components/:componentId/comparisons'

const ComparedMetric = closed({
  name: Stored,
  kind: Stored,
  role: Stored,
  higherIsBetter: Bool,
  n: Num,
  baseline: Type.Optional(closed({ mean: Num, ci: Interval })),
  candidate: Type.Optional(closed({ mean: Num, ci: Interval })),
  difference: Num,
  ci: Interval,
  ratio: Num,
  ratioCi: Interval,
  confidence: Num,
  correction: Stored,
  wins: Num,
  ties: Num,
  losses: Num,
  flips: Type.Optional(closed({ toFailCount: Num, toPassCount: Num })),
  missingItems: Type.Optional(closed({ incomplete: Num, summary: Stored })),
  verdict: Stored,
  summary: Stored,
  warning: Stored,
})

const Side = Type.Optional(closed({ runId: Ref, name: Stored, traceCount: Num, evaluationId: Ref }))
const Prompts = Type.Array(closed({ name: Stored, traces: Num }))
const Score = ofTypes(['number', 'string'])

export const compareRuns = defineTool({
  name: 'compare_runs',
  title: 'Compare two runs',
  description:
    'Shows whether a change made a component better or worse: verdict and summary first, then each metric with its difference (of durations, costs and tokens its ratio) and confidence interval, then rows joined item by item with the traces of both runs, the worst regressions first. Both runs must be of one dataset. A comparison is counted as a look at the results, as in the API.',
  routes: [COMPARISON],
  input: closed({
    component: Component,
    baseline: Type.String({ ...Run, description: 'The run before the change: its id or name.' }),
    candidate: Type.String({ ...Run, description: 'The run after the change: its id or name.' }),
    only: Type.Optional(
      Type.Enum(['regressed', 'improved', 'all'], {
        type: 'string',
        description: 'Which rows. Default: regressed, the items that got worse.',
      }),
    ),
    metric: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Rows by this metric; all quality metrics by default.',
      }),
    ),
    split: Type.Optional(SplitName),
    include,
    limit: paging.limit,
    cursor: offsetCursor,
  }),
  facts: {
    verdict: Stored,
    summary: Stored,
    baseline: Side,
    candidate: Side,
    prompts: Type.Optional(closed({ baseline: Prompts, candidate: Prompts })),
    pairs: Num,
    onlyBaseline: Num,
    onlyCandidate: Num,
    failed: Num,
    counts: Type.Optional(
      closed({
        regressed: Num,
        improved: Num,
        tie: Num,
        only_baseline: Num,
        only_candidate: Num,
        failed: Num,
        not_measured: Num,
      }),
    ),
    metrics: Type.Optional(Type.Array(ComparedMetric)),
    notCompared: Type.Optional(Type.Array(closed({ name: Stored, reason: Stored }))),
    warnings: Type.Optional(Type.Array(Type.String())),
    looks: Num,
    looking: Type.Optional(closed({ rule: Stored, level: Num, summary: Stored })),
  },
  row: closed({
    itemId: Ref,
    baselineTraceId: Ref,
    candidateTraceId: Ref,
    failed: Type.Optional(Type.Array(Type.String())),
    scores: Type.Optional(
      Type.Array(
        closed({
          name: Stored,
          repetition: Num,
          baseline: Type.Optional(Score),
          candidate: Type.Optional(Score),
          delta: Num,
        }),
      ),
    ),
    input: Preview,
    expected: Preview,
    baselineOutput: Preview,
    candidateOutput: Preview,
  }),
  narrow:
    'Use only, metric or a lower limit, or continue with the cursor. get_trace returns whole texts of a trace, get_dataset_items those of an item.',
  run: async (
    call,
    { component: componentId, only = 'regressed', metric, split, limit, cursor, ...args },
  ): Promise<Loaded> => {
    const offset = offsetOf(cursor)
    const { baseline, candidate } = args
    const filter = only === 'all' ? undefined : only
    const texts = hasTexts(args) ? 'texts' : undefined
    const query = queryOf({ baseline, candidate, filter, metric, split, include: texts, limit, offset })
    const body = await call(COMPARISON, { params: { componentId }, query })
    const rows = listIn(body).map(withTexts)
    const cursorAfter = (count: number) => String(offset + count)
    const hasMore = offset + rows.length < countOf(body, filter)
    return { facts: body, rows, cursorAfter, ...(hasMore ? { nextCursor: cursorAfter(rows.length) } : {}) }
  },
})

/** How many rows there are on all pages. */
function countOf({ counts, total }: Record<string, unknown>, filter: string | undefined): number {
  return Number(filter === undefined ? total : Object(counts)[filter])
}

function withTexts(row: Record<string, unknown>) {
  const texts: Record<string, { text?: unknown } | null | undefined> = Object(row.texts)
  return {
    ...row,
    input: texts.input?.text,
    expected: texts.expected?.text,
    baselineOutput: texts.baseline?.text,
    candidateOutput: texts.candidate?.text,
  }
}

const RUN_CASES = 'GET /components/:componentId/runs/:runId/cases'

export const listWorstCases = defineTool({
  name: 'list_worst_cases',
  title: 'List the worst cases of a run',
  description:
    'Lists the cases of one run with the lowest scores of a metric first, with all scores, reasons of judges and ratings. For what a change made worse, use compare_runs.',
  routes: [RUN_CASES],
  input: closed({
    component: Component,
    run: Run,
    metric: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'The name of an evaluator. Default: the headline of the evaluation.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum(['score', '-score', '-duration', '-cost'], {
        type: 'string',
        description: 'Default: score, lowest first. Use -score for a metric where lower is better.',
      }),
    ),
    filter: Type.Optional(
      Type.Enum(['failed', 'not_passed', 'not_measured', 'rated', 'unrated', 'not_arrived'], { type: 'string' }),
    ),
    query: Type.Optional(Type.String({ maxLength: 2_000, description: 'A query of the query language.' })),
    include,
    ...paging,
  }),
  facts: {
    metric: Stored,
    total: Num,
    counts: Type.Optional(
      closed({ all: Num, failed: Num, rated: Num, unrated: Num, passed: Num, not_passed: Num, not_measured: Num }),
    ),
  },
  row: closed({
    id: Ref,
    itemId: Ref,
    input: Preview,
    expected: Preview,
    repetitions: Num,
    cases: Type.Optional(
      Type.Array(
        closed({
          traceId: Ref,
          traceDbId: Ref,
          status: Stored,
          durationMs: Num,
          costUsd: Num,
          totalTokens: Num,
          output: Preview,
          ratings: Type.Optional(Type.Array(closed({ userId: Ref, rating: Stored }))),
          scores: Type.Optional(
            Type.Array(
              closed({ evaluator: Stored, state: Stored, score: Num, label: Stored, passed: Bool, reason: Stored }),
            ),
          ),
        }),
      ),
    ),
  }),
  narrow: 'Use metric, filter, query or a lower limit, or continue with the cursor. get_trace returns whole texts.',
  run: async (
    call,
    { component: componentId, run: runId, metric, sort = 'score', filter, query: q, limit, cursor },
  ) => {
    const query = queryOf({ metric, sort, filter, q, limit, cursor })
    const body = await call(RUN_CASES, { params: { componentId, runId }, query })
    return { facts: body, rows: listIn(body), nextCursor: body.nextCursor }
  },
})
