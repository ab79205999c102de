// @module-tag deep
/** The calls of a trial: all of them as a barcode, item by item, and one with its answer. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { Trace, TraceLinks, TrialCall, TrialDetail, TrialMatrix } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { address, eventually, idOf, openPage } from './open-page.ts'
import { ONE, PROMPT_ID, RUNNING, serveTrials, TRIAL_PAGE, V11, V12 } from './trial-examples.ts'

type Call = TrialMatrix['data'][number]['calls'][number]

const EVALUATION_ID = idOf(441)
/** Two items, two variants and two repetitions. */
const SMALL: TrialDetail = {
  ...RUNNING,
  progress: { total: 8, done: 0, failed: 0, skipped: 0 },
  variants: [
    { ...V12, total: 4, done: 0, failed: 0, evaluationId: EVALUATION_ID },
    { ...V11, total: 4, done: 0 },
  ],
}

const callOf = (callId: number, changes: Partial<Call>): Call => ({
  callId,
  variant: (callId - 1) % 4 < 2 ? 'v12' : 'v11',
  repetition: ((callId - 1) % 2) + 1,
  state: 'queued',
  score: null,
  traceId: null,
  ...changes,
})

const previewOfItem = (number: number): string | null => `Question ${number}`

/** All calls in the same state. */
function serveCalls(changes: Partial<Call>, compact: string, previewOf = previewOfItem): void {
  const matrix = {
    metric: 'grounded',
    scale: [0, 1],
    higherIsBetter: true,
    candidate: 'v12',
    data: [],
    nextCursor: null,
    counts: null,
    compact: null,
  }
  onRequest(`GET ${ONE}/matrix`, ({ query }) => {
    if (query['format'] === 'compact') return { ...matrix, compact }
    const data = [1, 2].map((number) => ({
      itemId: idOf(450 + number),
      number,
      change: null,
      preview: previewOf(number),
      calls: [1, 2, 3, 4].map((place) => callOf(4 * (number - 1) + place, changes)),
    }))
    return { ...matrix, data }
  })
  onRequest(`GET ${ONE}/calls/{callId}`, ({ params }) => {
    const id = Number(params['callId'])
    const { variant, repetition, state, traceId } = callOf(id, changes)
    const durationMs = state === 'done' ? 1_200 : null
    return { ...exampleOf<TrialCall>('TrialCall'), id, variant, repetition, state, traceId, durationMs }
  })
}

const TRACE_ID = '0123456789abcdef0123456789abcdef'
const DONE_CALL = { state: 'done', traceId: TRACE_ID } as const

function serveAnswer(scores: TraceLinks['scores'] = []): void {
  onRequest('GET /traces/{traceId}', { ...exampleOf<Trace>('Trace'), traceId: TRACE_ID, output: 'It is on its way.' })
  onRequest('GET /traces/{traceId}/links', { ...exampleOf<TraceLinks>('TraceLinks'), runs: [], items: [], scores })
}

const items = () => screen.findByRole('region', { name: 'Items and calls' })
const oneCall = () => screen.findByRole('region', { name: 'One call' })
const callButtons = async (name: RegExp) => within(await items()).queryAllByRole('button', { name })
const openCall = (callId = 1) => {
  serveTrials({ trial: SMALL })
  return openPage(`${TRIAL_PAGE}?call=${callId}`)
}

describe('the calls of a running trial', () => {
  it('have their answers without a reload, also the one that is open', async () => {
    serveCalls({ state: 'running' }, 'rrrrrrrr')
    serveAnswer()
    openCall()
    await within(await oneCall()).findAllByText('This call is running.')
    serveCalls(DONE_CALL, 'dddddddd')
    await sendLiveEvent(['trials'])
    await within(await oneCall()).findAllByText('It is on its way.')
    await within(await oneCall()).findByText('1.20 s')
    expect(await callButtons(/answered, no score/)).toHaveLength(8)
  })

  it('have their scores without a reload while they are evaluated, also the one that is open', async () => {
    serveCalls(DONE_CALL, 'dddddddd')
    serveAnswer()
    openCall()
    await within(await oneCall()).findAllByText('It is on its way.')
    serveCalls({ ...DONE_CALL, score: 1 }, '99999999')
    const score = { ...exampleOf<TraceLinks['scores'][number]>('TraceScoreLink'), evaluationId: EVALUATION_ID }
    serveAnswer([{ ...score, evaluator: 'grounded', repetition: 1, score: 1, passed: true }])
    await sendLiveEvent(['evaluations'])
    const scores = await within(await oneCall()).findByRole('list', { name: 'Scores of v12' })
    expect(scores.textContent).toContain('grounded')
    await eventually(async () => expect(await callButtons(/: best$/)).toHaveLength(8))
  })
})

