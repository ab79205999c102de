import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import type { FacetGroups } from '../../web/src/api/generated/api.ts'
import { chosenValues, toggleTerm, valueTerm, withoutField } from '../../web/src/pages/traces/query-terms.ts'
import { onRequest, requestsOf } from './mock-api.ts'
import { address, eventually } from './open-page.ts'
import { layOutTable, openTraces, PAGE } from './open-traces.ts'

layOutTable()

const counted = (counts: Record<string, number>) =>
  Object.entries(counts).map(([value, count]) => ({ value, count, isExact: true }))

const GROUPS: FacetGroups = {
  data: [
    { field: 'status', values: counted({ ok: 90, error: 10 }), isComplete: true },
    { field: 'model', values: counted({ 'gpt-5': 60, 'gpt 5 mini': 40 }), isComplete: true },
    {
      field: 'tag',
      values: counted(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`tag ${at}`, 9 - at]))),
      isComplete: true,
    },
    { field: 'environment', values: [], isComplete: true },
    { field: 'score', values: [{ value: 'correct', count: null, isExact: true }], isComplete: false },
  ],
}

describe('filters of traces', () => {
  beforeEach(() => {
    localStorage.clear()
    // As wide as a desktop.
    Object(window).happyDOM.setViewport({ width: 1400, height: 900 })
    onRequest('GET /traces/facet-groups', ({ query }) => ({
      data: GROUPS.data.filter(({ field }) => (query['fields'] ?? field) === field),
    }))
  })
  const rail = async () => within(await screen.findByRole('region', { name: 'Filters' }))
  const query = () => new URLSearchParams(address().split('?')[1]).get('q')

  it('shows values with their numbers in the same time range, and a click adds or removes a term', async () => {
    const user = openTraces(undefined, `${PAGE}?from=2026-11-15T00:00:00.000Z&to=2026-11-16T00:00:00.000Z`)
    const model = await (await rail()).findByRole('checkbox', { name: /gpt-5 ?60/ })
    expect(requestsOf('GET /traces/facet-groups').at(-1)?.query).toMatchObject({
      start_after: '2026-11-15T00:00:00.000Z',
      start_before: '2026-11-16T00:00:00.000Z',
    })
    expect((await rail()).queryByRole('button', { name: 'Environment' })).toBeNull()
    await user.click(model)
    await eventually(() => expect(query()).toBe('model:gpt-5'))
    await user.click(await (await rail()).findByRole('checkbox', { name: /gpt 5 mini/ }))
    await eventually(() => expect(query()).toBe('(model:gpt-5 OR model:"gpt 5 mini")'))
    await user.click((await rail()).getByRole('checkbox', { name: /gpt-5/ }))
    await eventually(() => expect(query()).toBe('model:"gpt 5 mini"'))
    await user.click((await rail()).getByRole('checkbox', { name: /correct below 0.5/ }))
    await eventually(() => expect(query()).toBe('model:"gpt 5 mini" score.correct:<0.5'))
  })

  it('titles come with their values, so that nothing moves', async () => {
    const { promise, resolve } = Promise.withResolvers<FacetGroups>()
    onRequest('GET /traces/facet-groups', () => promise)
    openTraces()
    await (await rail()).findByRole('status')
    expect((await rail()).queryByRole('button', { name: 'Model' })).toBeNull()
    resolve(GROUPS)
    await (await rail()).findByRole('checkbox', { name: /gpt-5 ?60/ })
    await (await rail()).findByRole('button', { name: 'Model' })
  })

  it('a field with many values is searched, and a closed one stays closed', async () => {
    const user = openTraces()
    const found = await rail()
    expect(await found.findAllByRole('checkbox', { name: /^tag/ })).toHaveLength(5)
    await user.type(found.getByRole('searchbox', { name: 'Search tag' }), '8')
    expect(found.getAllByRole('checkbox', { name: /^tag/ })).toHaveLength(1)
    await user.click(found.getByRole('button', { name: 'Tag' }))
    expect(found.queryByRole('checkbox', { name: /^tag/ })).toBeNull()
    expect(localStorage.getItem('touchstone.trace-filters.tag')).toBe('closed')
    await user.click(screen.getByRole('button', { name: 'Filters' }))
    expect(screen.queryByRole('region', { name: 'Filters' })).toBeNull()
  })

  it('are behind a button in a narrow window', async () => {
    Object(window).happyDOM.setViewport({ width: 900, height: 900 })
    const user = openTraces()
    await user.click(await screen.findByRole('button', { name: 'Filters' }))
    await user.click((await rail()).getByRole('button', { name: 'Close the filters' }))
    expect(screen.queryByRole('region', { name: 'Filters' })).toBeNull()
  })
})

describe('a term of the filters', () => {
  it.each([
    ['', 'tag', 'a', 'tag:a'],
    ['refund', 'tag', 'a b', 'refund tag:"a b"'],
    ['tag:a', 'tag', 'a', ''],
    ['tag:a latency:>2s', 'tag', 'b', '(tag:a OR tag:b) latency:>2s'],
    ['(tag:a OR tag:b) latency:>2s', 'tag', 'a', 'tag:b latency:>2s'],
    ['-tag:a', 'tag', 'a', '-tag:a tag:a'],
    ['NOT tag:a', 'tag', 'a', 'NOT tag:a tag:a'],
    ['tag:a OR latency:>2s', 'tag', 'b', '(tag:a OR latency:>2s) tag:b'],
    ['(tag:a OR latency:>2s)', 'tag', 'a', '(tag:a OR latency:>2s) tag:a'],
  ])('%s and %s:%s become %s', (query, field, value, expected) => {
    expect(toggleTerm(query, valueTerm(field, value))).toBe(expected)
  })

  it('is found in the query, and is not part of what its field is counted by', () => {
    expect(chosenValues('x (tag:a OR tag:"b c") status:ok', 'tag')).toEqual(['a', '"b c"'])
    expect(chosenValues('-tag:a', 'tag')).toEqual([])
    expect(withoutField('x (tag:a OR tag:b) status:ok', 'tag')).toBe('x status:ok')
  })
})
