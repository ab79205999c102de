import { screen } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { describeEvaluator } from '../../web/src/pages/evaluations/evaluation-results.ts'
import { describeTypes } from '../../web/src/pages/new-evaluation/evaluator-words.ts'
import { metricTitle, withMetricTitles } from '../../web/src/ui/metric-words.ts'
import { settingsInWords } from '../../web/src/ui/setting-words.ts'
import { GOLDEN } from './agreement-examples.ts'
import { BASELINE, CANDIDATE, COMPARISON, COUNTS, rowOf } from './compare-examples.ts'
import { DECISION } from './decision-examples.ts'
import { EVALUATION_SUMMARY } from './evaluation-examples.ts'
import { onRequest } from './mock-api.ts'
import { ASSISTANT, eventually, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable } from './open-traces.ts'
import { OVERVIEW } from './overview-examples.ts'
import { summaryOf, TRENDS } from './run-examples.ts'

layOutTable()

const RAW = /durationMs|costUsd|totalTokens|tokenF1|exactMatch|llmJudge|sequential=|plannedLooks|config\./
const DATASET = '/components/{componentId}/datasets'

/** The same, with metrics without a chosen name. */
function unnamed<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('grounded', 'tokenF1').replaceAll('correct"', 'exactMatch"'))
}

const LOOKS = 'These runs were compared 3 times. Plan the looks (plannedLooks), or decide by sequential.'

beforeEach(() => {
  signIn('editor')
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest('GET /components/{componentId}/overview', unnamed(OVERVIEW))
  onRequest('GET /components/{componentId}/trends', unnamed(TRENDS))
  onRequest('GET /components/{componentId}/run-summaries', {
    data: [CANDIDATE, BASELINE, summaryOf(1)].map(unnamed),
    nextCursor: null,
  })
  onRequest('GET /components/{componentId}/evaluation-summaries', {
    data: [unnamed(EVALUATION_SUMMARY)],
    nextCursor: null,
  })
  onRequest('GET /components/{componentId}/comparisons', ({ query }) =>
    query['include'] === 'texts'
      ? { ...unnamed(COMPARISON), counts: COUNTS, data: [unnamed(rowOf(1))] }
      : { ...unnamed(COMPARISON), looks: 3, warnings: [LOOKS] },
  )
  onRequest('GET /components/{componentId}/decisions', { data: [unnamed(DECISION)], nextCursor: null })
  onRequest(`GET ${DATASET}`, { data: [GOLDEN] })
})

const pair = `base=${BASELINE.id}&cand=${CANDIDATE.id}`

describe('pages show metrics without a chosen name in words, never as fields, types or settings:', () => {
  it.each([
    ['overview of a component', '', /words in common/],
    ['trends', '/compare/trends', /Quality: same as expected/],
    ['runs', '/runs', /words in common|same as expected/],
    ['evaluations', '/evaluations', /words in common/],
    ['comparison', `/compare?${pair}`, /words in common/],
    ['comparison of durations', `/compare?${pair}&metric=durationMs`, /by duration/],
    ['decisions', '/compare/decisions', /words in common/],
  ])('%s', async (_, path, words) => {
    openPage(inSupport(`c/${ASSISTANT.id}${path}`))
    await eventually(() => expect(document.body.textContent).toMatch(words))
    await eventually(() => expect(screen.queryByRole('status', { name: 'Loading' })).toBeNull())
    expect(document.body.textContent).not.toMatch(RAW)
  })
})

describe('words of metrics', () => {
  it('say below a chosen name how it is measured', () => {
    const evaluators = [{ type: 'tokenF1', name: 'answer match' }, { type: 'exactMatch' }]
    expect(describeEvaluator({ config: { evaluators } }, 'answer match')).toBe('words in common')
    expect(describeEvaluator({ config: { evaluators } }, 'exactMatch')).toBeUndefined()
  })

  it('are those of the card on which the evaluator was chosen', () => {
    const types = EVALUATOR_DEFINITIONS.map(({ type, summary, kind = null, needs, options }) => {
      return { type, summary, kind, needs: [...needs], options: { ...options } }
    })
    const compound = describeTypes(types).filter(({ type }) => /[A-Z]/.test(type))
    expect(compound.length).toBeGreaterThan(10)
    for (const { type, title } of compound) expect(metricTitle(type).toLowerCase()).toBe(title.toLowerCase())
  })

  it('leave chosen names and all other words of a summary as they are', () => {
    for (const name of ['answer match', '__proto__', 'constructor']) expect(metricTitle(name)).toBe(name)
    expect(withMetricTitles('B is better than A on tokenF1 by 0.44; tokenF1s of mine.')).toBe(
      'B is better than A on words in common by 0.44; tokenF1s of mine.',
    )
  })
})

describe('errors of the server', () => {
  it.each([
    [
      'the cost limit of $5 (config.maxCostUsd) leaves no room for another question',
      'the cost limit of $5 (“Stop at, in US dollars”) leaves no room for another question',
    ],
    [
      'no price is configured for m1, so config.maxCostUsd cannot be enforced; add one under /prices',
      'no price is configured for m1, so “Stop at, in US dollars” cannot be enforced; add one on the page Prices of the settings',
    ],
    ['config.gate compares runs: name the run to evaluate', '“Gate” compares runs: name the run to evaluate'],
    ['config.evaluators[2].name must not be empty', '“Evaluators” must not be empty'],
    ['config.__proto__ is unknown', '“__proto__” is unknown'],
  ])('name the fields of the form instead of keys: %s', (message, words) => {
    expect(settingsInWords(message)).toBe(words)
  })

  it('are in words on the page and in the list of evaluations', async () => {
    const error = 'the cost limit of $5 (config.maxCostUsd) leaves no room for another question'
    const failed = { ...EVALUATION_SUMMARY, status: 'failed' as const, error }
    onRequest('GET /components/{componentId}/evaluation-summaries', { data: [failed], nextCursor: null })
    openPage(inSupport(`c/${ASSISTANT.id}/evaluations`))
    await screen.findByText(/\(“Stop at, in US dollars”\)/)
    expect(document.body.textContent).not.toMatch(RAW)
  })
})
