// @module-tag deep
import { existsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { searchFileOf } from '../../src/traces/search/sqlite-index.ts'
import type { Client } from '../harness/client.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { type SpanSketch, sendSpans, spanIdOf } from '../harness/otlp-json.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { startServer, waitFor } from '../harness/server-process.ts'
import { rounds } from '../harness/stage.ts'

const ROUNDS = rounds({ test: 4, soak: 100 })
const SPANS_PER_BATCH = 200
const START_MS = Date.now() - 600_000
const DAMAGES = ['none', 'half of the file is missing', 'the first pages are overwritten', 'another version'] as const

describe('kill -9 of the server while it indexes texts', () => {
  it(`makes no search miss a span, also if the index is damaged then, ${ROUNDS} times`, async () => {
    const random = randomOfTest()
    const database = await createTestDatabase('sqlite', 'migrated')
    const file = database.url.slice('file:'.length)
    let server = await startServer(database.url)
    const stored = new Set<number>()
    let next = 0
    const expectFound = async (times: number) => {
      for (let time = 0; time < times; time += 1) {
        const first = random(next / 10) * 10
        const expected = Array.from({ length: 10 }, (_, place) => first + place).filter((number) => stored.has(number))
        expect(await search(server.client, wordOf(first))).toEqual(expected.map(traceIdOf))
      }
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let batch = 0; batch < 6; batch += 1) {
        const numbers = Array.from({ length: SPANS_PER_BATCH }, () => next++)
        await sendSpans(server.client, numbers.map(spanOf))
        for (const number of numbers) stored.add(number)
      }
      for (let time = 0; time < 20; time += 1) {
        const number = random(next)
        if (!stored.delete(number)) continue
        expect((await server.client.delete(`/traces/${traceIdOf(number)}`)).status).toBe(204)
      }
      // The first search starts the indexer, if the last batch has not yet. So many searches later it is somewhere in its work.
      await expectFound(1 + random(40))
      await server.kill()
      damage(searchFileOf(file), DAMAGES[round % DAMAGES.length] ?? 'none')
      server = await startServer(database.url)
      await expectFound(20)
      await waitFor('the index of all spans', async () => isComplete(file) || undefined)
      await expectFound(20)
    }
    await server.kill()
    database.remove()
  })
})

/** Ten spans have the same word. */
function spanOf(number: number): SpanSketch {
  const input = `${wordOf(number)} ${'filler '.repeat(number % 400)} ${number * 7_919}`
  return {
    traceId: traceIdOf(number),
    spanId: spanIdOf(1),
    start: START_MS + number,
    attributes: { 'touchstone.input': input },
  }
}

function wordOf(number: number): string {
  return `word${String(Math.floor(number / 10)).padStart(5, '0')}`
}

function traceIdOf(number: number): string {
  return `f${String(number).padStart(31, '0')}`
}

async function search(client: Client, word: string): Promise<string[]> {
  return (await client.list(`/traces?limit=100&q=${word}`)).map(({ traceId }) => String(traceId)).sort()
}

function damage(searchFile: string, how: (typeof DAMAGES)[number]): void {
  if (how === 'none' || !existsSync(searchFile)) return
  if (how === 'half of the file is missing') truncateSync(searchFile, Math.floor(statSync(searchFile).size / 2))
  else if (how === 'the first pages are overwritten')
    writeFileSync(searchFile, Buffer.alloc(8_192, 'x'), { flag: 'r+' })
  else {
    const index = new Database(searchFile)
    index.exec('update progress set form = 0')
    index.close()
  }
}

function isComplete(file: string): boolean {
  const index = new Database(searchFileOf(file), { readonly: true })
  const database = new Database(file, { readonly: true })
  try {
    const position = Number(index.prepare('select position from progress').pluck().get())
    return position >= Number(database.prepare('select max(position) from spans').pluck().get())
  } finally {
    index.close()
    database.close()
  }
}
