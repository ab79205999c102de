/** promptfoo: configs and results, in the forms that promptfoo and the export of OpenAI Evals write. */
import { basename, dirname, extname } from 'node:path'
import { parseDocument } from 'yaml'
import { CliError } from '../../cli-error.ts'
import { EXIT } from '../../exit-code-values.ts'
import { readInput } from '../../read-input.ts'
import type { ImportRecord } from '../import-record.ts'
import type { ImportFlags, ImportSource } from '../run-import.ts'
import { type Fields, fieldsOf, isFields, listOf, parseJsonRecords, shorten, textOf } from '../source-values.ts'
import { mapPrompts } from './map-prompts.ts'
import { isRow, mapResults, readResults, testOf, withoutCredentials } from './map-results.ts'
import { itemOf, mapAssertions, readTests, unreadVariable } from './map-tests.ts'
import { resolveTests } from './read-test-files.ts'

export const promptfooSource: ImportSource<ImportFlags & { dataset?: string }> = {
  name: 'promptfoo',
  async *read({ context, flags, args }) {
    for (const file of args) {
      const text = (await readInput(context, file)).toString('utf8')
      yield* readFile(text, { file, dataset: flags.dataset })
    }
  },
}

interface Named {
  file: string
  dataset: string | undefined
}

async function* readFile(text: string, { file, dataset }: Named): AsyncGenerator<ImportRecord> {
  const document = parseFile(text, file)
  const root = fieldsOf(fieldsOf(document)['data'] ?? document)
  const described = textOf(root['description']) ?? textOf(fieldsOf(root['config'])['description'])
  const name = dataset ?? shorten(described ?? basename(file, extname(file)), 200)
  const results = readResults(document, { file: basename(file), dataset: name })
  if (results) {
    yield { kind: 'dataset', name }
    yield* mapResults(results)
    yield* mapAssertions(distinctTests(results.rows))
    return
  }
  if (!('tests' in root) && !('prompts' in root)) {
    throw new CliError(`${file} is neither a config nor a result of promptfoo.`, EXIT.usage)
  }
  yield* readConfig(root, { file, dataset: name })
}

function distinctTests(rows: Fields[]) {
  return [...new Map(rows.map((row) => [JSON.stringify(testOf(row)), testOf(row)])).values()]
}

async function* readConfig(config: Fields, { file, dataset }: { file: string; dataset: string }) {
  const { tests, notTaken } = await resolveTests(config['tests'], dirname(file))
  const read = readTests(tests, config['defaultTest'])
  yield { kind: 'dataset', name: dataset } satisfies ImportRecord
  for (const test of read) {
    const variable = unreadVariable(test)
    if (variable === undefined) yield itemOf(test, dataset)
    else {
      const what = test.description ?? shorten(JSON.stringify(test.vars), 100)
      const reason = `its variable ${variable} is read from a file; import the results instead`
      yield { kind: 'notTaken', of: 'items', what, reason } satisfies ImportRecord
    }
  }
  yield* notTaken
  yield* mapAssertions(read)
  yield* mapPrompts(config['prompts'], { folder: dirname(file), dataset })
  yield* settingsNotTaken(config)
}

function* settingsNotTaken(config: Fields): Generator<ImportRecord> {
  for (const provider of asList(config['providers'])) {
    const id = textOf(provider) ?? textOf(fieldsOf(provider)['id']) ?? Object.keys(fieldsOf(provider))[0] ?? 'provider'
    const reason = 'Touchstone does not call the model that is tested'
    yield { kind: 'notTaken', of: 'other', what: `provider ${shorten(withoutCredentials(id), 80)}`, reason }
  }
  if (typeof config['defaultTest'] === 'string') {
    const reason = 'it is not read; import the results instead'
    yield { kind: 'notTaken', of: 'other', what: `defaultTest ${config['defaultTest']}`, reason }
  }
  for (const key of ['prefix', 'suffix']) {
    const text = textOf(fieldsOf(fieldsOf(config['defaultTest'])['options'])[key])
    if (text === undefined) continue
    const reason = 'it is added to every prompt when promptfoo runs; write it into the prompts'
    yield { kind: 'notTaken', of: 'other', what: `${key} ${shorten(text, 80)}`, reason }
  }
  for (const key of ['scenarios', 'extensions', 'redteam', 'derivedMetrics']) {
    const count = Array.isArray(config[key]) ? listOf(config[key]).length : Object.keys(fieldsOf(config[key])).length
    if (count > 0)
      yield { kind: 'notTaken', of: 'other', what: key, reason: 'only results have what they lead to', count }
  }
}

function asList(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** JSON, JSON lines of results, or YAML. */
function parseFile(text: string, file: string): unknown {
  if (/^\s*[[{]/.test(text)) {
    const records = parseJsonRecords(text, file)
    return records.length > 0 && records.every(isRow) ? { results: records } : records[0]
  }
  const document = parseDocument(text, { merge: true })
  const [error] = document.errors
  if (error) throw new CliError(`${file}: ${error.message.split('\n')[0]}`, EXIT.usage)
  const parsed: unknown = document.toJS()
  if (!isFields(parsed)) throw new CliError(`${file} is neither a config nor a result of promptfoo.`, EXIT.usage)
  return parsed
}
