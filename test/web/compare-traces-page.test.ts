import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Span, Trace, TraceLinks, TraceOutline } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { BASELINE, CANDIDATE, COMPARISON, COUNTS, rowOf as comparedRow } from './compare-examples.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { grid, layOutTable, listOf, openTraces, rowOf } from './open-traces.ts'

const PAGE = inSupport('traces/compare')
const [OLD, NEW] = [idOf(5), idOf(6)]
const PAIR = `${PAGE}?left=${OLD}&right=${NEW}`

type Label = TraceOutline['labels'][number]

const TURN: Label = { kind: 'agent', name: 'turn' }
const SEARCH: Label = { kind: 'tool', name: 'search' }
const RERANK: Label = { kind: 'reranker', name: 'rerank' }
const PAY: Label = { kind: 'tool', name: 'pay' }

/** The first span is the parent of the others. */
function outlineOf(labels: Label[], changes: Partial<TraceOutline> = {}): TraceOutline {
  const unknown = labels.map(() => null)
  return {
    startTime: '2026-11-15T09:30:00.000Z',
    total: labels.length,
    labels,
    spanIds: labels.map((_, index) => `s${index}`),
    parents: labels.map((_, index) => (index === 0 ? null : 0)),
    labelOf: labels.map((_, index) => index),
    startGapsMs: labels.map(() => 10),
    durationsMs: labels.map(() => 200),
    errors: [],
    totalTokens: unknown,
    costsUsd: unknown,
    ...changes,
  }
}

const OLD_OUTLINE = outlineOf([TURN, SEARCH, PAY, { kind: 'llm', name: 'chat gpt-4o' }], { errors: [2] })
const NEW_OUTLINE = outlineOf([TURN, RERANK, PAY, { kind: 'llm', name: 'chat gpt-5' }], {
  durationsMs: [100, 9, 50, 400],
})

const OLD_TRACE: Trace = {
  ...exampleOf<Trace>('Trace'),
  id: OLD,
  name: 'turn',
  status: 'error',
  input: 'Can I send it back?',
  output: 'You can send it back for free.',
  durationMs: 8420,
  totalTokens: 1000,
  totalCostUsd: 0.02,
}
const NEW_TRACE: Trace = {
  ...OLD_TRACE,
  id: NEW,
  status: 'ok',
  output: 'You can send it back for $5.',
  durationMs: 4210,
  totalTokens: 1250,
  totalCostUsd: null,
}

const say = (role: string, text: string) => ({ role, parts: [{ type: 'text', text }] })

function spanOf(traceId: string, spanId: string): Span {
  const outline = traceId === OLD ? OLD_OUTLINE : NEW_OUTLINE
  const position = outline.spanIds.indexOf(spanId)
  const label = outline.labels[position] ?? TURN
  const isError = outline.errors.includes(position)
  const of = traceId === OLD ? 'old' : 'new'
  return {
    ...exampleOf<Span>('Span'),
    ...label,
    spanId,
    status: isError ? 'error' : 'ok',
    statusMessage: isError ? '409 shipment is required' : null,
    input: `${of} input of ${label.name}`,
    output: `${of} output of ${label.name}`,
    model: label.kind === 'llm' ? label.name.replace('chat ', '') : null,
    durationMs: outline.durationsMs[position] ?? null,
    totalTokens: null,
    costUsd: null,
    messages:
      label.kind === 'llm'
        ? [say('system', 'Be brief.'), say('user', 'Can I?'), say('assistant', `The ${of} answer.`)]
        : label === PAY
          ? [say('user', 'Input'), say('assistant', 'Output')]
          : null,
  }
}

function openPair({
  path = PAIR,
  old = OLD_OUTLINE,
  now = NEW_OUTLINE,
  traces = {} as Record<string, Partial<Trace>>,
} = {}) {
  signIn('viewer')
  onRequest('GET /traces/{traceId}', ({ params: { traceId = '' } }) => ({
    ...(traceId === OLD ? OLD_TRACE : NEW_TRACE),
    ...traces[traceId],
  }))
  onRequest('GET /traces/{traceId}/outline', ({ params }) => (params['traceId'] === OLD ? old : now))
  onRequest('GET /traces/{traceId}/spans/{spanId}', ({ params }) =>
    spanOf(params['traceId'] ?? '', params['spanId'] ?? ''),
  )
  onRequest('GET /traces', listOf([rowOf(5, { models: ['gpt-4o'] }), rowOf(6, { models: ['gpt-5'] })]))
  onRequest('GET /traces/{traceId}/links', { ...exampleOf<TraceLinks>('TraceLinks'), runs: [], items: [], scores: [] })
  return openPage(path)
}

layOutTable()

