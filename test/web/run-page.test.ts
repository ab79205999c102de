import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Disagreements, Resolution, ResolvableDisagreement, Role } from '../../web/src/api/generated/api.ts'
import { AGREEMENT, DAN, disagreementOf, GOLDEN, INGRID, MEI, RUN, SCHEME } from './agreement-examples.ts'
import { exampleOf } from './api-description.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ADA, ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'

const PAGE = inSupport(`c/${ASSISTANT.id}/runs/${RUN.id}`)
const PATH = '/components/{componentId}/runs/{runId}'
const RESOLUTION = `${PATH}/disagreements/{traceId}/resolution`

beforeEach(() => {
  // happy-dom lays out nothing.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
})

function listOf(rows: ResolvableDisagreement[], changes: Partial<Disagreements> = {}): Disagreements {
  const resolved = rows.filter(({ resolution }) => resolution !== null).length
  const counted = { total: rows.length, open: rows.length - resolved, resolved }
  return { data: rows, nextCursor: null, ...counted, steps: [{ steps: 1, count: rows.length }], ...changes }
}

function openRun(search: string, { role = 'editor', run = RUN }: { role?: Role; run?: typeof RUN } = {}) {
  signIn(role)
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest(`GET ${PATH}`, run)
  onRequest('GET /components/{componentId}/datasets/{datasetId}', GOLDEN)
  onRequest('GET /rating-scheme', SCHEME)
  onRequest('GET /members/directory', { data: [{ userId: MEI, name: 'Mei-Ling Chou', state: 'former', role: null }] })
  return openPage(`${PAGE}${search}`)
}

function openAgreement(search = '', options: { role?: Role; rows?: ResolvableDisagreement[] } = {}) {
  onRequest(`GET ${PATH}/agreement`, AGREEMENT)
  onRequest(`GET ${PATH}/disagreements`, listOf(options.rows ?? [31, 32, 33].map((number) => disagreementOf(number))))
  onRequest(`PUT ${RESOLUTION}`, ({ body }) => {
    const sent = Object(body)
    return { ...exampleOf<Resolution>('Resolution'), userId: ADA.id, name: ADA.name, ...sent }
  })
  return openRun(`?tab=agreement${search}`, options)
}

const grid = () => screen.findByRole('grid', { name: 'Disagreements' })
const rowOf = async (number: number) =>
  within(await grid()).findByRole('row', { name: new RegExp(`question ${number}`) })
const panel = () => screen.findByRole('complementary', { name: 'Disagreement' })
const asked = () => requestsOf(`GET ${PATH}/disagreements`).at(-1)?.query
const resolutions = () =>
  requestsOf(`PUT ${RESOLUTION}`).map(({ params, body }) => ({ traceId: params['traceId'], body }))
const param = (name: string) => new URLSearchParams(address().split('?')[1]).get(name)

