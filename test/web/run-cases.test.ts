import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Role, Run, Trace } from '../../web/src/api/generated/api.ts'
import { GOLDEN, SCHEME } from './agreement-examples.ts'
import { exampleOf } from './api-description.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ADA, ASSISTANT, address, eventually, heading, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable } from './open-traces.ts'
import { caseOf, caseRow, casesOf, REPEATED, summaryOf } from './run-examples.ts'

const RUN: Run = { ...exampleOf<Run>('Run'), id: idOf(7), name: 'Prompt v7', traceCount: 120, datasetId: GOLDEN.id }
const PAGE = inSupport(`c/${ASSISTANT.id}/runs/${RUN.id}`)
const PATH = '/components/{componentId}/runs/{runId}'
const CASES = `GET ${PATH}/cases`

layOutTable()

beforeEach(() => {
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest(`GET ${PATH}`, RUN)
  onRequest('GET /components/{componentId}/datasets/{datasetId}', GOLDEN)
  onRequest('GET /rating-scheme', SCHEME)
  onRequest('GET /members/directory', { data: [{ userId: ADA.id, name: ADA.name, state: 'member', role: 'owner' }] })
  onRequest('GET /components/{componentId}/run-summaries', { data: [summaryOf(7), summaryOf(3)], nextCursor: null })
  onRequest(CASES, casesOf([REPEATED, caseRow(2), caseRow(3, { itemId: null, expected: null })]))
  onRequest('GET /traces/{traceId}', ({ params }) => ({
    ...exampleOf<Trace>('Trace'),
    id: params['traceId'],
    input: 'the whole question',
    output: `the whole answer of ${params['traceId']}`,
  }))
})

function openRun(search = '', role: Role = 'editor') {
  signIn(role)
  return openPage(`${PAGE}${search}`)
}

const rowOf = (text: string) => screen.findByRole('row', { name: new RegExp(text) })
const panel = () => screen.findByRole('complementary', { name: 'Case' })
const asked = () => requestsOf(CASES).at(-1)?.query
const param = (name: string) => new URLSearchParams(address().split('?')[1]).get(name)

