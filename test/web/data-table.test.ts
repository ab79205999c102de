import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { DataColumn } from '../../web/src/ui/data-table/data-column.ts'
import { DataTable } from '../../web/src/ui/data-table/data-table.tsx'
import type { DataTableProps } from '../../web/src/ui/data-table/table-props.ts'
import { eventually, showPart } from './open-page.ts'

type Item = { id: string; name: string; tokens: number }

const COLUMNS: DataColumn<Item>[] = [
  { id: 'name', title: 'Name', width: 200, cell: ({ name }) => name },
  { id: 'tokens', title: 'Tokens', width: 80, align: 'right', isSortable: true, cell: ({ tokens }) => String(tokens) },
  { id: 'id', title: 'Id', width: 80, cell: ({ id }) => id },
]

const rowId = ({ id }: Item) => id
const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `i${index}`, name: `item ${index}`, tokens: index * 3 }))

beforeEach(() => {
  // happy-dom lays out nothing: a header of 33 px in a scroller of 600, and cards of 100.
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockImplementation(function (this: HTMLElement) {
    return this.tagName === 'THEAD' ? 33 : 100
  })
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
})

/** A page that keeps the state of the table, as pages do in the address. */
function showTable(given: Partial<DataTableProps<Item>> = {}) {
  const state: DataTableProps<Item> = {
    label: 'Items',
    columns: COLUMNS,
    columnIds: ['name', 'tokens'],
    rows: items(50),
    rowId,
    empty: 'No item yet',
    selection: new Set(),
    onSelectionChange: (selection) => change({ selection }),
    onActiveChange: (activeId) => change({ activeId }),
    ...given,
  }
  const { user, update } = showPart(DataTable<Item>, state)
  function change(next: Partial<DataTableProps<Item>>) {
    Object.assign(state, next)
    update({ ...state })
  }
  return { user, state, change }
}

const grid = () => screen.findByRole('grid', { name: 'Items' })
const shownRows = () => [...document.querySelectorAll('tr[data-row-id]')].map((row) => row.getAttribute('data-row-id'))
const selected = (state: DataTableProps<Item>) => [...(state.selection ?? [])].sort()

describe('a table of 100,000 rows', () => {
  it('has only the rows in view in the document, and says how many there are', async () => {
    showTable({ rows: items(100_000) })
    const table = await grid()
    await eventually(() => expect(shownRows().length).toBeGreaterThan(10))
    expect(document.querySelectorAll('*').length).toBeLessThan(1500)
    expect(table.getAttribute('aria-rowcount')).toBe('100001')
    expect(within(table).getByText('item 0').closest('tr')?.getAttribute('aria-rowindex')).toBe('2')
  })
})

describe('the columns of a table', () => {
  it('are the chosen ones in their order, with the first always there and first', async () => {
    const { change } = showTable({ columnIds: ['id', 'tokens'] })
    await grid()
    const titles = () => screen.getAllByRole('columnheader').map((header) => header.textContent)
    expect(titles()).toEqual(['', 'Name', 'Id', 'Tokens'])
    change({ columnIds: ['tokens', 'name'] })
    await eventually(() => expect(titles()).toEqual(['', 'Name', 'Tokens']))
  })

  it('are sorted by the caller: the largest first, then the smallest', async () => {
    const onSortChange = vi.fn((sort) => change({ sort }))
    const { user, change } = showTable({ onSortChange })
    await user.click(await screen.findByRole('button', { name: 'Tokens' }))
    expect(onSortChange).toHaveBeenLastCalledWith({ columnId: 'tokens', direction: 'descending' })
    const header = screen.getByRole('columnheader', { name: 'Tokens' })
    await eventually(() => expect(header.getAttribute('aria-sort')).toBe('descending'))
    await user.click(screen.getByRole('button', { name: 'Tokens' }))
    expect(onSortChange).toHaveBeenLastCalledWith({ columnId: 'tokens', direction: 'ascending' })
  })
})