describe('one call of a trial', () => {
  it('leads to its rating, and to the playground with its version, model and item', async () => {
    serveCalls(DONE_CALL, 'dddddddd')
    serveAnswer()
    const target = { ...V12.target, provider: 'openai-eu' }
    serveTrials({
      trial: { ...SMALL, variants: SMALL.variants.map((one) => (one.name === 'v12' ? { ...one, target } : one)) },
    })
    openPage(`${TRIAL_PAGE}?call=1`)
    const shown = within(await oneCall())
    const component = TRIAL_PAGE.replace(/trials.*/, '')
    const { id } = exampleOf<Trace>('Trace')
    expect((await shown.findByRole('link', { name: 'Rate it' })).getAttribute('href')).toBe(
      `${component}runs/${V12.runId}/annotate?item=${id}`,
    )
    const link = shown.getByRole('link', { name: 'Try in the playground' }).getAttribute('href') ?? ''
    const { pathname, searchParams } = new URL(link, 'http://x')
    expect(pathname).toBe(`${component}prompts/${PROMPT_ID}/playground`)
    expect(Object.fromEntries(searchParams)).toEqual({
      versions: '12',
      rows: 'items',
      dataset: SMALL.datasetId,
      item: idOf(451),
      provider: 'openai-eu',
      model: 'gpt-5-mini',
    })
  })
})

describe('the items of a trial', () => {
  it('are known by the text of their input, also if it is the only field of an object, and a deleted one says so', async () => {
    const previews = [String.raw`{"question":"Is “it” \"late\"?"}`, '{"question":"Where is the order that I …']
    serveCalls(DONE_CALL, 'dddddddd', (number) => previews[number - 1] ?? null)
    serveTrials({ trial: SMALL })
    openPage(TRIAL_PAGE)
    await within(await items()).findByText('Is “it” "late"?')
    within(await items()).getByText('Where is the order that I …')
    serveCalls(DONE_CALL, 'dddddddd', (number) => (number === 1 ? null : '{"question":"Why?","order":7}'))
    await sendLiveEvent(['trials'])
    await within(await items()).findByText('an item that was deleted')
    within(await items()).getByText('{"question":"Why?","order":7}')
  })

  it('that are being loaded arrive, and those that are there stay, while calls end', async () => {
    const matrix = { metric: 'grounded', scale: [0, 1], higherIsBetter: true, candidate: 'v12', counts: null }
    const pageOf = (numbers: number[], changes: Partial<Call>, nextCursor: string | null) => ({
      ...{ ...matrix, compact: null, nextCursor },
      data: numbers.map((number) => ({
        itemId: idOf(450 + number),
        number,
        change: null,
        preview: `Question ${number}`,
        calls: [1, 2, 3, 4].map((place) => callOf(4 * (number - 1) + place, changes)),
      })),
    })
    const serve = (changes: Partial<Call>, second: () => object | Promise<object>) =>
      onRequest(`GET ${ONE}/matrix`, ({ query }) => {
        if (query['format'] === 'compact') return { ...matrix, data: [], nextCursor: null, compact: 'dddddddd' }
        return query['cursor'] === 'second' ? second() : pageOf([1, 2], changes, 'second')
      })
    const answer = Promise.withResolvers<object>()
    serveTrials({ trial: SMALL })
    serve({ state: 'running' }, () => answer.promise)
    const user = openPage(TRIAL_PAGE)
    await user.click(await screen.findByRole('button', { name: 'Load more' }))
    await eventually(() =>
      expect(requestsOf(`GET ${ONE}/matrix`).some(({ query }) => query['cursor'] === 'second')).toBe(true),
    )
    await sendLiveEvent(['trials'])
    answer.resolve(pageOf([3, 4], { state: 'running' }, null))
    await within(await items()).findByText('Question 4')
    serve({ state: 'done' }, () => pageOf([3, 4], { state: 'done' }, null))
    await sendLiveEvent(['evaluations'])
    await eventually(async () => expect(await callButtons(/answered, no score/)).toHaveLength(16))
  })

  it('that cannot be read leave the rest of the page', async () => {
    onRequest(`GET ${ONE}/matrix`, failed(503, 'Busy'))
    serveTrials({ trial: SMALL })
    openPage(TRIAL_PAGE)
    await screen.findByRole('heading', { name: '0 of 8 calls have ended. Nothing is decided yet.' })
    await screen.findByRole('region', { name: 'Variants' })
    await eventually(() => expect(screen.getAllByText(/Busy/).length).toBeGreaterThan(0))
  })
})

describe('the keys of a trial', () => {
  it('move by item with j and k, by variant with h and l, and choose a repetition with a number', async () => {
    serveCalls(DONE_CALL, 'dddddddd')
    serveAnswer()
    const user = openCall(3)
    await within(await oneCall()).findAllByText('It is on its way.')
    const expectCall = (callId: number) => eventually(() => expect(address()).toBe(`${TRIAL_PAGE}?call=${callId}`))
    // The baseline is the first column: 3 and 4 are its repetitions, 1 and 2 those of the candidate.
    await user.keyboard('2')
    await expectCall(4)
    await user.keyboard('l')
    await expectCall(2)
    await user.keyboard('j')
    await expectCall(6)
    await user.keyboard('1')
    await expectCall(5)
    await user.keyboard('h')
    await expectCall(7)
    await user.keyboard('k')
    await expectCall(3)
    // There is no third repetition.
    await user.keyboard('3')
    await expectCall(3)
    await user.keyboard('{Enter}')
    await eventually(() => expect(address()).toContain(`/traces/${TRACE_ID}`))
  })
})
