/** The text index of SQLite alone, with its steps, merges and sweeps in any order between inserts and deletes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addCandidateTable } from '../../src/traces/search/candidate-table.ts'
import { markOf } from '../../src/traces/search/list-ids.ts'
import { SqliteSearchIndex, searchFileOf } from '../../src/traces/search/sqlite-index.ts'
import { trigramsOf } from '../../src/traces/search/trigrams.ts'
import { runs } from '../harness/stage.ts'

const SIGNS = ['a', 'B', '1', ' ', '"', '\\', 'ß', 'İ', 'é', 'e\u0301', '😀', '漢', '\n']
const WORKSPACES: string[] = ['w1', 'w2']
const text = fc.string({ unit: fc.constantFrom(...SIGNS), maxLength: 30 })
const row = fc.record({
  workspaceId: fc.constantFrom(...WORKSPACES),
  name: text,
  input: fc.option(text),
  output: fc.option(text),
})
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('insert' as const), rows: fc.array(row, { maxLength: 6 }) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('step' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), tenths: fc.integer({ min: 1, max: 10 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  // Positions of spans that were stored and deleted before they were indexed.
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('skip' as const), positions: fc.constantFrom(200, 20_000, 300_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
)
const part = fc.record({ at: fc.nat(), from: fc.nat(29), length: fc.integer({ min: 3, max: 30 }) })

type Row = { workspaceId: string; name: string; input: string | null; output: string | null }
const NEEDLE: Row = { workspaceId: 'w1', name: 'needle', input: null, output: null }

type Action = typeof action extends fc.Arbitrary<infer Drawn> ? Drawn : never

class Indexed {
  readonly #folder = mkdtempSync(join(tmpdir(), 'touchstone-test-'))
  readonly #file = join(this.#folder, 'test.db')
  readonly #main = new Database(this.#file)
  #index: SqliteSearchIndex

  constructor() {
    this.#main.pragma('journal_mode = WAL')
    this.#main.pragma('synchronous = OFF')
    this.#main.exec(`create table spans (position integer primary key autoincrement, workspace_id text, span_id text,
      name text, input text, output text)`)
    this.#index = new SqliteSearchIndex(this.#main, this.#file)
  }

  act(action: Action): void {
    if (action.do === 'insert') for (const row of action.rows) this.#insert(row)
    else if (action.do === 'step') this.#index.step()
    else if (action.do === 'delete') this.#main.prepare('delete from spans where position % 10 < ?').run(action.tenths)
    else if (action.do === 'sweep') this.#index.sweep()
    else if (action.do === 'skip') this.#main.prepare('update sqlite_sequence set seq = seq + ?').run(action.positions)
    else {
      this.#index.close()
      this.#index = new SqliteSearchIndex(this.#main, this.#file)
    }
  }

  finish(work: 'step' | 'sweep'): void {
    while (this.#index[work]());
  }

  /** The indexed spans, and which of them the index returns for a text of an application. */
  read(): { rows: (Row & { position: number })[]; candidates(workspaceId: string, text: string): Set<unknown> } {
    const index = new Database(searchFileOf(this.#file), { readonly: true })
    const reader = new Database(this.#file, { readonly: true })
    addCandidateTable(reader, index)
    const rows = this.#main
      .prepare<unknown[], Row & { position: number }>(
        'select position, workspace_id as workspaceId, name, input, output from spans where position <= ?',
      )
      .all(index.prepare('select position from progress').pluck().get())
    const find = reader.prepare('select position from span_candidates(?, ?, ?)').pluck()
    return {
      rows,
      candidates: (workspaceId, wanted) =>
        new Set(find.all(markOf(workspaceId), JSON.stringify(trigramsOf(wanted)), Number.MAX_SAFE_INTEGER)),
    }
  }

  /** Each step becomes a segment. */
  addSteps(count: number, rows: number): void {
    for (let step = 0; step < count; step += 1) {
      for (let row = 0; row < rows; row += 1) this.#insert(NEEDLE)
      this.finish('step')
    }
  }

  /** Of 40 spans with most trigrams there are: eight such segments are too large to be merged again. */
  addLargeStep(): void {
    for (let row = 0; row < 40; row += 1) this.#insert({ ...NEEDLE, input: manyTrigrams(row) })
    this.finish('step')
  }

  /** Every span is found, no segment overlaps another, and none is empty. */
  expectAllFound(): void {
    const { rows, candidates } = this.read()
    const found = candidates(NEEDLE.workspaceId, NEEDLE.name)
    expect(rows.filter(({ position }) => !found.has(position)).length).toBe(0)
    const index = new Database(searchFileOf(this.#file), { readonly: true })
    const segments = index
      .prepare<unknown[], { first: number; last: number; bytes: number }>('select * from segments order by first')
      .all()
    index.close()
    const overlapping = segments.filter(({ first }, place) => first <= (segments[place - 1]?.last ?? 0))
    expect({ overlapping, empty: segments.filter(({ bytes }) => bytes === 0) }).toEqual({ overlapping: [], empty: [] })
  }

  remove(): void {
    this.#index.close()
    this.#main.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #insert({ workspaceId, name, input, output }: Row): void {
    this.#main
      .prepare('insert into spans (workspace_id, span_id, name, input, output) values (?, ?, ?, ?, ?)')
      .run(workspaceId, 's', name, input, output)
  }
}

function manyTrigrams(seed: number): string {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % 36
  }
  return Array.from({ length: 50_000 }, () => next().toString(36)).join('')
}

function textsOf({ name, input, output }: Row): string[] {
  return [name, input, output].filter((own) => own !== null)
}

function fold(written: string): string {
  return written.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

it('an index returns every span that contains a text, for any order of builds, merges and sweeps', {
  tags: 'sized',
}, () => {
  const actions = fc.array(action, { minLength: 30, maxLength: 120 })
  fc.assert(
    fc.property(actions, fc.array(part, { minLength: 10, maxLength: 10 }), (all, parts) => {
      const indexed = new Indexed()
      const expectComplete = () => {
        const { rows, candidates } = indexed.read()
        for (const { at, from, length } of parts) {
          const chosen = rows[at % rows.length]
          const [longest = ''] = chosen ? textsOf(chosen).sort((a, b) => b.length - a.length) : []
          const start = from % Math.max(1, longest.length - 3)
          const wanted = fold(longest.slice(start, start + length).toWellFormed())
          if (!chosen || trigramsOf(wanted).length === 0) continue
          const found = candidates(chosen.workspaceId, wanted)
          const matching = rows.filter(
            (own) => own.workspaceId === chosen.workspaceId && textsOf(own).some((one) => fold(one).includes(wanted)),
          )
          const foreign = rows.filter((own) => own.workspaceId !== chosen.workspaceId && found.has(own.position))
          expect(foreign, 'of another application').toEqual([])
          expect({ wanted, missing: matching.filter(({ position }) => !found.has(position)) }).toEqual({
            wanted,
            missing: [],
          })
        }
      }
      try {
        for (const one of all) indexed.act(one)
        expectComplete()
        indexed.finish('step')
        expectComplete()
        indexed.finish('sweep')
        expectComplete()
      } finally {
        indexed.remove()
      }
    }),
    { numRuns: runs(10), endOnFailure: true },
  )
})

it('a merge between two parts of a sweep loses no span', { tags: 'deep' }, () => {
  const indexed = new Indexed()
  try {
    const addSteps = (count: number) => indexed.addSteps(count, 100)
    // Eight segments become one, seven are left.
    addSteps(15)
    indexed.act({ do: 'delete', tenths: 5 })
    indexed.act({ do: 'sweep' })
    addSteps(1)
    indexed.finish('sweep')
    addSteps(8)
    indexed.finish('sweep')
    addSteps(48)
    indexed.finish('sweep')
    indexed.expectAllFound()
  } finally {
    indexed.remove()
  }
})

it('large segments that a sweep shrinks are not merged with newer ones across others', { tags: 'deep' }, () => {
  const indexed = new Indexed()
  try {
    for (let step = 0; step < 8; step += 1) indexed.addLargeStep()
    indexed.addSteps(72, 10)
    indexed.act({ do: 'delete', tenths: 9 })
    indexed.finish('sweep')
    indexed.addSteps(72, 10)
    indexed.expectAllFound()
  } finally {
    indexed.remove()
  }
})

it('two applications with the same mark both find their spans', () => {
  const [first, second] = sameMark()
  const indexed = new Indexed()
  try {
    const rows = [first, second, first].map((workspaceId) => ({
      workspaceId,
      name: 'needle',
      input: null,
      output: null,
    }))
    indexed.act({ do: 'insert', rows })
    indexed.finish('step')
    const { candidates } = indexed.read()
    expect([...candidates(first, 'needle')]).toEqual([1, 2, 3])
    expect([...candidates(second, 'needle')]).toEqual([1, 2, 3])
  } finally {
    indexed.remove()
  }
})

function sameMark(): [string, string] {
  const ids = new Map<number, string>()
  for (let number = 0; ; number += 1) {
    const id = `workspace ${number}`
    const other = ids.get(markOf(id))
    if (other !== undefined) return [other, id]
    ids.set(markOf(id), id)
  }
}
