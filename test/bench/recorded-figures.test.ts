/** What recorded benchmarks are compared by, and when the comparison fails. */
import { describe, expect, it } from 'vitest'
import { bestOf, changesTable, compareWithRecorded } from '../../bench/harness/compare-recorded.ts'
import { type Figure, figuresOf } from '../../bench/harness/figure.ts'
import type { Line } from '../../bench/harness/line.ts'
import { mergeRecorded, type RecordedFigure, recordedText } from '../../bench/harness/recorded-figures.ts'

function only(line: Line, yardstickMicros = 50_000): Figure | undefined {
  return [...figuresOf({ name: 'group', lines: [{ ...line, yardstickMicros }] }).values()][0]
}

const measured = (line: Line) => ({ ...line, yardstickMicros: 50_000 })

const ratio = (value: number, more: Partial<Figure> = {}): Figure => ({
  value,
  unit: 'x',
  better: 'less',
  ratio: value,
  ...more,
})
const verdictOf = (recorded: Figure, now: Figure) =>
  compareWithRecorded(new Map([['line', recorded]]), new Map([['line', now]]))[0]?.verdict

describe('figures of printed lines', () => {
  it('a ratio has its bar and its spread, and is compared as it is', () => {
    expect(
      only({ name: 'GET one', value: '2.80x', bar: '<= 2.5x', isMet: false, detail: '2.51-3.60; CPU 90' }),
    ).toEqual({
      value: 2.8,
      unit: 'x',
      better: 'less',
      bar: 2.5,
      spread: [2.51, 3.6],
      ratio: 2.8,
    })
  })

  it('CPU time and amounts per CPU second are the same ratio on a machine of half the speed', () => {
    const compare = { name: 'CPU: compare two runs', bar: '<= 300 ms', isMet: true, detail: '' }
    const fast = only({ ...compare, value: '200 ms' }, 50_000)
    const slow = only({ ...compare, value: '400 ms' }, 100_000)
    expect([fast?.ratio, slow?.ratio, fast?.better]).toEqual([4, 4, 'less'])
    const ingest = { name: 'json, 512 spans a request, per CPU second', detail: '' }
    const many = only({ ...ingest, value: '30000' }, 50_000)
    const few = only({ ...ingest, value: '15000' }, 100_000)
    expect([many?.ratio, few?.ratio, many?.better]).toEqual([1500, 1500, 'more'])
  })

  it('memory, times by the clock and counts of errors are recorded without a ratio', () => {
    const lines = [
      { name: 'start again until ready', value: '612 ms', detail: '' },
      { name: 'idle memory', value: '142 MB', bar: '<= 160 MB', isMet: true, detail: '' },
      { name: 'other answers', value: '0 ', bar: '<= 0 ', isMet: true, detail: '' },
      { name: 'index', value: '4.1 us', detail: '3.9-4.4 a span' },
    ]
    const figures = [...figuresOf({ name: 'g', lines: lines.map(measured) }).values()]
    expect(figures.map(({ value, unit, ratio }) => [value, unit, ratio])).toEqual([
      [612, 'ms', undefined],
      [142, 'MB', undefined],
      [0, '', undefined],
      [4.1, 'us', undefined],
    ])
  })

  it('coverages of intervals are not recorded', () => {
    expect(
      only({ name: 'Wilson', value: '94.8 %', bar: '93-97 %', isMet: true, detail: '2000 samples' }),
    ).toBeUndefined()
  })

  it('parts of lines have the name of their line, so that equal names differ', () => {
    const part = { name: '  storing by decoding', value: '2.00x', detail: '' }
    const lines = [
      { name: 'protobuf', value: '26000', detail: '' },
      part,
      { name: 'json', value: '20000', detail: '' },
      part,
    ]
    expect([...figuresOf({ name: 'ingest', lines: lines.map(measured) }).keys()]).toEqual([
      'ingest: protobuf',
      'ingest: protobuf, storing by decoding',
      'ingest: json',
      'ingest: json, storing by decoding',
    ])
    expect(() => figuresOf({ name: 'ingest', lines: [part, part].map(measured) })).toThrow('two lines')
  })
})

describe('comparison with recorded figures', () => {
  it('a ratio may be 20 % higher and no more', () => {
    expect(verdictOf(ratio(2.5), ratio(3))).toBe('same')
    expect(verdictOf(ratio(2.5), ratio(3.01))).toBe('worse')
    expect(verdictOf(ratio(2.5), ratio(1.9))).toBe('better')
  })

  it('of a throughput, less is worse', () => {
    const rate = (value: number) => ratio(value, { unit: '', better: 'more' })
    expect(verdictOf(rate(1000), rate(800))).toBe('same')
    expect(verdictOf(rate(1000), rate(790))).toBe('worse')
    expect(verdictOf(rate(1000), rate(1300))).toBe('better')
  })

  it('a time without a ratio is never worse', () => {
    const time = (value: number): Figure => ({ value, unit: 'ms', better: 'less' })
    expect(verdictOf(time(10), time(1000))).toBe('not compared')
  })

  it('a line that is worse once and not in the second measurement is not worse', () => {
    const recorded = new Map([['line', ratio(2)]])
    const twice = bestOf(new Map([['line', ratio(4)]]), new Map([['line', ratio(2.1)]]))
    expect(compareWithRecorded(recorded, twice)[0]?.verdict).toBe('same')
    const rates = [900, 1100].map((value) => new Map([['line', ratio(value, { better: 'more' })]]))
    expect(bestOf(rates[0] ?? new Map(), rates[1] ?? new Map()).get('line')?.value).toBe(1100)
  })

  it('the table has recorded, now and change, and names lines that only one run has', () => {
    const recorded = new Map([
      ['list: 50', ratio(2)],
      ['list: gone', ratio(1)],
    ])
    const now = new Map([
      ['list: 50', ratio(2.5)],
      ['list: added', ratio(1)],
    ])
    expect(changesTable(compareWithRecorded(recorded, now)).split('\n')).toEqual([
      'line      recorded   now  change',
      'list: 50      2.00  2.50   +25 %  WORSE',
      'recorded, but not measured: list: gone',
      'measured, but not recorded: list: added',
    ])
  })
})

describe('recorded.json', () => {
  const about = { effort: 'full', date: '2026-11-17' } as const
  const figure = (value: number): RecordedFigure => ({ ...ratio(value), ...about })

  it('recording one group keeps the others, in their order, and drops lines that are gone', () => {
    const before = new Map([
      ['old: of a group that is gone', figure(9)],
      ['list: 50', figure(1)],
      ['list: gone', figure(2)],
      ['create: component', figure(3)],
    ])
    const now = new Map([['list: 50', figure(4)]])
    const merged = mergeRecorded(before, now, { measured: ['list'], all: ['list', 'create'] })
    expect([...merged].map(([name, { value }]) => [name, value])).toEqual([
      ['list: 50', 4],
      ['create: component', 3],
    ])
  })

  it('is JSON with one line for each figure', () => {
    const figures = new Map([
      ['a: "quoted"', { ...figure(1), spread: [0.5, 2] satisfies [number, number] }],
      ['b: other', figure(2)],
    ])
    expect(JSON.parse(recordedText(figures))).toEqual(Object.fromEntries(figures))
    expect(recordedText(figures).trimEnd().split('\n')).toHaveLength(4)
  })
})