const steps = async () =>
  within(await screen.findByRole('listbox', { name: 'Steps' }))
    .getAllByRole('option')
    .map(({ textContent }) => textContent)
const detail = () => screen.findByRole('article', { name: 'Step' })
const selected = () => screen.getByRole('option', { selected: true }).textContent
const query = () => Object.fromEntries(new URLSearchParams(window.location.search))
/** What the address has in addition to the two traces, which stay. */
const shown = () => {
  const { left, right, ...rest } = query()
  expect([left, right]).toEqual([OLD, NEW])
  return rest
}
const shownIds = () =>
  requestsOf('GET /traces/{traceId}/spans/{spanId}').map(({ params }) => `${params['traceId']} ${params['spanId']}`)

describe('two traces side by side', () => {
  it('have the question once, the amounts in words and factors, and the words of the answers that differ', async () => {
    openPair()
    await heading('Can I send it back?')
    expect(screen.getByText('Compared with A, B has 0.50 × the time and 1.25 × the tokens.')).toBeTruthy()
    const figures = screen.getByRole('region', { name: 'In numbers' })
    await eventually(() => expect(figures.textContent).toContain('ModelAgpt-4oBgpt-5another one'))
    expect(figures.textContent).toContain('TimeA8.42 sB4.21 s0.50 ×4.21 s shorter')
    expect(figures.textContent).toContain('TokensA1,000B1,2501.25 ×250 more')
    expect(figures.textContent).toContain('SpansA4B4same')
    expect(figures.textContent).toContain('StatusAfailedBokonly A failed')
    const answers = screen.getByRole('region', { name: 'Question and answer' })
    const marks = [...answers.querySelectorAll('mark')].map(({ textContent }) => textContent)
    expect(marks).toEqual(['[only here: free]', '[only here: $5]'])
  })

  it('say that a cost is unknown, never $0', async () => {
    openPair()
    const figures = await screen.findByRole('region', { name: 'In numbers' })
    expect(figures.textContent).toContain('CostA$0.0200Bunknownunknown in B')
    expect(figures.textContent).not.toContain('$0B')
  })

  it('show both questions if they differ', async () => {
    openPair({ traces: { [NEW]: { input: 'Can I keep it?' } } })
    await heading('Two traces with different questions')
    await heading('Question')
    const texts = screen.getByRole('region', { name: 'Question and answer' })
    expect(texts.textContent).toContain('keep] it?')
  })

  it('list every span of both once, with the time of B as a factor and what only one of them has', async () => {
    openPair()
    expect(await steps()).toEqual([
      'AAgentturnA 200 ms, B 100 ms: 0.50 ×',
      'TToolsearchonly in A',
      'KRerankerrerankonly in B',
      'TToolpayAA 200 ms, B 50 ms: 0.25 ×',
      'LModel callchat gpt-4o → gpt-5A 200 ms, B 400 ms: 2.00 ×',
    ])
    expect(screen.getByText('3 + 1 + 1 = 5, none left out')).toBeTruthy()
  })

  it('open where one of them failed, with the reason, and read the two spans of this step only', async () => {
    openPair()
    const step = await detail()
    await within(step).findByText('409 shipment is required')
    expect(step.textContent).toContain('StatusAfailedBokonly A failed')
    expect(step.textContent).toContain('[only here: new] input of pay')
    expect(new Set(shownIds())).toEqual(new Set([`${OLD} s2`, `${NEW} s2`]))
    expect(within(step).getByRole('link', { name: 'Open in trace A' }).getAttribute('href')).toBe(
      inSupport(`traces/${OLD}?span=s2`),
    )
  })

  it('fold messages that are the same, and mark the words of those that differ', async () => {
    const user = openPair({ path: `${PAIR}&leftSpan=s3&rightSpan=s3` })
    const step = await detail()
    await user.click(await within(step).findByText('2 messages the same in both: system, user'))
    await within(step).findByText('Be brief.')
    expect([...step.querySelectorAll('mark')].map(({ textContent }) => textContent)).toEqual([
      '[only here: old]',
      '[only here: new]',
    ])
    expect(step.textContent).toContain('ModelAgpt-4oBgpt-5another one')
  })

  it('show a step that only one has by itself, and say so', async () => {
    openPair({ path: `${PAIR}&rightSpan=s1` })
    const step = await detail()
    await within(step).findByText('new input of rerank')
    expect(step.textContent).toContain('Only in B: trace A has no such step.')
    expect(shownIds()).toEqual([`${NEW} s1`])
  })

  it('j, k and e move through the steps, and the address follows', async () => {
    const user = openPair()
    await detail()
    await user.keyboard('k')
    await eventually(() => expect(shown()).toEqual({ rightSpan: 's1' }))
    await user.keyboard('kk')
    await eventually(() => expect(selected()).toContain('turn'))
    expect(shown()).toEqual({ leftSpan: 's0', rightSpan: 's0' })
    await user.keyboard('jjjj')
    await eventually(() => expect(selected()).toContain('chat gpt-4o'))
    await user.keyboard('e')
    await eventually(() => expect(selected()).toContain('pay'))
    screen.getByRole('listbox', { name: 'Steps' }).focus()
    await user.keyboard('{End}')
    await eventually(() => expect(shown()).toEqual({ leftSpan: 's3', rightSpan: 's3' }))
  })

  it('can be filtered to the steps of one of them, which is in the address', async () => {
    const user = openPair()
    await detail()
    await user.click(screen.getByRole('button', { name: 'only in A 1' }))
    await eventually(async () => expect(await steps()).toEqual(['TToolsearchonly in A']))
    expect(shown()).toEqual({ show: 'left' })
    await user.click(screen.getByRole('button', { name: 'all 5' }))
    await eventually(async () => expect(await steps()).toHaveLength(5))
  })

  it('change sides with the selected step and the filter', async () => {
    const user = openPair({ path: `${PAIR}&rightSpan=s1&show=right` })
    await detail()
    await user.click(screen.getByRole('button', { name: 'Swap' }))
    await eventually(() => expect(query()).toEqual({ left: NEW, right: OLD, leftSpan: 's1', show: 'left' }))
    await eventually(() => expect(selected()).toContain('rerankonly in A'))
    await user.keyboard('x')
    await eventually(() => expect(shown()).toEqual({ rightSpan: 's1', show: 'right' }))
  })

  it('of 10,000 spans are a small document', async () => {
    const large = outlineOf(Array.from({ length: 10_000 }, (_, index) => ({ kind: 'tool', name: `step ${index}` })))
    openPair({ old: large, now: large })
    await detail()
    expect(screen.getByRole('button', { name: 'in both 10,000' })).toBeTruthy()
    expect(document.querySelectorAll('*').length).toBeLessThan(1_500)
    expect(requestsOf('GET /traces/{traceId}').map(({ query }) => query)).toContainEqual({ spans: 'none' })
  })

  it('say that only a part of a very large trace is compared', async () => {
    openPair({ old: { ...OLD_OUTLINE, total: 60_000 } })
    await screen.findByText('Compared are the first 4 of 60,000 spans of A.')
  })
})

