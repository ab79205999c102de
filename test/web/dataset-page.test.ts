// @module-tag deep
import { fireEvent, screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import type {
  Dataset,
  DatasetContents,
  DatasetHealth,
  DatasetItem,
  ItemDetail,
  ItemMetric,
  ItemRow,
  ItemRows,
  OverviewMetric,
  Role,
  RunColumn,
} from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { expectMeansWithCount } from './means-with-count.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ADA, ASSISTANT, address, eventually, idOf, inSupport, openPage, signIn } from './open-page.ts'
import { layOutTable, SERIES } from './open-traces.ts'

layOutTable()

const DATASET = '/components/{componentId}/datasets/{datasetId}'
const GOLDEN: Dataset = { ...exampleOf<Dataset>('Dataset'), id: idOf(4), name: 'golden answers', itemCount: 2 }
const PAGE = inSupport(`c/${ASSISTANT.id}/datasets/${GOLDEN.id}`)

const METRIC: OverviewMetric = {
  ...exampleOf<OverviewMetric>('OverviewMetric'),
  name: 'grounded',
  mean: 0.784,
  ci: [0.721, 0.843],
  n: 189,
  summary: null,
}
const columnOf = (number: number, name: string): RunColumn => ({
  run: { id: idOf(number), name, createdAt: '2026-11-14T09:00:00.000Z' },
  evaluationId: idOf(number + 10),
  metrics: [METRIC],
  headline: 'grounded',
})
const RUNS = [columnOf(61, 'v6'), columnOf(62, 'v7')]

const markOf = (passed: boolean): ItemMetric => ({
  ...exampleOf<ItemMetric>('ItemMetric'),
  name: 'grounded',
  state: 'scored',
  score: passed ? 1 : 0,
  passed,
  repetitions: 1,
})

const FIRST: ItemRow = {
  ...exampleOf<ItemRow>('ItemRow'),
  id: idOf(101),
  number: 41,
  input: { text: 'Is my battery covered?', length: 22 },
  expected: { text: 'Yes, below 70 %.', length: 16 },
  metadata: null,
  split: 'test',
  group: null,
  source: { kind: 'trace', traceId: 't1', traceDbId: idOf(9) },
  results: [
    { runId: idOf(61), traceId: 'a', turned: null, metrics: [markOf(true)] },
    { runId: idOf(62), traceId: 'b', turned: 'to_fail', metrics: [markOf(false)] },
  ],
}
const SECOND: ItemRow = {
  ...FIRST,
  id: idOf(102),
  number: 12,
  input: { text: 'Can I return a bike?', length: 20 },
  expected: null,
  split: null,
  source: { kind: 'hand', traceId: null, traceDbId: null },
  results: [
    { runId: idOf(61), traceId: null, turned: null, metrics: [] },
    { runId: idOf(62), traceId: null, turned: null, metrics: [{ ...markOf(true), state: 'failed', passed: null }] },
  ],
}
const ITEM: DatasetItem = {
  ...exampleOf<DatasetItem>('DatasetItem'),
  id: FIRST.id,
  datasetId: GOLDEN.id,
  input: 'Is my battery covered?',
  expected: 'Yes, below 70 %.',
  output: null,
  metadata: { channel: 'mail' },
  split: 'test',
}
const CONTENTS: DatasetContents = {
  ...exampleOf<DatasetContents>('DatasetContents'),
  items: 2,
  splits: { train: 0, validation: 0, test: 1, none: 1 },
  sources: { trace: 1, import: 0, hand: 1 },
  changedAt: '2026-11-14T09:00:00.000Z',
  changedBy: ADA.id,
  testSet: { openings: 4, summary: 'This test set has decided 4 times.' },
  turnedBy: 'grounded',
  turnedToFail: 1,
  turnedToPass: 0,
  failing: 1,
}
const HEALTH: DatasetHealth = {
  checks: [
    { check: 'duplicates', count: 0, itemIds: [], method: 'Items with the same question.' },
    { check: 'conflicts', count: 3, itemIds: [idOf(101)], method: 'Items that disagree.' },
  ],
  nearDuplicates: { compared: 2, isComplete: true, pairs: [] },
}

function listOf(rows: ItemRow[]): ItemRows {
  return { runs: RUNS, data: rows, nextCursor: null, total: rows.length }
}

function openDataset(search = '', role: Role = 'editor') {
  signIn(role)
  return openPage(`${PAGE}${search}`)
}

beforeEach(() => {
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest(`GET ${DATASET}`, GOLDEN)
  onRequest(`GET ${DATASET}/contents`, CONTENTS)
  onRequest(`GET ${DATASET}/health`, HEALTH)
  onRequest(`GET ${DATASET}/item-rows`, listOf([FIRST, SECOND]))
  onRequest(`GET ${DATASET}/items/{itemId}`, ITEM)
  onRequest('GET /members/directory', { data: [{ userId: ADA.id, name: ADA.name, state: 'member', role: 'owner' }] })
})

const grid = () => screen.findByRole('grid', { name: 'Items' })
const rowOf = async (text: RegExp) => within(await grid()).findByRole('row', { name: text })
const queries = () => requestsOf(`GET ${DATASET}/item-rows`).map(({ query }) => query)

describe('the page of a dataset', () => {
  it('counts its items by split and source, and says who changed them and how often the test set decided', async () => {
    openDataset()
    const text = await screen.findByText(/2 items: 1 test, 1 without a split/)
    await eventually(() => expect(text.textContent).toContain('by Ada Lovelace'))
    expect(text.textContent).toContain('1 from traces, 1 by hand')
    expect(text.textContent).toContain('This test set has decided 4 times.')
  })

  it('shows each run with the mean, interval and n of the response, and marks with words', async () => {
    openDataset()
    const first = await rowOf(/battery/)
    const header = within(await grid()).getByRole('columnheader', { name: /v7/ })
    expect(header.textContent).toContain('0.78')
    expect(header.textContent).toContain('0.72 to 0.84')
    expect(header.textContent).toContain('n 189')
    expect(first.textContent).toContain('failed the check')
    expect(first.textContent).toContain('turned to fail in this run')
    const second = await rowOf(/return a bike/)
    expect(second.textContent).toContain('not measured')
    expectMeansWithCount(document.body)
  })

  it('lists what a chip or a count of the health names, and keeps it in the address', async () => {
    const user = openDataset()
    await user.click(await screen.findByRole('button', { name: /turned to fail 1/ }))
    await eventually(() => expect(queries().at(-1)).toMatchObject({ filter: 'turned_to_fail' }))
    await user.click(await screen.findByRole('button', { name: 'conflicting expectations 3' }))
    await eventually(() => expect(address()).toContain('filter=conflicts'))
    expect(screen.queryByRole('button', { name: /same question/ })).toBeNull()
    await user.click(await screen.findByRole('button', { name: 'test 1' }))
    await eventually(() => expect(queries().at(-1)).toMatchObject({ split: 'test' }))
    expect(queries().at(-1)).not.toHaveProperty('filter')
  })

  it('searches for what is typed after the key /', async () => {
    const user = openDataset()
    await rowOf(/battery/)
    await user.keyboard('/')
    await user.keyboard('bike')
    await eventually(() => expect(queries().at(-1)).toMatchObject({ q: 'bike' }))
    expect(address()).toContain('q=bike')
  })

  it('shows all items again if none matches', async () => {
    onRequest(`GET ${DATASET}/item-rows`, ({ query }) => listOf(query['q'] ? [] : [FIRST, SECOND]))
    const user = openDataset('?q=bike&split=test')
    await user.click(await screen.findByRole('button', { name: 'Show all items' }))
    await rowOf(/battery/)
    expect(address()).toBe(PAGE)
  })
})

describe('an item', () => {
  const change = `PATCH ${DATASET}/items/{itemId}`

  it('is edited in place by Enter, saved by Enter, and the change can be undone', async () => {
    onRequest(change, ({ body }) => ({ ...ITEM, ...Object(body) }))
    const user = openDataset(`?item=${FIRST.id}`)
    onRequest(`GET ${DATASET}/item-rows/{itemId}`, detail())
    const row = await rowOf(/battery/)
    row.focus()
    await user.keyboard('{Enter}')
    const editor = await screen.findByRole('textbox', { name: 'Question of item 41' })
    await eventually(() => expect(document.activeElement).toBe(editor))
    await user.clear(editor)
    await user.type(editor, 'Is my motor covered?{Enter}')
    await rowOf(/Is my motor covered/)
    expect(requestsOf(change).map(({ body }) => body)).toEqual([{ input: 'Is my motor covered?' }])
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await eventually(() => expect(requestsOf(change).at(-1)?.body).toEqual({ input: 'Is my battery covered?' }))
  })

  it('is edited by a double click on the cell, although the first click opens the panel; letters go to the field', async () => {
    onRequest(change, ({ body }) => ({ ...ITEM, ...Object(body) }))
    const user = openDataset()
    onRequest(`GET ${DATASET}/item-rows/{itemId}`, detail())
    const row = await rowOf(/battery/)
    await user.dblClick(within(row).getByText('Yes, below 70 %.'))
    const editor = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Expected of item 41' })
    await eventually(() => expect(document.activeElement).toBe(editor))
    await user.keyboard('jx/')
    expect(editor.value).toContain('jx/')
    await user.keyboard('{Escape}')
    expect(requestsOf(change)).toEqual([])
  })

  it('shows the scores of two metrics with their names', async () => {
    openDataset()
    expect((await rowOf(/battery/)).textContent).toMatch(/✗failed the check\s*grounded/)
  })

  it('is not changed by Escape, and Tab goes on to the next text', async () => {
    const user = openDataset()
    const row = await rowOf(/battery/)
    fireEvent.doubleClick(within(row).getByText('Is my battery covered?'))
    const editor = await screen.findByRole('textbox', { name: 'Question of item 41' })
    await user.type(editor, ' changed{Escape}')
    await eventually(() => expect(screen.queryByRole('textbox', { name: /of item/ })).toBeNull())
    fireEvent.doubleClick(within(row).getByText('Is my battery covered?'))
    const again = await screen.findByDisplayValue('Is my battery covered?')
    await eventually(() => expect(document.activeElement).toBe(again))
    await user.keyboard('{Tab}')
    await screen.findByRole('textbox', { name: 'Expected of item 41' })
    expect(requestsOf(change)).toEqual([])
  })

  it('moves to another split by the select of its row', async () => {
    onRequest(change, ({ body }) => ({ ...ITEM, ...Object(body) }))
    const user = openDataset()
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Split of item 41' }), 'train')
    await eventually(() => expect(requestsOf(change).map(({ body }) => body)).toEqual([{ split: 'train' }]))
  })

  it('keeps what could not be saved, and tries again', async () => {
    onRequest(change, failed(503, 'The database is busy'))
    const user = openDataset()
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Split of item 41' }), 'train')
    await screen.findByText('Could not be saved')
    onRequest(change, { ...ITEM, split: 'train' })
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByText('Saved')
  })

  function detail(): ItemDetail {
    const history = { createdBy: ADA.id, changedAt: '2026-11-14T09:00:00.000Z', changedBy: ADA.id }
    return { item: ITEM, row: FIRST, runs: RUNS, history }
  }

  it('is shown next to the list with its texts, results, source and history', async () => {
    onRequest(`GET ${DATASET}/item-rows/{itemId}`, detail())
    openDataset(`?item=${FIRST.id}`)
    const panel = await screen.findByRole('complementary', { name: 'Item' })
    await within(panel).findByText('Yes, below 70 %.')
    expect(panel.textContent).toContain('"channel": "mail"')
    expect(within(panel).getByRole('link', { name: 'v7' }).getAttribute('href')).toContain(`runs/${idOf(62)}`)
    expect(within(panel).getByRole('link', { name: 'Compare its trace with v6' }).getAttribute('href')).toBe(
      inSupport('traces/compare?left=a&right=b'),
    )
    expect(within(panel).getByRole('link', { name: 'Open the trace' }).getAttribute('href')).toContain(idOf(9))
    await eventually(() => expect(panel.textContent).toContain('by Ada Lovelace'))
  })
})

describe('metadata', () => {
  it('that is no JSON object is not sent, and the message says why', async () => {
    const change = `PATCH ${DATASET}/items/{itemId}`
    const history = { createdBy: null, changedAt: null, changedBy: null }
    onRequest(`GET ${DATASET}/item-rows/{itemId}`, { item: ITEM, row: FIRST, runs: RUNS, history })
    onRequest(change, ({ body }) => ({ ...ITEM, ...Object(body) }))
    const user = openDataset(`?item=${FIRST.id}`)
    await user.click(await screen.findByRole('button', { name: 'Edit metadata' }))
    const field = await screen.findByRole('textbox', { name: 'Metadata' })
    fireEvent.change(field, { target: { value: '{"channel":' } })
    expect((await screen.findByRole('alert')).textContent).toContain('This is not JSON')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(requestsOf(change)).toEqual([])
    fireEvent.change(field, { target: { value: '{"channel": "chat"}' } })
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await eventually(() =>
      expect(requestsOf(change).map(({ body }) => body)).toEqual([{ metadata: { channel: 'chat' } }]),
    )
  })
})

describe('many items', () => {
  it('move to a split together, and back', async () => {
    const bulk = `POST ${DATASET}/items/bulk`
    onRequest(bulk, { changed: 1, before: [{ split: 'test', ids: [FIRST.id] }] })
    const user = openDataset()
    await user.click(within(await rowOf(/battery/)).getByRole('checkbox'))
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Move to a split' }), 'validation')
    await screen.findByText('1 item moved to validation.')
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await eventually(() =>
      expect(requestsOf(bulk).map(({ body }) => body)).toEqual([
        { ids: [FIRST.id], set: { split: 'validation' } },
        { ids: [FIRST.id], set: { split: 'test' } },
      ]),
    )
  })

  it('are distributed over splits by shares', async () => {
    const assign = `POST ${DATASET}/assign-splits`
    onRequest(assign, { changed: 2, counts: { train: 1, validation: 0, test: 1 }, before: [] })
    const user = openDataset()
    await user.click(await screen.findByRole('button', { name: 'More about this dataset' }))
    await user.click(await screen.findByRole('menuitem', { name: /Groups, splits/ }))
    await user.click(await screen.findByRole('button', { name: 'Distribute' }))
    await screen.findByText('Now 1 train, 0 validation, 1 test.')
    expect(requestsOf(assign).map(({ body }) => body)).toEqual([
      { shares: { train: 0.6, validation: 0.2, test: 0.2 }, seed: '1', items: 'without_split' },
    ])
  })
})

describe('new items', () => {
  it('are written by hand', async () => {
    const post = `POST ${DATASET}/items`
    onRequest(`GET ${DATASET}/items`, { data: [] })
    onRequest(post, { data: [ITEM] })
    const user = openDataset()
    await user.click(await screen.findByRole('button', { name: 'Add items' }))
    await user.click(await screen.findByRole('menuitem', { name: 'By hand…' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox', { name: /Question/ }), 'Why?')
    await user.type(dialog.getByRole('textbox', { name: /Expected/ }), 'Because.')
    await user.click(dialog.getByRole('button', { name: 'Add' }))
    await screen.findByText('The item is added.')
    expect(requestsOf(post).map(({ body }) => body)).toEqual([[{ input: 'Why?', expected: 'Because.', split: null }]])
  })

  it('come from the traces that a query finds, which are counted first', async () => {
    const post = `POST ${DATASET}/items/from-query`
    const counted = {
      data: [],
      nextCursor: null,
      total: 1204,
      totalIsExact: true,
      sortIsComplete: true,
      searchedSince: null,
    }
    onRequest('GET /traces', counted)
    onRequest('GET /traces/series', SERIES)
    onRequest(post, { added: 100, skipped: 2, addedIds: [] })
    const user = openDataset()
    await user.click(await screen.findByRole('button', { name: 'Add items' }))
    await user.click(await screen.findByRole('menuitem', { name: 'From traces by a query…' }))
    await screen.findByText('1,204')
    await user.click(await screen.findByRole('button', { name: 'Add up to 100' }))
    await screen.findByText('Added 100 items. 2 traces skipped: items already.')
    expect(requestsOf(post).map(({ body }) => body)).toEqual([
      { q: 'component:"assistant"', limit: 100, expected: 'none', split: null },
    ])
  })

  it('have three ways in an empty dataset', async () => {
    onRequest(`GET ${DATASET}/contents`, { ...CONTENTS, items: 0 })
    openDataset()
    await screen.findByRole('heading', { name: 'No item yet' })
    expect(screen.getByRole('link', { name: 'Import a file' }).getAttribute('href')).toBe(`${PAGE}/import`)
    screen.getByRole('button', { name: 'From traces' })
    screen.getByRole('button', { name: 'Write one by hand' })
  })

  it('cannot be added or changed by a viewer', async () => {
    openDataset('', 'viewer')
    await rowOf(/battery/)
    expect(screen.getByRole('button', { name: 'Add items' }).getAttribute('aria-disabled')).toBe('true')
    expect(screen.queryByRole('combobox', { name: /Split of item/ })).toBeNull()
    expect(screen.queryByRole('checkbox')).toBeNull()
  })
})