describe('the ratings of a run', () => {
  it('shows who rated how many, each rating with its count, the progress and the way to annotate', async () => {
    onRequest(`GET ${PATH}/agreement`, AGREEMENT)
    openRun('?tab=ratings')
    await heading('Prompt v7')
    expect(screen.getByText(/golden answers · 30 cases · /)).toBeTruthy()
    await screen.findByText('25 of 30')
    const ingrid = await screen.findByRole('row', { name: /Ingrid Solberg/ })
    expect(
      within(ingrid)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ).toEqual(['25', '10 40\u202f%', '0 0\u202f%', '15 60\u202f%'])
    await screen.findByRole('row', { name: /Mei-Ling Chou/ })
    expect(screen.getByText('Ratings: Wrong 21, Partly 2, Right 27')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Annotate' }).getAttribute('href')).toBe(`${PAGE}/annotate`)
  })

  it('a run without a name is known by dataset, number of cases and time', async () => {
    openRun('', { run: { ...RUN, name: null, createdAt: '2020-11-15T09:12:00.000Z' } })
    await screen.findByRole('heading', { level: 1, name: /^golden answers, 30 cases, 15 Nov 2020, \d\d:12$/ })
  })

  it('without ratings it explains what to do, and to a viewer not how to annotate', async () => {
    openRun('?tab=ratings', { role: 'viewer' })
    await heading('No rating yet')
    expect(screen.queryByRole('link', { name: /Annotate|Rate/ })).toBeNull()
  })

  it('ratings with words that the scheme no longer has are not called missing', async () => {
    onRequest(`GET ${PATH}/agreement`, { ...AGREEMENT, raters: [], pairs: [], items: 0, excluded: 24 })
    openRun('?tab=ratings')
    await heading('The ratings have other words')
    expect(screen.queryByText('No rating yet')).toBeNull()
  })

  it('a run that the server does not know is not found', async () => {
    signIn()
    onRequest('GET /components/{componentId}', ASSISTANT)
    onRequest(`GET ${PATH}`, failed(404, 'Run not found'))
    openPage(PAGE)
    await heading('Nothing is here')
  })
})

describe('the agreement of a run', () => {
  it('has the summary of the server, and each coefficient with interval and n, or the reason why there is none', async () => {
    openAgreement()
    await screen.findByText(AGREEMENT.summary)
    await grid()
    expectMeansWithCount(document.body)
    expect(screen.getAllByText('too few shared traces: 3 of at least 20').length).toBeGreaterThan(0)
    expect(document.body.textContent).not.toContain('0.00')
    expect(requestsOf(`GET ${PATH}/agreement`)[0]?.query).toEqual({ include: 'pair_summaries,rating_counts' })
  })

  it('lists inputs and outputs, with both ratings, names and comments', async () => {
    openAgreement()
    const row = await rowOf(31)
    for (const text of ['question 31', 'answer 31', 'Ingrid Solberg', 'Right', 'good 31', 'Dan Okafor', 'Partly'])
      expect(row.textContent).toContain(text)
    expect(row.textContent).toContain('No comment')
    expect(within(row).getByRole('button', { name: 'Resolve' })).toBeTruthy()
    expect(asked()).toEqual({ limit: '50', resolved: 'false' })
  })

  it('a cell of the matrix lists the traces behind it; the address keeps the choice', async () => {
    const user = openAgreement()
    await user.click(await screen.findByRole('button', { name: 'Ingrid Solberg: Right, Dan Okafor: Partly: 2' }))
    const chosen = { rater_a: INGRID, rater_b: DAN, rating_a: 'right', rating_b: 'partly' }
    await eventually(() => expect(asked()).toEqual({ limit: '50', resolved: 'false', ...chosen }))
    for (const [name, value] of Object.entries(chosen)) expect(param(name)).toBe(value)
    await user.click(screen.getByRole('button', { name: /^Remove the filter/ }))
    await eventually(() => expect(param('rater_a')).toBeNull())
    expect(param('rating_a')).toBeNull()
  })

  it('other raters are chosen from a list, with the name of a former member, and the table twin has the same numbers', async () => {
    const user = openAgreement()
    const option = await screen.findByRole('option', { name: 'Ingrid Solberg and Mei-Ling Chou: 1 of 3 differ' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Raters' }), option)
    await screen.findByRole('button', { name: 'Ingrid Solberg: Right, Mei-Ling Chou: Wrong: 1' })
    expect([param('rater_a'), param('rater_b')]).toEqual([INGRID, MEI])
    await user.click(screen.getByRole('button', { name: /^Show as table.*Rating by rating$/ }))
    const twin = await screen.findByRole('region', { name: 'Rating by rating, as a table' })
    expect(
      within(twin)
        .getAllByRole('row')
        .slice(1)
        .map(({ textContent }) => textContent),
    ).toEqual(['RightRight2', 'RightWrong1'])
  })

  it('raters in the other order in the address are shown in that order', async () => {
    openAgreement(`&rater_a=${DAN}&rater_b=${INGRID}&rating_a=partly&rating_b=right`)
    const cell = await screen.findByRole('button', { name: 'Dan Okafor: Partly, Ingrid Solberg: Right: 2' })
    expect(cell.getAttribute('aria-pressed')).toBe('true')
  })

  it('without two ratings of a trace it explains what is missing', async () => {
    const alpha = { ...AGREEMENT.alpha, value: null, ci: null, units: 0 }
    onRequest(`GET ${PATH}/agreement`, { ...AGREEMENT, raters: AGREEMENT.raters.slice(0, 1), pairs: [], alpha })
    openRun('?tab=agreement')
    await heading('Nothing to compare yet')
    expect(requestsOf(`GET ${PATH}/disagreements`)).toEqual([])
  })

  it('an error has its message and request id, and Retry loads it', async () => {
    onRequest(`GET ${PATH}/agreement`, failed(429, 'Too many requests'))
    const user = openRun('?tab=agreement')
    expect((await screen.findByRole('alert')).textContent).toContain('req-1')
    onRequest(`GET ${PATH}/agreement`, AGREEMENT)
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByText(AGREEMENT.summary)
  })
})

describe('resolving a disagreement', () => {
  it('j opens one after the other; a key of the scheme resolves with the note, and opens the next', async () => {
    const user = openAgreement()
    await rowOf(31)
    await user.keyboard('j')
    expect((await panel()).textContent).toContain('answer 31')
    await user.type(screen.getByRole('textbox', { name: 'Note' }), 'The ban is missing.')
    await user.click(screen.getByRole('button', { name: 'Next disagreement' }))
    await user.click(screen.getByRole('button', { name: 'Previous disagreement' }))
    expect(screen.getByRole('textbox', { name: 'Note' })).toHaveProperty('value', 'The ban is missing.')
    screen.getByRole('main').focus()
    await user.keyboard('2')
    await eventually(() => expect(param('item')).toBe(idOf(32)))
    await user.keyboard('3')
    await eventually(() => expect(param('item')).toBe(idOf(33)))
    expect(resolutions()).toEqual([
      { traceId: idOf(31), body: { rating: 'partly', note: 'The ban is missing.' } },
      { traceId: idOf(32), body: { rating: 'right', note: null } },
    ])
    // The rows stay until the list is loaded again.
    await rowOf(31)
    expect(screen.getByRole('radio', { name: 'Open 1' })).toBeTruthy()
    expect(screen.getByRole('radio', { name: 'Resolved 2' })).toBeTruthy()
  })

  it('u undoes the last resolution and returns to it', async () => {
    const user = openAgreement(`&item=${idOf(31)}`)
    await user.click(await screen.findByRole('button', { name: /^Wrong/ }))
    await eventually(() => expect(param('item')).toBe(idOf(32)))
    await user.keyboard('u')
    await eventually(() => expect(param('item')).toBe(idOf(31)))
    expect(requestsOf(`DELETE ${RESOLUTION}`).map(({ params }) => params['traceId'])).toEqual([idOf(31)])
    await user.keyboard('u')
    expect(requestsOf(`DELETE ${RESOLUTION}`)).toHaveLength(1)
  })

  it('undoing a changed resolution brings the former one back', async () => {
    const resolution = { ...exampleOf<Resolution>('Resolution'), rating: 'right', note: 'Good enough.' }
    const user = openAgreement(`&state=all&item=${idOf(31)}`, { rows: [disagreementOf(31, { resolution })] })
    expect((await screen.findByRole('region', { name: 'Resolution' })).textContent).toContain('Good enough.')
    await user.click(screen.getByRole('button', { name: /^Wrong/ }))
    await screen.findByText('Resolved as Wrong.')
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    await eventually(() => expect(resolutions().at(-1)?.body).toEqual({ rating: 'right', note: 'Good enough.' }))
  })

  it('a resolved one is opened again', async () => {
    const resolution = { ...exampleOf<Resolution>('Resolution'), rating: 'right' }
    const user = openAgreement(`&state=resolved&item=${idOf(31)}`, { rows: [disagreementOf(31, { resolution })] })
    await user.click(await screen.findByRole('button', { name: 'Reopen' }))
    await eventually(() => expect(requestsOf(`DELETE ${RESOLUTION}`)).toHaveLength(1))
    await eventually(() => expect(screen.queryByRole('region', { name: 'Resolution' })).toBeNull())
  })

  it('an error of the server is shown, and nothing moves on', async () => {
    const user = openAgreement(`&item=${idOf(31)}`)
    onRequest(`PUT ${RESOLUTION}`, failed(400, 'The rating partly is not allowed'))
    await user.click(await screen.findByRole('button', { name: /^Partly/ }))
    await screen.findByText('The rating partly is not allowed')
    expect(param('item')).toBe(idOf(31))
  })

  it('only words that the run allows are offered', async () => {
    onRequest(`GET ${PATH}/annotation-policy`, { ratersPerItem: 2, blind: false, ratings: ['wrong', 'right'] })
    openAgreement(`&item=${idOf(31)}`)
    await screen.findByRole('button', { name: /^Right/ })
    await eventually(() => expect(screen.queryByRole('button', { name: /^Partly/ })).toBeNull())
  })

  it('an annotator sees which role may resolve; keys do nothing', async () => {
    const user = openAgreement(`&item=${idOf(31)}`, { role: 'annotator' })
    const description = 'Resolving a disagreement requires the role editor; yours is annotator.'
    await screen.findByRole('button', { name: /^Wrong/, description })
    await user.keyboard('1')
    expect(resolutions()).toEqual([])
  })

  it('one that the list does not have is looked for in all disagreements', async () => {
    const user = openAgreement(`&item=${idOf(99)}`)
    await user.click(await screen.findByRole('button', { name: 'Look in all disagreements' }))
    await eventually(() => expect(asked()).toEqual({ limit: '50' }))
    expect(param('item')).toBe(idOf(99))
  })

  it('one on a later page is found by its address', async () => {
    openAgreement(`&item=${idOf(40)}`)
    onRequest(`GET ${PATH}/disagreements`, ({ query }) =>
      query['cursor']
        ? listOf([disagreementOf(40)], { total: 2 })
        : listOf([disagreementOf(31)], { nextCursor: 'next', total: 2 }),
    )
    await eventually(async () => expect((await panel()).textContent).toContain('answer 40'))
  })
})

describe('a run that is rated blind', () => {
  const blind = { ratersPerItem: null, blind: true, ratings: null }

  it('says to an annotator that the ratings of other traces are hidden', async () => {
    onRequest(`GET ${PATH}/annotation-policy`, blind)
    openAgreement('', { role: 'annotator' })
    await screen.findByText(/^You see the ratings of the traces that you have rated\./)
  })

  it('says to an admin who has not rated that everything is visible until then', async () => {
    onRequest(`GET ${PATH}/annotation-policy`, blind)
    openAgreement('', { role: 'admin' })
    await screen.findByText(/^As admin you see all ratings until you rate in this run\./)
  })
})
