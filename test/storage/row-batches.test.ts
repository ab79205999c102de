import { describe, expect, it } from 'vitest'
import { inReferenceOrder } from '../../src/storage/postgres/catalog.ts'
import { comparableRow, cutIntoBatches } from '../../src/storage/row-batches.ts'

describe('batches of rows', () => {
  it('end at the limit of rows and after the row that reaches the limit of characters', () => {
    const rows = ['aa', 'bbbbbb', 'c', 'd', 'e', 'f'].map((text) => [text])
    const batches = [...cutIntoBatches(rows, { rowsMax: 3, charactersMax: 8 })]
    expect(batches).toEqual([[['aa'], ['bbbbbb']], [['c'], ['d'], ['e']], [['f']]])
    expect([...cutIntoBatches([])]).toEqual([])
  })

  it('are read only as they are needed', () => {
    let read = 0
    function* rows() {
      for (;;) {
        read += 1
        yield [read]
      }
    }
    cutIntoBatches(rows(), { rowsMax: 2, charactersMax: 100 }).next()
    expect(read).toBe(2)
  })
})

describe('comparable rows', () => {
  const shape = { columns: [{ type: 'int8' }, { type: 'timestamptz' }, { type: 'text' }, { type: 'float8' }] }

  it('are equal for the forms that both engines return', () => {
    const embedded = [1_763_200_000_123_456_789n, '2026-11-14T09:30:00.500Z', 'ü', 0.1]
    const served = ['1763200000123456789', '2026-11-14T09:30:00.500Z', 'ü', 0.1]
    expect(comparableRow(shape, embedded)).toBe(comparableRow(shape, served))
  })

  it('differ by the last digit of a number, by a millisecond, and between null and an empty text', () => {
    const row = [1_763_200_000_123_456_789n, '2026-11-14T09:30:00.500Z', '', 0.1]
    const others = [
      ['1763200000123456788', row[1], '', 0.1],
      ['1763200000123456789', '2026-11-14T09:30:00.501Z', '', 0.1],
      ['1763200000123456789', row[1], null, 0.1],
      ['1763200000123456789', row[1], '', 0.10000000000000002],
    ]
    for (const other of others) expect(comparableRow(shape, other)).not.toBe(comparableRow(shape, row))
  })
})

describe('the order of tables', () => {
  it('has every table after those that it refers to, and itself counts as none', () => {
    const keys = [
      { table: 'spans', parent: 'traces' },
      { table: 'traces', parent: 'workspaces' },
      { table: 'traces', parent: 'traces' },
    ]
    expect(inReferenceOrder(['spans', 'traces', 'workspaces'], keys)).toEqual(['workspaces', 'traces', 'spans'])
  })

  it('is an error if tables refer to each other in a circle', () => {
    const keys = [
      { table: 'a', parent: 'b' },
      { table: 'b', parent: 'a' },
    ]
    expect(() => inReferenceOrder(['a', 'b'], keys)).toThrow('in a circle: a, b')
  })
})
