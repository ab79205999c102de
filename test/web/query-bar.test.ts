import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { FacetValues } from '../../web/src/api/generated/api.ts'
import { onRequest, requestsOf } from './mock-api.ts'
import { address, eventually } from './open-page.ts'
import { layOutTable, openTraces, PAGE } from './open-traces.ts'

layOutTable()

const field = () => screen.findByRole<HTMLInputElement>('combobox', { name: 'Query' })
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent)
const option = (name: RegExp) => screen.findByRole('option', { name })
const query = () => new URLSearchParams(address().split('?')[1]).get('q')
/** The column of scores requests the names of evaluators. */
const facetRequests = () => requestsOf('GET /traces/facets').filter(({ query: { field: name } }) => name !== 'score')

function valuesOf(values: Record<string, number>, isComplete = true): FacetValues {
  const data = Object.entries(values).map(([value, count]) => ({ value, count, isExact: true }))
  return { data, isComplete }
}

describe('query bar', () => {
  it('completes a field and then its value by keyboard, and Enter runs the query', async () => {
    const user = openTraces()
    onRequest('GET /traces/facets', valuesOf({ error: 7, ok: 93 }))
    await user.type(await field(), 'sta')
    await option(/status:/)
    await user.keyboard('{ArrowDown}')
    expect((await option(/status:/)).getAttribute('aria-selected')).toBe('true')
    await user.keyboard('{Enter}')
    expect((await field()).value).toBe('status:')
    expect((await option(/error/)).textContent).toContain('7')
    await user.keyboard('{ArrowDown}{Tab}')
    expect((await field()).value).toBe('status:error ')
    expect(screen.queryByRole('listbox')).toBeNull()
    await user.keyboard('{Enter}')
    await eventually(() => expect(query()).toBe('status:error'))
  })

  it('a value that is chosen by Enter runs the query at once', async () => {
    const user = openTraces()
    onRequest('GET /traces/facets', valuesOf({ error: 7, ok: 93 }))
    await user.type(await field(), 'status:')
    await option(/error/)
    await user.keyboard('{ArrowDown}{Enter}')
    await eventually(() => expect(query()).toBe('status:error'))
  })

  it('Enter without a highlighted suggestion runs the typed query', async () => {
    const user = openTraces()
    await user.type(await field(), 'na{Enter}')
    await eventually(() => expect(query()).toBe('na'))
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('suggests the typed text, and operators after a term', async () => {
    const user = openTraces()
    await user.type(await field(), 'refund')
    await option(/refund text in/)
    await user.keyboard(' ')
    await option(/OR one of both/)
    await user.keyboard('policy')
    await user.click(await option(/policy text in/))
    await eventually(() => expect(query()).toBe('refund policy'))
  })

  it('describes each field', async () => {
    const user = openTraces()
    await user.type(await field(), 'la')
    expect((await option(/latency:/)).textContent).toContain('duration')
  })

  it('counts values among the traces that match the other terms', async () => {
    const user = openTraces()
    onRequest('GET /traces/facets', valuesOf({ 'gpt 5': 3 }))
    await user.type(await field(), 'status:error model:')
    await user.click(await option(/gpt 5/))
    await eventually(() => expect(query()).toBe('status:error model:"gpt 5"'))
    expect(facetRequests().at(-1)?.query).toEqual({ field: 'model', q: 'status:error' })
  })

  it('requests the values of a field once if all are returned, and else again for what is typed', async () => {
    const user = openTraces()
    onRequest('GET /traces/facets', valuesOf({ alpha: 2, beta: 1 }))
    await user.type(await field(), 'tag:')
    await option(/alpha/)
    await user.keyboard('be')
    await eventually(() => expect(options()).toHaveLength(1))
    expect(facetRequests()).toHaveLength(1)
    await user.clear(await field())
    onRequest('GET /traces/facets', ({ query: { prefix } }) =>
      valuesOf(prefix ? { zoe: 1 } : { ada: 9, ben: 8 }, Boolean(prefix)),
    )
    await user.type(await field(), 'user:')
    await option(/ada/)
    await user.keyboard('zo')
    await option(/zoe/)
    expect(facetRequests().at(-1)?.query).toEqual({ field: 'user', prefix: 'zo' })
  })

  it('completes the name of an evaluator, and suggests comparisons for its score', async () => {
    const user = openTraces()
    onRequest('GET /traces/facets', valuesOf({ 'Answer quality': 1 }))
    await user.type(await field(), 'score.')
    await user.click(await option(/Answer quality/))
    expect((await field()).value).toBe('"score.Answer quality":')
    await user.click(await option(/below 0.5/))
    await eventually(() => expect(query()).toBe('"score.Answer quality":<0.5'))
  })

  it('replaces the term at the caret and keeps the others', async () => {
    const user = openTraces(undefined, `${PAGE}?q=${encodeURIComponent('model:a tag:x')}`)
    onRequest('GET /traces/facets', valuesOf({ abc: 1 }))
    const input = await field()
    await user.click(input)
    input.setSelectionRange(7, 7)
    await user.keyboard('b')
    await user.click(await option(/abc/))
    expect(input.value).toBe('model:abc tag:x')
    expect(input.selectionStart).toBe(10)
  })

  it('Escape closes the suggestions and leaves the text', async () => {
    const user = openTraces()
    await user.type(await field(), 'sta')
    await screen.findByRole('listbox')
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('listbox')).toBeNull()
    expect((await field()).value).toBe('sta')
  })

  it('Tab moves to the next control if there is nothing to complete', async () => {
    const user = openTraces()
    await user.click(await field())
    await screen.findByRole('listbox')
    await user.tab()
    expect(document.activeElement).not.toBe(await field())
    expect((await field()).value).toBe('')
  })

  it('offers the queries that matched before, and runs the chosen one', async () => {
    const user = openTraces(undefined, `${PAGE}?q=refund`)
    await user.click(await screen.findByRole('button', { name: 'Clear' }))
    await eventually(() => expect(query()).toBeNull())
    await user.click(await field())
    await user.click(await option(/^refund$/))
    await eventually(() => expect(query()).toBe('refund'))
  })

  it('explains the language', async () => {
    const user = openTraces()
    await user.click(await screen.findByRole('button', { name: 'Help with queries' }))
    const help = await screen.findByRole('dialog', { name: 'Help with queries' })
    within(help).getByText('-tag:test')
  })
})
