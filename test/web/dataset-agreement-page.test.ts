import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Trace, TraceRow } from '../../web/src/api/generated/api.ts'
import { AGREEMENT, DAN, GOLDEN, INGRID, RUN, SCHEME } from './agreement-examples.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}/datasets/${GOLDEN.id}/agreement`)
const PATH = '/components/{componentId}/datasets/{datasetId}'

beforeEach(() => {
  // happy-dom lays out nothing.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
})

function disagreementOf(number: number, ratings: [string, string]) {
  return {
    traceDbId: idOf(number),
    ratings: [
      { userId: INGRID, rating: ratings[0], comment: `good ${number}` },
      { userId: DAN, rating: ratings[1], comment: null },
    ],
  }
}

function openAgreement(search = '') {
  signIn('viewer')
  const disagreements = [disagreementOf(31, ['right', 'partly']), disagreementOf(32, ['partly', 'wrong'])]
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest(`GET ${PATH}`, GOLDEN)
  onRequest(`GET ${PATH}/agreement`, { ...AGREEMENT, disagreements, disagreementsTotal: 2 })
  onRequest('GET /components/{componentId}/runs', { data: [RUN, { ...RUN, id: idOf(6), datasetId: idOf(77) }] })
  onRequest('GET /rating-scheme', SCHEME)
  // Dan has left the application, and is on the second page of the directory.
  const others = Array.from({ length: 99 }, (_, index) => {
    return { userId: idOf(1000 + index), name: `Person ${index}`, state: 'member', role: 'annotator' }
  })
  const pages = [
    [{ userId: INGRID, name: 'Ingrid Solberg', state: 'member', role: 'editor' }, ...others],
    [{ userId: DAN, name: 'Dan Okafor', state: 'former', role: null }],
  ]
  onRequest('GET /members/directory', ({ query }) => ({ data: pages[query['offset'] === '0' ? 0 : 1] ?? [] }))
  const row = { ...exampleOf<TraceRow>('TraceRow'), id: idOf(31), preview: { input: 'question 31', output: 'yes' } }
  const list = { nextCursor: null, total: 1, totalIsExact: true, sortIsComplete: true, searchedSince: null }
  onRequest('GET /traces', { data: [row], ...list })
  onRequest('GET /traces/{traceId}', { ...exampleOf<Trace>('Trace'), id: idOf(31), input: 'the whole question' })
  return openPage(`${PAGE}${search}`)
}

const grid = () => screen.findByRole('grid', { name: 'Disagreements' })

describe('the agreement on a dataset', () => {
  it('names the raters, also those who left, and shows the texts of traces that are there', async () => {
    openAgreement()
    await heading('Agreement on golden answers')
    await heading('Raters mostly mean the same')
    const row = await within(await grid()).findByRole('row', { name: /question 31/ })
    await eventually(() => expect(row.textContent).toContain('Dan Okafor'))
    for (const text of ['yes', 'Ingrid Solberg', 'Right', 'good 31', 'Partly']) expect(row.textContent).toContain(text)
    await within(await grid()).findByRole('row', { name: /The trace is not here/ })
    const { q } = requestsOf('GET /traces')[0]?.query ?? {}
    expect(q).toBe(`id:"${idOf(31)}" OR id:"${idOf(32)}"`)
  })

  it('a combination of ratings in the address selects the traces, and can be removed', async () => {
    const user = openAgreement(`?rater_a=${INGRID}&rater_b=${DAN}&rating_a=right&rating_b=partly`)
    await within(await grid()).findByRole('row', { name: /question 31/ })
    expect(within(await grid()).getAllByRole('row')).toHaveLength(2)
    await user.click(screen.getByRole('button', { name: /^Remove the filter/ }))
    await eventually(async () => expect(within(await grid()).getAllByRole('row')).toHaveLength(3))
    expect(address()).toBe(PAGE)
  })

  it('j opens the whole text next to the list, and the runs to resolve in are linked', async () => {
    const user = openAgreement()
    await within(await grid()).findByRole('row', { name: /question 31/ })
    await user.keyboard('j')
    await within(await screen.findByRole('complementary', { name: 'Disagreement' })).findByText('the whole question')
    expect(screen.queryByRole('textbox', { name: 'Note' })).toBeNull()
    const links = screen.getAllByRole('link', { name: /^Prompt v7/ })
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      inSupport(`c/${ASSISTANT.id}/runs/${RUN.id}?tab=agreement`),
    ])
  })

  it('a dataset that the server does not know is not found', async () => {
    signIn()
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest(`GET ${PATH}`, failed(404, 'Dataset not found'))
    openPage(PAGE)
    await heading('Nothing is here')
  })
})
