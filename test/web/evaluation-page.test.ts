import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { EvaluationDetail, Role, ScoreGroup } from '../../web/src/api/generated/api.ts'
import { DURATION } from './compare-examples.ts'
import { caseOf, casesOf, ERROR_GROUPS, EVALUATION, EVALUATION_SUMMARY, VALUE_GROUPS } from './evaluation-examples.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable } from './open-traces.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}/evaluations/${EVALUATION.id}`)
const PATH = '/components/{componentId}/evaluations/{evaluationId}'
const SUMMARIES = 'GET /components/{componentId}/evaluation-summaries'

layOutTable()

interface Options {
  evaluation?: Partial<EvaluationDetail>
  errors?: ScoreGroup[]
  values?: ScoreGroup[]
  role?: Role
}

function openEvaluation(
  search = '',
  { evaluation = {}, errors = ERROR_GROUPS, values = VALUE_GROUPS, role = 'editor' }: Options = {},
) {
  signIn(role)
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest(`GET ${PATH}`, { ...EVALUATION, ...evaluation })
  onRequest(SUMMARIES, { data: [EVALUATION_SUMMARY], nextCursor: null })
  onRequest(`GET ${PATH}/scores/summary`, ({ query }) => ({
    data: query['group_by'] === 'error' ? errors : values,
    others: 0,
  }))
  onRequest(`GET ${PATH}/cases`, ({ query }) =>
    query['case']
      ? { ...casesOf([caseOf(Number(query['case'].slice(5)))]), counts: null }
      : casesOf([1, 2, 3].map((n) => caseOf(n))),
  )
  return openPage(`${PAGE}${search}`)
}

const metricRow = async (name: string) => {
  const title = await screen.findByRole('heading', { level: 3, name })
  const row = title.closest('li')
  if (!row) throw new Error('the metric is in no row')
  return row.textContent?.replaceAll(/\s+/g, ' ') ?? ''
}
const region = (name: RegExp | string) => screen.findByRole('region', { name })
const caseQueries = () => requestsOf(`GET ${PATH}/cases`).map(({ query }) => query)
const isBefore = (first: HTMLElement, second: HTMLElement) =>
  Boolean(first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING)

describe('an evaluation', () => {
  it('shows every number as the API has it, each mean with its interval and n', async () => {
    openEvaluation()
    await heading('Nightly')
    const grounded = await metricRow('grounded')
    for (const text of [
      'Is every statement in the passages?',
      '0.78',
      '0.72 to 0.84 pass · n 189',
      '2 missing',
      '9 failed',
    ])
      expect(grounded).toContain(text)
    await eventually(async () => expect(await metricRow('grounded')).toContain('41 fail148 pass'))
    expect(grounded).toContain('People would pass0.84 (0.71 to 0.98), n 108')
    expect(grounded).toContain('Rate next: 12 that pass, 8 that fail')
    expect(grounded).toContain('Sensitivity: passes the good0.89 (0.80 to 0.94), n 81')
    expect(grounded).toContain('Specificity: fails the bad0.78 (0.59 to 0.89), n 27')
    const helpful = await metricRow('helpful')
    for (const text of [
      '0.75',
      '0.68 to 0.80 pass · n 195',
      'mean 3.95 (3.81 to 4.08)',
      '1: 4, 2: 9, 3: 17, 4: 96, 5: 69',
    ])
      expect(helpful).toContain(text)
    expect(helpful).toContain(
      '3 attempts per item, n 610.91 (0.83 to 0.96), n 61 one passes, 0.52 (0.41 to 0.63), n 61 all pass',
    )
    expect(helpful).toContain('1 of 20 injections changed the verdict.')
    expect(helpful).toContain('The judge passes fewer anchors than before.')
    expectMeansWithCount(document.body)
    expect(screen.getByText('600 scores: 388 made, 200 skipped, 12 failed.')).toBeTruthy()
    const facts = screen.getByRole('heading', { level: 1 }).closest('header')?.textContent
    for (const text of [
      'Hard returns',
      'v14',
      '184 cases',
      'took 3 min 12 s',
      '$0.4123 of at most $1.00 for 444 calls',
      'split test',
    ])
      expect(facts).toContain(text)
  })

  it('shows the summary of the server instead of a mean of too few cases', async () => {
    openEvaluation()
    const cites = await metricRow('cites')
    expect(cites).toContain('4 of 10 cases; too few for a mean.')
    expect(cites).not.toContain('0.78')
  })

  it('the table twin of the metrics has the same numbers', async () => {
    const user = openEvaluation()
    await metricRow('grounded')
    await user.click(screen.getByRole('button', { name: /Show as table.*All metrics/ }))
    const row = await screen.findByRole('row', { name: /^grounded/ })
    expect(
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent?.replace('\u202f', ' ')),
    ).toEqual([
      'grounded',
      '0.78, 95 % interval 0.72 to 0.84, n 189 pass',
      '0.88, 95 % interval 0.83 to 0.92, n 187',
      '0.84, 95 % interval 0.71 to 0.98, n 108',
      '2',
      '9',
    ])
  })

  it('shows whether the gate passed, why, and links to the failing cases and to the comparison', async () => {
    const user = openEvaluation()
    const gate = await region('The gate is shut')
    expect(gate.textContent).toContain('Not passed: grounded may be worse by more than the margin of 0.03')
    expect(gate.textContent).toContain(
      'v14: −0.10, 95\u202f% interval −0.16 to −0.04, n 187. no change at 0. margin −0.03',
    )
    const compare = within(gate).getByRole('link', { name: 'Compare with v13' }).getAttribute('href')
    expect(compare).toBe(`${inSupport(`c/${ASSISTANT.id}/compare`)}?base=${idOf(61)}&cand=${idOf(62)}&metric=grounded`)
    await user.click(await within(gate).findByRole('button', { name: 'Open 41 failing cases' }))
    await eventually(() => expect(caseQueries().at(-1)).toEqual({ metric: 'grounded', passed: 'false', limit: '50' }))
    expect(address()).toBe(`${PAGE}?metric=grounded&state=not_passed`)
  })

  it.each([
    [true, 'Passed: it is not worse.', 'The gate is open'],
    [false, 'Cannot decide: a gate needs at least 30 items.', 'The gate cannot decide'],
  ])('a gate with passed %s and the summary %s is called so', async (passed, summary, title) => {
    openEvaluation('', { evaluation: { results: { ...EVALUATION.results, gate: { passed, summary } } } })
    expect((await region(title)).textContent).toContain(summary)
  })

  it('draws the ratio that a gate decides by, with the interval and the default margin of the gate', async () => {
    const { comparison } = Object(EVALUATION.results)
    const tokens = {
      ...DURATION,
      name: 'totalTokens',
      verdict: 'equivalent',
      items: 40,
      ratio: 1.04,
      ratioCi: [0.99, 1.09],
      marginCi: [1, 1.08],
    }
    openEvaluation('', {
      evaluation: {
        config: { ...EVALUATION.config, gate: { metric: 'totalTokens' } },
        results: {
          ...EVALUATION.results,
          comparison: { ...comparison, verdict: 'equivalent', metrics: [tokens] },
          gate: {
            passed: true,
            summary:
              'Passed: totalTokens is not worse by more than the margin of 1.1 × (1.04 × at most, 187 items). The margin is the default.',
          },
        },
      },
    })
    const gate = await region('The gate is open')
    expect(gate.textContent).toContain('Ratio in tokensleft is better')
    expect(gate.textContent).toContain(
      'v14: 1.04 ×, 95\u202f% interval 1.00 to 1.08 ×, n 40. no change at 1. margin 1.10 ×',
    )
  })

  it('insights link to their traces', async () => {
    openEvaluation()
    const insights = await region(/^Insights/)
    expect(insights.textContent).toContain('from 200 traces, without a model')
    const link = within(insights).getByRole('link', { name: /^2 of 15 traces/ })
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain(`id:"${idOf(81)}"+OR+id:"${idOf(82)}"`)
  })

  it('a failed evaluation says its error first', async () => {
    const evaluation = {
      status: 'failed',
      error: 'config.provider: there is no connection named "x"',
      results: null,
    } as const
    openEvaluation('', {
      evaluation: { ...evaluation, progress: { total: 0, done: 0, failed: 0, skipped: 0 } },
      errors: [],
    })
    const error = await screen.findByText('“Connection”: there is no connection named "x"')
    expect(isBefore(error, screen.getByRole('heading', { level: 2, name: 'Cases' }))).toBe(true)
    expect(screen.queryByRole('heading', { name: 'Metrics' })).toBeNull()
  })

  it('one that the server does not know is not found', async () => {
    signIn()
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest(`GET ${PATH}`, failed(404, 'Evaluation not found'))
    openPage(PAGE)
    await heading('Nothing is here')
  })
})

describe('failed scores', () => {
  it('few of them: the badge is amber, and the reasons follow the metrics', async () => {
    openEvaluation()
    const badge = await screen.findByText('completed, 12 failed')
    expect(badge.className).toContain('warn')
    const failures = await region(/^Failures/)
    expect(isBefore(screen.getByRole('heading', { name: 'Metrics' }), failures)).toBe(true)
  })

  it('half of them: amber, and the reason comes before everything else', async () => {
    openEvaluation('', { evaluation: { progress: { total: 600, done: 300, failed: 300, skipped: 0 } } })
    const badge = await screen.findByText('completed, 300 failed')
    expect(badge.className).toContain('warn')
    const failures = await region(/^Failures/)
    expect(failures.textContent).toContain('9 failed, 200 skipped')
    const reason = within(failures).getByText(ERROR_GROUPS[0]?.error ?? '')
    const evaluator = within(failures).getByText('grounded: failed, 5 attempts')
    expect(isBefore(reason, evaluator)).toBe(true)
    for (const later of ['The gate is shut', 'Metrics', 'Cases'])
      expect(isBefore(failures, screen.getByRole('heading', { name: later })), later).toBe(true)
    expect(failures.textContent).toContain('For example: judges returned 429 (rate limit); it asks to wait 12 s')
  })

  it('a reason opens its cases; the address keeps the filter, and it can be removed', async () => {
    const user = openEvaluation()
    const failures = await region(/^Failures/)
    await user.click(within(failures).getByRole('button', { name: /^Open 9/ }))
    const error = ERROR_GROUPS[0]?.error ?? ''
    await eventually(() =>
      expect(caseQueries().at(-1)).toEqual({ metric: 'grounded', states: 'failed', error, limit: '50' }),
    )
    expect(new URLSearchParams(address().split('?')[1]).get('error')).toBe(error)
    await user.click(screen.getByRole('button', { name: `Remove the filter ${error}` }))
    await eventually(() => expect(address()).toBe(`${PAGE}?metric=grounded&state=failed`))
  })

  it('r retries them once, and the page shows that it runs again', async () => {
    const user = openEvaluation()
    await screen.findByRole('button', { name: /^Retry 12 failed/ })
    onRequest(`POST ${PATH}/retry`, { id: EVALUATION.id, name: null, status: 'pending' })
    onRequest(`GET ${PATH}`, { ...EVALUATION, status: 'pending', results: null })
    await user.keyboard('r')
    await region('Progress')
    expect(requestsOf(`POST ${PATH}/retry`)).toHaveLength(1)
    expect(screen.queryByRole('button', { name: /^Retry/ })).toBeNull()
  })

  it('a viewer sees why retrying is not possible', async () => {
    const user = openEvaluation('', { role: 'viewer' })
    const button = await screen.findByRole('button', { name: /^Retry 12 failed/ })
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await user.keyboard('r')
    expect(requestsOf(`POST ${PATH}/retry`)).toEqual([])
  })
})

describe('a running evaluation', () => {
  function event(name: string, data: object): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  it('shows its progress, the first error at once, why others wait, and its results when it ends', async () => {
    let stream: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({
      start: (opened) => {
        stream = opened
      },
    })
    onRequest(`GET ${PATH}/events`, () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }))
    const retrying = { ...(ERROR_GROUPS[0] as ScoreGroup), state: 'retrying' as const, count: 3 }
    openEvaluation('', { evaluation: { status: 'running', results: null }, errors: [retrying] })
    const card = await region('Progress')
    await eventually(() => expect(stream).toBeDefined())
    stream?.enqueue(
      event('progress', {
        status: 'running',
        progress: { total: 500, done: 139, failed: 3, skipped: 0 },
        spentUsd: 0.02,
      }),
    )
    await within(card).findByText('142 of 500 · 3 failed')
    expect(within(card).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('142')
    expect(screen.getByText(/\$0\.0200 so far/)).toBeTruthy()
    stream?.enqueue(event('error', { error: 'judges returned 401' }))
    await within(card).findByText(/judges returned 401/)
    await within(card).findByText(/^3 of grounded tried again after 5 attempts: judges returned 429/)
    onRequest(`GET ${PATH}`, EVALUATION)
    stream?.enqueue(event('end', { status: 'completed', error: null, progress: EVALUATION.progress }))
    stream?.close()
    await heading('Metrics')
    expect(screen.queryByRole('region', { name: 'Progress' })).toBeNull()
  })

  it('shows which external scores it waits for, and offers to wait again for missing ones', async () => {
    const config = { evaluators: [{ type: 'external', name: 'tone' }, { type: 'exactMatch' }] }
    const group = { evaluator: 'tone', error: null, score: null, label: null, passed: null, count: 7, example: null }
    const values = [
      { ...group, state: 'queued' as const },
      { ...group, evaluator: 'exactMatch', state: 'queued' as const, count: 2 },
    ]
    openEvaluation('', { evaluation: { status: 'running', results: null, config }, errors: [], values })
    const card = await region('Progress')
    await within(card).findByText('waiting for 7 scores of tone')
    within(card).getByText('2 queued, until those before them are done')
    const progress = { total: 9, done: 2, failed: 0, skipped: 7 }
    const skipped = [{ ...group, state: 'skipped' as const }]
    openEvaluation('', { evaluation: { config, progress }, errors: [], values: skipped })
    await screen.findByRole('button', { name: /^Wait again for 7 scores/ })
  })

  it('can be canceled', async () => {
    const user = openEvaluation('', { evaluation: { status: 'running', results: null } })
    onRequest(`POST ${PATH}/cancel`, () => {
      onRequest(`GET ${PATH}`, { ...EVALUATION, status: 'failed', error: 'cancelled', results: null })
      return { id: EVALUATION.id, name: null, status: 'failed' }
    })
    await user.click(await screen.findByRole('button', { name: 'Cancel' }))
    await screen.findByText('canceled')
    expect(requestsOf(`POST ${PATH}/cancel`)).toHaveLength(1)
  })
})

describe('the cases of an evaluation', () => {
  const grid = () => screen.findByRole('grid', { name: 'Cases' })

  it('have question, answer, expected and the scores; a metric and an outcome filter them', async () => {
    const user = openEvaluation()
    const row = await within(await grid()).findByRole('row', { name: /question 1/ })
    for (const text of ['answer 1', 'expected 1', 'fail']) expect(row.textContent).toContain(text)
    await user.selectOptions(screen.getByRole('combobox', { name: 'Metric' }), 'grounded')
    await user.click(await screen.findByRole('button', { name: 'Did not pass 41' }))
    await eventually(() => expect(caseQueries().at(-1)).toEqual({ metric: 'grounded', passed: 'false', limit: '50' }))
    expect((await within(await grid()).findByRole('row', { name: /question 1/ })).textContent).toContain(
      'The date of 1 is invented.',
    )
  })

  it('open in a panel with whole texts and reasons; j goes to the next, and the trace is one click away', async () => {
    const user = openEvaluation('?metric=grounded')
    await user.click(await within(await grid()).findByRole('row', { name: /question 1/ }))
    const panel = await screen.findByRole('complementary', { name: 'Case' })
    await within(panel).findByText('The date of 1 is invented.')
    for (const text of ['question 1', 'expected 1', 'answer 1', '1 of 3', '$0.0011'])
      expect(panel.textContent).toContain(text)
    expect(within(panel).getByRole('link', { name: 'Open trace' }).getAttribute('href')).toBe(
      inSupport(`traces/${idOf(1)}`),
    )
    await user.keyboard('j')
    await within(panel).findByText('The date of 2 is invented.')
    expect(address()).toBe(`${PAGE}?metric=grounded&score=case-2`)
  })
})