describe('the header of a run', () => {
  it('has the rated cases, scores with interval and n, costs and the version of the run, from the API', async () => {
    openRun()
    const about = await screen.findByRole('region', { name: 'About this run' })
    for (const text of [
      '37 of 120',
      '0.81',
      '0.74 to 0.87',
      'n 120',
      '3 failed',
      '$1.25',
      'of 4 unknown',
      'gpt-5-mini',
    ])
      expect(about.textContent).toContain(text)
    expectMeansWithCount(document.body)
    expect(screen.getByRole('link', { name: 'Evaluate' }).getAttribute('href')).toBe(
      inSupport(`c/${ASSISTANT.id}/evaluations/new?run=${RUN.id}`),
    )
  })

  it('changes metadata: fields that were touched are sent, emptied ones are removed', async () => {
    onRequest(`PATCH ${PATH}/metadata`, { metadata: {} })
    const user = openRun()
    await user.click(await screen.findByRole('button', { name: /^Edit/ }))
    const dialog = await screen.findByRole('dialog', { name: 'What was run' })
    await user.clear(within(dialog).getByRole('textbox', { name: 'Value of model' }))
    await user.type(within(dialog).getByRole('textbox', { name: 'Value of prompt' }), 'v7')
    await user.click(within(dialog).getByRole('button', { name: 'Save' }))
    await eventually(() =>
      expect(requestsOf(`PATCH ${PATH}/metadata`).map(({ body }) => body)).toEqual([
        { metadata: { model: null, prompt: 'v7' } },
      ]),
    )
  })

  it('adds traces by a query, after it has shown how many match', async () => {
    onRequest('GET /traces', {
      data: [],
      nextCursor: null,
      total: 240,
      totalIsExact: true,
      sortIsComplete: true,
      searchedSince: null,
    })
    onRequest(`POST ${PATH}/traces/from-query`, { added: 90, skipped: 10, run: RUN })
    const user = openRun()
    await user.click(await screen.findByRole('button', { name: 'More about this run' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Add traces by query…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Add traces to the run' })
    await user.type(within(dialog).getByRole('combobox', { name: 'Query' }), 'tag:golden{Enter}')
    await within(dialog).findByText('240')
    await user.click(within(dialog).getByRole('button', { name: 'Add 100 traces' }))
    await screen.findByText('Added 90 traces to the run. 10 traces were in the run before.')
    expect(requestsOf(`POST ${PATH}/traces/from-query`).map(({ body }) => body)).toEqual([
      { q: 'tag:golden', limit: 100 },
    ])
  })

  it('renames and deletes; a viewer can do neither', async () => {
    onRequest(`PATCH ${PATH}`, RUN)
    const user = openRun()
    await user.click(await screen.findByRole('button', { name: 'More about this run' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Rename…' }))
    const name = await screen.findByRole('textbox', { name: 'Name' })
    await user.clear(name)
    await user.type(name, 'v8')
    await user.click(screen.getByRole('button', { name: 'Rename' }))
    await eventually(() => expect(requestsOf(`PATCH ${PATH}`).map(({ body }) => body)).toEqual([{ name: 'v8' }]))
  })

  it('a viewer sees neither Annotate nor Evaluate, and why the menu is disabled', async () => {
    const user = openRun('', 'viewer')
    await rowOf('question 2')
    expect(screen.queryByRole('link', { name: /Annotate|Evaluate/ })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'More about this run' }))
    expect((await screen.findByRole('menuitem', { name: 'Delete run…' })).getAttribute('aria-disabled')).toBe('true')
  })
})

describe('the cases of a run', () => {
  it('shows texts, scores, ratings, duration and cost; repetitions as one row with their spread', async () => {
    openRun()
    const repeated = await rowOf('question 1')
    for (const text of ['3 repetitions', 'answer 1', 'expected 1', '2 of 3 passed', 'Right', '1.20 to 2.50 s'])
      expect(repeated.textContent).toContain(text)
    const single = await rowOf('question 2')
    for (const text of ['answer 2', 'passed', '1.20 s', '$0.0123']) expect(single.textContent).toContain(text)
    expect((await rowOf('question 3')).textContent).toContain('no item')
    expect(screen.getByText(/5 traces in 3 rows/)).toBeTruthy()
  })

  it('filters show how many cases they have; the address keeps filter, metric, order and query', async () => {
    const user = openRun()
    await user.click(await screen.findByRole('button', { name: 'Not passed 1' }))
    await eventually(() => expect(asked()).toEqual({ limit: '50', filter: 'not_passed' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Passed by' }), 'latency')
    await user.click(screen.getByRole('button', { name: /Duration/ }))
    await user.type(screen.getByRole('combobox', { name: 'Query' }), 'refund{Enter}')
    await eventually(() => expect(asked()).toMatchObject({ filter: 'not_passed', metric: 'latency', q: 'refund' }))
    expect([param('filter'), param('metric'), param('q')]).toEqual(['not_passed', 'latency', 'refund'])
    expect(param('sort')).toMatch(/duration/)
  })

  it('an invalid query shows the position', async () => {
    onRequest(CASES, failed(400, 'The query is invalid at character 6: "high" is not a number'))
    openRun('?q=cost:high')
    await heading('The query is invalid')
    expect((await screen.findAllByText(/at character 6/)).length).toBeGreaterThan(0)
  })

  it('j opens one after the other next to the list, with question, expected, answer, scores with reasons and ratings', async () => {
    const user = openRun()
    await rowOf('question 1')
    await user.keyboard('j')
    const shown = await panel()
    await within(shown).findByText('the whole question')
    for (const text of [`the whole answer of ${idOf(1)}`, 'expected 1', 'reason 1', ADA.name, '1 of 3'])
      await eventually(() => expect(shown.textContent).toContain(text))
    await user.click(within(shown).getByRole('radio', { name: '3' }))
    await within(await panel()).findByText('the day is wrong')
    expect(param('trace')).toBe('trace-12')
    await user.keyboard('j')
    await within(await panel()).findByText('reason 2')
    expect([param('item'), param('trace')]).toEqual([idOf(502), null])
    await user.keyboard('k')
    await eventually(() => expect(param('item')).toBe(REPEATED.id))
  })

  it('a rating in the panel is a rating of the run', async () => {
    onRequest(`POST ${PATH}/annotations`, ({ body }) => ({ ...exampleOf('Annotation'), ...Object(body) }))
    const user = openRun(`?item=${idOf(502)}`)
    await user.click(await screen.findByRole('button', { name: /^Right/ }))
    await eventually(() =>
      expect(requestsOf(`POST ${PATH}/annotations`).map(({ body }) => body)).toEqual([
        { traceDbId: idOf(2), rating: 'right' },
      ]),
    )
  })

  it('a trace that has not arrived says so', async () => {
    const missing = caseOf(9, { traceDbId: null, status: null, output: null, durationMs: null, scores: [] })
    onRequest(CASES, casesOf([caseRow(9, { cases: [missing], spread: [] })]))
    openRun(`?item=${idOf(509)}`)
    expect((await rowOf('question 9')).textContent).toContain('The trace has not arrived')
    await within(await panel()).findByText(/has not arrived, or was deleted/)
  })
})