describe('an address without two traces', () => {
  it('a trace that is missing, deleted or of another application is not found', async () => {
    openPair()
    onRequest('GET /traces/{traceId}', ({ params }) =>
      params['traceId'] === OLD ? OLD_TRACE : failed(404, 'Trace not found'),
    )
    await heading('Nothing is here')
  })

  it('the same trace twice is no comparison, also by its other id', async () => {
    openPair({ traces: { [NEW]: { id: OLD } } })
    await heading('Both are the same trace')
    expect(screen.getByRole('link', { name: 'Go to the traces' }).getAttribute('href')).toBe(inSupport('traces'))
  })

  it('without a trace it says how to choose two', async () => {
    openPair({ path: `${PAGE}?left=${OLD}` })
    await heading('Choose two traces')
  })
})

describe('the list of traces', () => {
  it('compares the two selected traces, the older one first', async () => {
    const rows = [rowOf(6, { startTime: '2026-11-15T10:00:00.000Z' }), rowOf(5), rowOf(4)]
    const user = openTraces(rows)
    const select = async (number: number) => {
      const row = await within(await grid()).findByRole('row', { name: new RegExp(`question ${number}`) })
      await user.click(within(row).getByRole('checkbox'))
    }
    await select(6)
    const button = await screen.findByRole('button', { name: 'Compare' })
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await select(5)
    await eventually(() => expect(button.getAttribute('aria-disabled')).toBeNull())
    await select(4)
    await eventually(() => expect(button.getAttribute('aria-disabled')).toBe('true'))
    await select(4)
    await user.keyboard('c')
    await eventually(() => expect(address()).toBe(PAIR))
  })
})

describe('an item of a comparison of runs', () => {
  it('leads to its two traces side by side', async () => {
    signIn()
    const comparisons = '/components/{componentId}/comparisons'
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest('GET /components/{componentId}/run-summaries', { data: [CANDIDATE, BASELINE], nextCursor: null })
    onRequest(`GET ${comparisons}`, { ...COMPARISON, counts: COUNTS, data: [comparedRow(1)] })
    openPage(inSupport(`c/${ASSISTANT.id}/compare?base=${BASELINE.id}&cand=${CANDIDATE.id}`))
    const link = await screen.findByRole('link', { name: 'Compare traces' })
    expect(link.getAttribute('href')).toBe(`${PAGE}?left=${idOf(30_001)}&right=${idOf(50_001)}`)
  })
})
