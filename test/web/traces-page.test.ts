import { fireEvent, screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { grid, layOutTable, listOf, openTraces, PAGE, rowOf, SERIES } from './open-traces.ts'

layOutTable()

/** Requests of the table, not those that look for new traces. */
const tableRequests = () => requestsOf('GET /traces').filter(({ query }) => query['include'] !== '')

describe('the time range of traces', () => {
  const timesOf = ({ query }: { query: Record<string, string | undefined> }) => [
    query['start_after'] ?? query['from'],
    query['start_before'] ?? query['to'],
  ]
  const lastTimes = () =>
    [tableRequests(), requestsOf('GET /traces/series')].map((sent) => timesOf(sent.at(-1) ?? { query: {} }))

  it('is the same for list and chart, and part of the address', async () => {
    const user = openTraces()
    await eventually(() =>
      expect(lastTimes()).toEqual([
        [undefined, undefined],
        ['first', undefined],
      ]),
    )
    await user.click(await screen.findByRole('button', { name: 'Time range: All time' }))
    await user.click(screen.getByRole('button', { name: 'Last 24 hours' }))
    expect(address()).toBe(`${PAGE}?range=24h`)
    await screen.findByRole('button', { name: 'Time range: Last 24 hours' })
    await eventually(() => expect(lastTimes()[0]?.[0]).toBeDefined())
    const [ofList, ofChart] = lastTimes()
    expect(ofList).toEqual(ofChart)
    const agoMs = Date.now() - Date.parse(ofList?.[0] ?? '')
    expect(Math.round(agoMs / 3_600_000)).toBe(24)
    await screen.findByText('3 match')
  })

  it('can have a start and an end, in this order', async () => {
    const user = openTraces()
    await user.click(await screen.findByRole('button', { name: 'Time range: All time' }))
    fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-11-15T10:00' } })
    fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-11-15T09:00' } })
    await user.click(screen.getByRole('button', { name: 'Show' }))
    await screen.findByText('The start must be before the end.')
    fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-11-15T11:00' } })
    await user.click(screen.getByRole('button', { name: 'Show' }))
    const times = ['2026-11-15T10:00', '2026-11-15T11:00'].map((time) => new Date(time).toISOString())
    await eventually(() => expect(lastTimes()).toEqual([times, times]))
    await screen.findByRole('button', { name: 'Time range: 10:00 to 11:00' })
    expect(screen.getByRole('button', { name: 'Live' }).getAttribute('aria-disabled')).toBe('true')
  })

  it('new traces are shown by themselves if the list is live', async () => {
    openTraces([rowOf(1)], `${PAGE}?live=true`)
    await within(await grid()).findByRole('row', { name: /question 1/ })
    onRequest('GET /traces', listOf([rowOf(2), rowOf(1)]))
    await sendLiveEvent(['traces'])
    await screen.findByText('question 2')
    expect(screen.queryByRole('button', { name: '1 new' })).toBeNull()
  })
})

describe('traces page', () => {
  it('shows input and output of each trace, how many there are, and an unknown cost as unknown', async () => {
    openTraces([rowOf(1, { totalTokens: 5, totalCostUsd: null })])
    const row = await within(await grid()).findByRole('row', { name: /question 1/ })
    expect(row.textContent).toContain('answer 1')
    expect(row.textContent).toContain('unknown')
    expect(row.textContent).not.toContain('$0')
    await screen.findByText('1 in all')
    await screen.findByText('15 Nov, 00:00 to 16 Nov, 00:00: 3 traces, 1 error')
    expect(tableRequests()[0]?.query).toEqual({ sort: '-time', limit: '50', include: 'previews,ratings,scores' })
  })

  it('a query is part of the address, and its error is shown with the caret at the position', async () => {
    const user = openTraces()
    const field = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Query' })
    onRequest('GET /traces', failed(400, 'The query is invalid at character 8: a value is missing.'))
    onRequest('GET /traces/series', failed(400, 'The query is invalid at character 8: a value is missing.'))
    await user.type(field, 'status: tag:x{Enter}')
    await screen.findByText('The query is invalid at character 8: a value is missing.')
    expect(new URLSearchParams(address().split('?')[1]).get('q')).toBe('status: tag:x')
    expect(field.selectionStart).toBe(7)
    expect(screen.getAllByRole('alert').filter(({ textContent }) => textContent)).toHaveLength(1)
  })

  it('a header sorts by the server, and the address keeps it', async () => {
    const user = openTraces()
    await user.click(within(await grid()).getByRole('button', { name: 'Duration' }))
    await eventually(() => expect(tableRequests().at(-1)?.query['sort']).toMatch(/duration$/))
    expect(address()).toMatch(/sort=-?duration/)
  })

  it('says since when traces were searched, if not all of them were', async () => {
    openTraces()
    onRequest('GET /traces', listOf([rowOf(1)], { searchedSince: '2026-11-15T00:00:00.000Z' }))
    openPage(`${PAGE}?q=ab`)
    await screen.findByText(/^Only traces since 15 Nov, 00:00 were searched/)
  })

  it('loads the next page by its cursor', async () => {
    signIn('viewer')
    onRequest('GET /traces/series', SERIES)
    onRequest('GET /traces', ({ query }) =>
      query['cursor'] ? listOf([rowOf(1)], { total: 2 }) : listOf([rowOf(2)], { nextCursor: 'next', total: 2 }),
    )
    openPage(PAGE)
    await within(await grid()).findByRole('row', { name: /question 1/ })
    expect(tableRequests().map(({ query }) => query['cursor'])).toContain('next')
  })

  it('j and k move through the traces next to the list, and Escape closes it', async () => {
    const user = openTraces()
    onRequest('GET /traces/{traceId}', ({ params }) => ({
      ...exampleOf('Trace'),
      id: params['traceId'],
      input: `asked ${Number(params['traceId']?.slice(-2))}`,
    }))
    onRequest('GET /traces/{traceId}/outline', exampleOf<object>('TraceOutline'))
    await user.click(await within(await grid()).findByText('question 3'))
    await heading('asked 3')
    expect(address()).toBe(`${PAGE}?trace=${idOf(3)}`)
    await user.keyboard('j')
    await heading('asked 2')
    await user.keyboard('k')
    await heading('asked 3')
    await user.keyboard('{Escape}')
    await eventually(() => expect(address()).toBe(PAGE))
  })

  it('traces that arrive are counted, and no row moves until the user shows them', async () => {
    const user = openTraces([rowOf(1)])
    await within(await grid()).findByRole('row', { name: /question 1/ })
    onRequest('GET /traces', listOf([rowOf(3), rowOf(2), rowOf(1)]))
    await sendLiveEvent(['traces'])
    const button = await screen.findByRole('button', { name: '2 new' })
    expect(screen.queryByText('question 3')).toBeNull()
    await user.click(button)
    await screen.findByText('question 3')
    await eventually(() => expect(screen.queryByRole('button', { name: '2 new' })).toBeNull())
  })

  it('traces that had arrived before the list was loaded are not new, also if the list does not show them', async () => {
    openTraces([rowOf(1)])
    onRequest('GET /traces', ({ query }) => listOf(query['sort'] === '-arrival' ? [rowOf(9), rowOf(1)] : [rowOf(1)]))
    await within(await grid()).findByRole('row', { name: /question 1/ })
    await eventually(() =>
      expect(requestsOf('GET /traces').filter(({ query }) => query['limit'] === '50')).toHaveLength(2),
    )
    onRequest('GET /traces', listOf([rowOf(10), rowOf(9), rowOf(1)]))
    await sendLiveEvent(['traces'])
    await screen.findByRole('button', { name: '1 new' })
  })

  it('selected traces are deleted after a question', async () => {
    const user = openTraces()
    onRequest('POST /traces/bulk-delete', { deleted: 1 })
    const row = await within(await grid()).findByRole('row', { name: /question 2/ })
    await user.click(within(row).getByRole('checkbox'))
    await user.click(await screen.findByRole('button', { name: 'Delete' }))
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
    await screen.findByText('Deleted 1 trace.')
    expect(requestsOf('POST /traces/bulk-delete').map(({ body }) => body)).toEqual([{ ids: [idOf(2)] }])
    expect(screen.queryByText('1 selected')).toBeNull()
  })

  it('the page of a trace goes on to the next one of the list, and back to the list', async () => {
    const user = openTraces(undefined, `${PAGE}?q=refund`)
    onRequest('GET /traces/{traceId}', ({ params }) => ({
      ...exampleOf('Trace'),
      id: params['traceId'],
      input: `asked ${Number(params['traceId']?.slice(-2))}`,
    }))
    onRequest('GET /traces/{traceId}/outline', exampleOf<object>('TraceOutline'))
    await user.click(await within(await grid()).findByText('question 3'))
    await user.click(await screen.findByRole('link', { name: 'Open' }))
    await screen.findByRole('button', { name: /Copy link/ })
    await screen.findByText('1 of 3')
    await user.click(screen.getByRole('button', { name: 'Next trace' }))
    await heading('asked 2')
    await screen.findByText('2 of 3')
    await user.keyboard('{Shift>}J{/Shift}')
    await heading('asked 1')
    expect(screen.getByRole('button', { name: 'Next trace' }).getAttribute('aria-disabled')).toBe('true')
    const path = within(screen.getByRole('navigation', { name: 'Breadcrumb' }))
    await user.click(path.getByRole('link', { name: 'Traces' }))
    await eventually(() => expect(address()).toBe(`${PAGE}?q=refund&trace=${idOf(1)}`))
  })

  it('exports all traces that match, also those that are not loaded', async () => {
    const user = openTraces(undefined, `${PAGE}?q=refund&from=2026-11-15T00:00:00.000Z`)
    // The download would leave the page.
    const save = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue(undefined)
    await screen.findByText('3 match')
    await user.click(screen.getByRole('button', { name: 'Export' }))
    await user.click(await screen.findByRole('menuitem', { name: 'CSV, for spreadsheets' }))
    await eventually(() =>
      expect(requestsOf('GET /traces/export').map(({ query }) => query)).toEqual([
        { format: 'csv', q: 'refund', start_after: '2026-11-15T00:00:00.000Z' },
      ]),
    )
    await eventually(() => expect(save).toHaveBeenCalled())
  })

  it('says how to get traces when there are none', async () => {
    openTraces([])
    await heading('No trace yet')
    const next = screen.getByRole('link', { name: 'Send your first trace' })
    expect(next.getAttribute('href')).toBe(inSupport('first-trace'))
  })

  it('a query without matches says so, and removes it or the time range', async () => {
    const user = openTraces([], `${PAGE}?q=refund&range=1h`)
    await heading('No trace matches')
    await user.click(screen.getByRole('button', { name: 'Show all times' }))
    await eventually(() => expect(address()).toBe(`${PAGE}?q=refund`))
    expect(screen.queryByRole('button', { name: 'Show all times' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Remove the query' }))
    await heading('No trace yet')
  })
})