describe('selecting rows', () => {
  it('selects one by its checkbox, and a range with shift', async () => {
    const { user, state } = showTable()
    await grid()
    await user.click(await screen.findByRole('checkbox', { name: 'Select row 2' }))
    expect(selected(state)).toEqual(['i1'])
    await user.keyboard('{Shift>}')
    await user.click(screen.getByRole('checkbox', { name: 'Select row 5' }))
    await user.keyboard('{/Shift}')
    expect(selected(state)).toEqual(['i1', 'i2', 'i3', 'i4'])
    await eventually(() =>
      expect(screen.getByRole('row', { name: /item 3/ }).getAttribute('aria-selected')).toBe('true'),
    )
  })

  it('selects all loaded rows and none by the header', async () => {
    const { user, state } = showTable({ rows: items(3) })
    await user.click(await screen.findByRole('checkbox', { name: 'Select all loaded rows' }))
    expect(selected(state)).toEqual(['i0', 'i1', 'i2'])
    await user.click(screen.getByRole('checkbox', { name: 'Select all loaded rows' }))
    expect(selected(state)).toEqual([])
  })
})

describe('the keys of a table', () => {
  it('j and k move the active row and the focus, x selects it, Enter opens it', async () => {
    const onOpen = vi.fn()
    const { user, state } = showTable({ onOpen, activeId: 'i0' })
    await eventually(() => expect(shownRows()).toContain('i2'))
    document.querySelector<HTMLElement>('[data-row-id=i0]')?.focus()
    await user.keyboard('jj')
    expect(state.activeId).toBe('i2')
    await eventually(() => expect(document.activeElement?.getAttribute('data-row-id')).toBe('i2'))
    await user.keyboard('k')
    expect(state.activeId).toBe('i1')
    await user.keyboard('x')
    expect(selected(state)).toEqual(['i1'])
    await user.keyboard('{Enter}')
    expect(onOpen).toHaveBeenCalledWith('i1')
  })

  it('stop at the first and the last row', async () => {
    const { user, state } = showTable({ rows: items(2), activeId: 'i1' })
    await eventually(() => expect(shownRows()).toEqual(['i0', 'i1']))
    document.querySelector<HTMLElement>('[data-row-id=i1]')?.focus()
    await user.keyboard('j')
    expect(state.activeId).toBe('i1')
    await user.keyboard('kkk')
    expect(state.activeId).toBe('i0')
  })
})

describe('the pages of a table', () => {
  it('requests the next page once when its rows are about to come into view', async () => {
    const onLoadMore = vi.fn()
    const { change } = showTable({ hasMore: true, onLoadMore, rows: items(30) })
    await eventually(() => expect(onLoadMore).toHaveBeenCalled())
    change({ isLoadingMore: true })
    await screen.findByRole('button', { name: 'Loading more…' })
    change({ isLoadingMore: false, moreError: 'The next page failed' })
    await screen.findByText('The next page failed')
    expect(onLoadMore).toHaveBeenCalledTimes(1)
  })

  it('does not count rows that the server has not counted', async () => {
    showTable({ hasMore: true, rows: items(500) })
    expect((await grid()).getAttribute('aria-rowcount')).toBe('-1')
  })
})

describe('a table without rows', () => {
  it('says that it loads', async () => {
    showTable({ rows: [], isLoading: true })
    expect((await screen.findByRole('status')).textContent).toBe('Loading…')
  })

  it('says why it is empty', async () => {
    showTable({ rows: [] })
    await screen.findByText('No item yet')
  })

  it('shows the error', async () => {
    showTable({ rows: [], error: 'The database is busy' })
    await screen.findByText('The database is busy')
    expect(screen.queryByText('No item yet')).toBeNull()
  })
})

describe('a table on a phone', () => {
  it('is a list of cards', async () => {
    vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
      Object.assign(new EventTarget(), { matches: query === '(max-width: 639px)', media: query } as MediaQueryList),
    )
    const { user, state } = showTable()
    const list = await screen.findByRole('list', { name: 'Items' })
    expect(screen.queryByRole('grid')).toBeNull()
    await user.click(await within(list).findByText('item 1'))
    expect(state.activeId).toBe('i1')
  })
})
