/** What a client of the original service has sent, and what it was answered, with ids by the order in which they appeared. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Exchange = { method: string; path: string; body?: unknown; status: number; response: unknown }

const FOLDER = join(import.meta.dirname, 'promptic-recordings')
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
const LATENCY = /"avgPredictionLatencyMs":[\d.e-]+/g
const TOKENS = /"tokensUsed":[1-9]\d*/g

export const PROMPTIC_VERSIONS = ['1.1.0', '0.14.2'] as const

export function readRecording(version: string): Exchange[] {
  return JSON.parse(readFileSync(join(FOLDER, `${version}.json`), 'utf8'))
}

export function writeRecording(version: string, exchanges: readonly Exchange[]): void {
  const lines = exchanges.map((exchange) => JSON.stringify(exchange)).join(',\n')
  writeFileSync(join(FOLDER, `${version}.json`), `[\n${lines}\n]\n`)
}

/** `<id 1>` for the first id that appears in a series of exchanges, and back. Times, latencies and numbers of tokens are left out. */
export function createIdNames() {
  const names = new Map<string, string>()
  const ids = new Map<string, string>()
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `<id ${names.size + 1}>`
    names.set(id, name)
    ids.set(name, id)
    return name
  }
  return {
    withNames: (exchange: Exchange): Exchange =>
      JSON.parse(
        JSON.stringify(exchange)
          .replaceAll(ID, nameOf)
          .replaceAll(TIME, '<time>')
          .replaceAll(LATENCY, '"avgPredictionLatencyMs":"<ms>"')
          .replaceAll(TOKENS, '"tokensUsed":"<tokens>"'),
      ),
    withIds: <Value>(value: Value): Value =>
      value === undefined
        ? value
        : JSON.parse(JSON.stringify(value).replaceAll(/<id \d+>/g, (name) => ids.get(name) ?? name)),
  }
}
