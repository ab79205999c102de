import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
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

describe('columns of the list of traces', () => {
  it('a choice is in the address and remembered for the person', async () => {
    const user = openTraces([rowOf(1, { sessionId: 's-1' })])
    await user.click(await screen.findByRole('button', { name: 'Columns' }))
    await user.click(screen.getByRole('checkbox', { name: 'Session' }))
    await within(await grid()).findByText('s-1')
    const ids = ['content', 'duration', 'tokens', 'cost', 'rating', 'scores', 'session']
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
    await user.click(screen.getByRole('checkbox', { name: 'Model' }))
    await screen.findByText('Your choice was not saved in your account. Try again later')
    expect(await headers()).toContain('Model')
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
