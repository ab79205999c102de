/** Files that `tests` of a config names: CSV with `__expected` columns, YAML, JSON or JSON lines. */
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { parse as parseCsv } from 'csv-parse/sync'
import { parse as parseYaml } from 'yaml'
import type { NotTakenRecord } from '../import-record.ts'
import { type Fields, isFields, parseJsonRecords } from '../source-values.ts'

/** The tests, with those of files in place of their names. */
export async function resolveTests(
  tests: unknown,
  folder: string,
): Promise<{ tests: unknown[]; notTaken: NotTakenRecord[] }> {
  const found: unknown[] = []
  const notTaken: NotTakenRecord[] = []
  for (const entry of Array.isArray(tests) ? tests : tests === undefined || tests === null ? [] : [tests]) {
    const named = typeof entry === 'string' ? entry : isFields(entry) && !('vars' in entry) ? entry['path'] : undefined
    if (typeof named !== 'string') {
      found.push(entry)
      continue
    }
    const read = await readTestFile(named, folder)
    if (Array.isArray(read)) found.push(...read)
    else notTaken.push({ kind: 'notTaken', of: 'items', what: `tests ${named}`, reason: read.reason })
  }
  return { tests: found, notTaken }
}

async function readTestFile(name: string, folder: string): Promise<unknown[] | { reason: string }> {
  const path = name.replace(/^file:\/\//, '')
  const ending = extname(path).toLowerCase()
  if (/^\w+:\/\//.test(path) || /[*?{]/.test(path) || !['.csv', '.yaml', '.yml', '.json', '.jsonl'].includes(ending)) {
    return { reason: 'only CSV, YAML and JSON files next to the config are read; import the results instead' }
  }
  try {
    return parseTests(await readFile(resolve(folder, path), 'utf8'), ending, path)
  } catch (error) {
    return { reason: `it cannot be read: ${error instanceof Error ? error.message : error}` }
  }
}

function parseTests(text: string, ending: string, path: string): unknown[] {
  if (ending === '.csv') return testsOfCsv(text)
  if (ending.startsWith('.json')) return parseJsonRecords(text, path)
  const parsed: unknown = parseYaml(text)
  return Array.isArray(parsed) ? parsed : [parsed]
}

/** https://www.promptfoo.dev/docs/configuration/test-cases/#csv-format */
export function testsOfCsv(text: string): Fields[] {
  const rows: Record<string, string>[] = parseCsv(text, {
    columns: true,
    bom: true,
    skip_empty_lines: true,
    trim: true,
  })
  return rows.map((row) => {
    const test = {
      vars: {} as Fields,
      assert: [] as Fields[],
      metadata: {} as Fields,
      description: row['__description'],
    }
    for (const [column, value] of Object.entries(row)) {
      const [, metadataKey] = /^__metadata:(.+?)(?:\[\])?$/.exec(column) ?? []
      if (/^__expected\d*$/.test(column)) {
        if (value !== '') test.assert.push(assertionOfCell(value))
      } else if (metadataKey !== undefined) test.metadata[metadataKey] = value
      else if (!column.startsWith('__')) test.vars[column] = value
    }
    return test
  })
}

/** `icontains:Paris`, `similar(0.8):Paris`, or only `Paris`, which is `equals`. */
function assertionOfCell(cell: string): Fields {
  const [, type, threshold, value] = /^((?:not-)?[a-z][a-z-]*)(?:\(([\d.]+)\))?:([\s\S]*)$/.exec(cell) ?? []
  if (type === undefined || value === undefined) {
    return cell === 'is-json' || cell === 'contains-json' ? { type: cell } : { type: 'equals', value: cell }
  }
  const names: Record<string, string> = { grade: 'llm-rubric', fn: 'javascript', eval: 'javascript' }
  return {
    type: names[type] ?? type,
    value: value.trim(),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
  }
}
