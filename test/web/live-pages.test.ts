/** Pages that change by themselves when someone else works, without moving what the mouse is on. */
import { fireEvent, screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { ComponentSummary, Work, WorkRun } from '../../web/src/api/generated/api.ts'
import { AGREEMENT, GOLDEN, SCHEME } from './agreement-examples.ts'
import { exampleOf } from './api-description.ts'
import { onRequest, requestsOf, sendLiveEvent } from './mock-api.ts'
import { RUN } from './mock-queue.ts'
import { ASSISTANT, eventually, heading, idOf, inSupport, openPage, SUPPORT, signIn } from './open-page.ts'
import { SERIES } from './open-traces.ts'
import { NEW_COMPONENT, OVERVIEW, SUMMARY } from './overview-examples.ts'

/** Of the mouse. */
function enter(element: Element | null): void {
  if (!element) throw new Error('there is nothing to point at')
  fireEvent.pointerOver(element, { pointerType: 'mouse' })
  fireEvent.pointerEnter(element, { pointerType: 'mouse' })
}

function leave(element: Element | null): void {
  if (!element) throw new Error('there is nothing to leave')
  fireEvent.pointerOut(element, { pointerType: 'mouse' })
  fireEvent.pointerLeave(element, { pointerType: 'mouse' })
}

function serveSummaries(rows: ComponentSummary[]): void {
  const page = { from: SERIES.from, to: SERIES.to, bucketSeconds: 3600, data: rows, nextCursor: null }
  onRequest('GET /component-summaries', page)
}

const runOf = (number: number, remaining: number): WorkRun => ({
  ...exampleOf<WorkRun>('WorkRun'),
  runId: idOf(number),
  runName: `run ${number}`,
  reason: 'started',
  total: 20,
  rated: 20 - remaining,
  remaining,
})

const workOf = (...data: WorkRun[]): Work => ({ remaining: 1, disagreements: 0, hasMore: false, data })

const runNames = () =>
  within(screen.getByRole('list', { name: 'Runs' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => /run \d+/.exec(textContent ?? '')?.[0])

describe('live updates of pages', () => {
  it('the overview shows new numbers at once, and other rows when the mouse has left', async () => {
    signIn()
    onRequest('GET /traces/series', SERIES)
    serveSummaries([SUMMARY])
    openPage(`/a/${SUPPORT.id}`)
    await screen.findByText('Rate 12 answers')
    enter(screen.getByText('Rate 12 answers'))
    const work = { ...SUMMARY.work, remaining: 11 }
    serveSummaries([{ ...SUMMARY, work }])
    await sendLiveEvent(['annotations'])
    await screen.findByText('Rate 11 answers')
    const later = { ...NEW_COMPONENT, id: idOf(90), name: 'newcomer' }
    serveSummaries([later, { ...SUMMARY, work }])
    await sendLiveEvent(['runs'])
    await screen.findByRole('button', { name: 'Show changes' })
    expect(screen.queryByText('newcomer')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Show changes' }))
    expect((await screen.findAllByText('newcomer')).length).toBeGreaterThan(0)
  })

  it('my work keeps its rows where they are under the mouse', async () => {
    signIn('annotator')
    onRequest('GET /me/work', workOf(runOf(60, 3), runOf(61, 5)))
    openPage(inSupport('work'))
    const list = await screen.findByRole('list', { name: 'Runs' })
    enter(list)
    onRequest('GET /me/work', workOf(runOf(62, 2), runOf(60, 2), runOf(61, 5)))
    await sendLiveEvent(['annotations'])
    await screen.findByRole('button', { name: 'Show changes' })
    expect(runNames()).toEqual(['run 60', 'run 61'])
    leave(list)
    await eventually(() => expect(runNames()).toEqual(['run 62', 'run 60', 'run 61']))
    expect(screen.queryByRole('button', { name: 'Show changes' })).toBeNull()
  })

  it('the overview of a component reloads when an evaluation progresses', async () => {
    signIn()
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest('GET /components/{componentId}/overview', OVERVIEW)
    openPage(inSupport(`c/${ASSISTANT.id}`))
    await screen.findByText(/Rate 12 answers/)
    const [run] = OVERVIEW.needs.runs
    if (!run) throw new Error('there is one')
    const needs = { ...OVERVIEW.needs, runs: [{ ...run, remaining: 4 }] }
    onRequest('GET /components/{componentId}/overview', { ...OVERVIEW, needs })
    await sendLiveEvent(['evaluations'])
    await screen.findByText(/Rate 4 answers/)
  })

  it('a run shows how far it is rated', async () => {
    signIn()
    const path = '/components/{componentId}/runs/{runId}'
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest('GET /components/{componentId}/datasets/{datasetId}', GOLDEN)
    onRequest('GET /rating-scheme', SCHEME)
    onRequest(`GET ${path}`, { ...RUN, traceCount: 100 })
    onRequest(`GET ${path}/agreement`, { ...AGREEMENT, items: 30 })
    openPage(inSupport(`c/${ASSISTANT.id}/runs/${RUN.id}?tab=ratings`))
    await screen.findByText('30 of 100')
    onRequest(`GET ${path}/agreement`, { ...AGREEMENT, items: 31 })
    await sendLiveEvent(['annotations'])
    await screen.findByText('31 of 100')
    onRequest(`GET ${path}`, { ...RUN, traceCount: 120 })
    await sendLiveEvent(['runs'])
    await screen.findByText('31 of 120')
  })

  it('a page reads once when it is opened, although it connects at the same time', async () => {
    signIn('annotator')
    onRequest('GET /me/work', workOf(runOf(60, 3)))
    openPage(inSupport('work'))
    await heading('My work')
    await screen.findByRole('list', { name: 'Runs' })
    // Also on the other topic, which the page does not show.
    await sendLiveEvent(['evaluations'])
    expect(requestsOf('GET /me/work')).toHaveLength(1)
  })
})
