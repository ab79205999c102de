import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import type { TraceScore } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually } from './open-page.ts'
import { grid, layOutTable, openTraces, PAGE, rowOf } from './open-traces.ts'

layOutTable()

const headers = async () =>
  within(await grid())
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent)

const preferenceChanges = () => requestsOf('PATCH /me/preferences').map(({ body }) => body)

/** A trace without the values of the columns that are shown by default. */
const BARE = {
  name: null,
  componentName: null,
  models: [],
  totalTokens: null,
  totalCostUsd: null,
  ratings: [],
  scores: [],
}

describe('columns of the list of traces', () => {
  it('has those with values that fit by default, and components and models before the others', async () => {
    const score = { ...exampleOf<TraceScore>('TraceScore'), evaluator: 'correct', score: 1 }
    const full = { componentName: 'Support', models: ['gpt-5'], totalTokens: 3, totalCostUsd: 1, scores: [score] }
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1_600)
    openTraces([rowOf(2, BARE), rowOf(1, { ...BARE, ...full, name: 'turn' })])
    const shown = ['', 'Time', 'Input → output', 'Name', 'Component', 'Model', 'Duration', 'Tokens', 'Cost', 'Scores']
    await eventually(async () => expect(await headers()).toEqual(shown))
  })

  it('has few of them in a narrow list', async () => {
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(840)
    openTraces([rowOf(1, { componentName: 'Support', models: ['gpt-5'], totalTokens: 3, totalCostUsd: 1 })])
    const shown = ['', 'Time', 'Input → output', 'Component', 'Model', 'Duration']
    await eventually(async () => expect(await headers()).toEqual(shown))
  })

  it('a choice is in the address and remembered for the person', async () => {
    const user = openTraces([rowOf(1, { ...BARE, sessionId: 's-1' })])
    await user.click(await screen.findByRole('button', { name: 'Columns' }))
    await user.click(screen.getByRole('checkbox', { name: 'Session' }))
    await within(await grid()).findByText('s-1')
    const ids = ['content', 'duration', 'session']
    expect(new URLSearchParams(address().split('?')[1]).get('cols')).toBe(ids.join(','))
    expect(preferenceChanges()).toEqual([{ traceColumns: ids }])
  })

  it('the last choice is shown, unless the address has another', async () => {
    onRequest('GET /me/preferences', { traceColumns: ['user', 'gone'] })
    openTraces()
    await eventually(async () => expect(await headers()).toEqual(['', 'Time', 'User']))
  })

  it('the address has precedence over the last choice, so that a link shows others the same', async () => {
    onRequest('GET /me/preferences', { traceColumns: ['user'] })
    openTraces(undefined, `${PAGE}?cols=model,tags`)
    await eventually(async () => expect(await headers()).toEqual(['', 'Time', 'Model', 'Tags']))
  })

  it('rows are shown with the default columns while the last choice cannot be read', async () => {
    onRequest('GET /me/preferences', failed(503, 'Try again later'))
    openTraces()
    await within(await grid()).findByRole('row', { name: /question 1/ })
    expect(requestsOf('GET /me/preferences')).toHaveLength(1)
  })

  it('the row height is remembered for the person', async () => {
    const user = openTraces()
    await user.click(await screen.findByRole('button', { name: 'Columns' }))
    await user.click(screen.getByRole('radio', { name: 'One line' }))
    await eventually(() => expect(preferenceChanges()).toEqual([{ rowDensity: 'compact' }]))
    const row = await within(await grid()).findByRole('row', { name: /question 1/ })
    expect(within(row).getAllByRole('cell')[1]?.style.height).toBe('32px')
  })

  it('a choice that cannot be remembered still applies, and the reason is shown', async () => {
    onRequest('PATCH /me/preferences', failed(503, 'Try again later'))
    const user = openTraces()
    await user.click(await screen.findByRole('button', { name: 'Columns' }))
    await user.click(screen.getByRole('checkbox', { name: 'Service' }))
    await screen.findByText('Your choice was not saved in your account. Try again later')
    expect(await headers()).toContain('Service')
  })

  it('each evaluator can have a column of its own', async () => {
    onRequest('GET /traces/facets', {
      data: [{ value: 'correct, brief', count: null, isExact: true }],
      isComplete: false,
    })
    const score = { ...exampleOf<TraceScore>('TraceScore'), evaluator: 'correct, brief', score: 0.25, passed: false }
    const user = openTraces([rowOf(1, { scores: [score] })])
    await user.click(await screen.findByRole('button', { name: 'Columns' }))
    await user.click(await screen.findByRole('checkbox', { name: 'correct, brief' }))
    await eventually(async () => expect(await headers()).toContain('correct, brief'))
    const row = await within(await grid()).findByRole('row', { name: /question 1/ })
    expect(within(row).getAllByRole('cell').at(-1)?.textContent).toBe('0.25fail')
  })
})
