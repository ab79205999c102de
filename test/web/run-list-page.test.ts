import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectMeansWithCount } from './means-with-count.ts'
import { onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable } from './open-traces.ts'
import { evaluated, summaryOf } from './run-examples.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}/runs`)
const SUMMARIES = 'GET /components/{componentId}/run-summaries'

layOutTable()

beforeEach(() => {
  signIn('viewer')
  onRequest('GET /components/{componentId}', ASSISTANT)
})

const rowOf = (name: string) => screen.findByRole('row', { name: new RegExp(name) })
const select = async (user: ReturnType<typeof openPage>, name: string) =>
  user.click(within(await rowOf(name)).getByRole('checkbox'))

describe('the list of runs', () => {
  it('has of each run the data of the API: score with interval and n, ratings, known and unknown costs, version', async () => {
    const unnamed = summaryOf(2, { name: null, results: null, rated: 0, traces: null, metadata: {} })
    onRequest(SUMMARIES, { data: [summaryOf(3), unnamed], nextCursor: null })
    openPage(PAGE)
    const row = await rowOf('Prompt v3')
    for (const text of ['Hard returns', '120', 'correct', '0.81', '0.74 to 0.87', 'n 120', '37 of 120', '$1.25'])
      expect(row.textContent).toContain(text)
    expect(row.textContent).toContain('gpt-5-mini, c09d1f4')
    const other = await rowOf('Hard returns, 120 cases')
    expect(other.textContent).toContain('not evaluated')
    expect(other.textContent).toContain('not summed')
    expectMeansWithCount(document.body)
  })

  it('compares two runs, the older one as the baseline; by button or by key', async () => {
    onRequest(SUMMARIES, { data: [summaryOf(3), summaryOf(2), summaryOf(1)], nextCursor: null })
    const user = openPage(PAGE)
    await select(user, 'Prompt v3')
    const button = await screen.findByRole('button', { name: /^Compare/ })
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await select(user, 'Prompt v1')
    expect(button.getAttribute('aria-disabled')).not.toBe('true')
    await user.keyboard('c')
    const compare = inSupport(`c/${ASSISTANT.id}/compare`)
    await eventually(() => expect(address()).toBe(`${compare}?base=${idOf(1)}&cand=${idOf(3)}`))
  })

  it('compares several runs with the oldest one', async () => {
    onRequest(SUMMARIES, { data: [summaryOf(3), summaryOf(2), summaryOf(1)], nextCursor: null })
    const user = openPage(PAGE)
    for (const name of ['Prompt v3', 'Prompt v2', 'Prompt v1']) await select(user, name)
    await user.click(await screen.findByRole('button', { name: /^Compare/ }))
    await eventually(() =>
      expect(new URLSearchParams(address().split('?')[1]).getAll('cand')).toEqual([idOf(2), idOf(3)]),
    )
  })

  it('does not compare runs of different datasets, and says why', async () => {
    onRequest(SUMMARIES, { data: [summaryOf(2), summaryOf(1, { datasetId: idOf(99) })], nextCursor: null })
    const user = openPage(PAGE)
    await select(user, 'Prompt v2')
    await select(user, 'Prompt v1')
    await user.hover(await screen.findByRole('button', { name: /^Compare/ }))
    expect((await screen.findAllByText(/different datasets/)).length).toBeGreaterThan(0)
  })

  it('shows how far an evaluation is, and reads the next page by its cursor', async () => {
    const running = { ...evaluated(71, []), status: 'running' as const, scores: { total: 500, done: 140, failed: 2 } }
    onRequest(SUMMARIES, ({ query }) =>
      query['cursor']
        ? { data: [summaryOf(1)], nextCursor: null }
        : { data: [summaryOf(2, { results: null, newestEvaluation: stateOf(running) })], nextCursor: 'next' },
    )
    openPage(PAGE)
    expect((await rowOf('Prompt v2')).textContent).toContain('evaluating, 142 of 500')
    await rowOf('Prompt v1')
    expect(requestsOf(SUMMARIES).map(({ query }) => query['cursor'])).toEqual([undefined, 'next'])
  })

  it('without runs it says how one is created', async () => {
    onRequest(SUMMARIES, { data: [], nextCursor: null })
    openPage(PAGE)
    await screen.findByRole('heading', { name: 'No run yet' })
    expect(screen.getByText(/touchstone\.run/)).toBeTruthy()
    expect(screen.getByText(new RegExp(`/components/${ASSISTANT.id}/runs"`))).toBeTruthy()
  })
})

function stateOf({ metrics: _metrics, headline: _headline, ...state }: ReturnType<typeof evaluated>) {
  return state
}
