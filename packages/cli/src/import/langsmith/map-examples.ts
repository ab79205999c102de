/** Examples of LangSmith as items of a dataset. */
import { parse as parseCsv } from 'csv-parse/sync'
import type { ItemRecord } from '../import-record.ts'
import { type Fields, fieldsOf, isFields, listOf, present, stableId, textOf } from '../source-values.ts'

export function exampleKey(example: Fields): string {
  return textOf(example['id']) ?? stableId('langsmith', example['inputs'], example['outputs'])
}

export function itemOf(example: Fields, dataset: string): ItemRecord {
  const metadata = fieldsOf(example['metadata'])
  const [split, ...others] = listOf(metadata['dataset_split'] ?? example['split']).concat(
    textOf(metadata['dataset_split']) ?? textOf(example['split']) ?? [],
  )
  const isKnown = others.length === 0 && (split === 'train' || split === 'validation' || split === 'test')
  return present({
    kind: 'item',
    dataset,
    key: exampleKey(example),
    input: single(example['inputs']),
    expected:
      isFields(example['outputs']) && Object.keys(example['outputs']).length === 0
        ? undefined
        : single(example['outputs']),
    metadata,
    split: isKnown ? split : undefined,
  })
}

/** An object with one field is that field, as for traces. */
function single(value: unknown): unknown {
  if (value === null) return undefined
  const values = isFields(value) ? Object.values(value) : []
  return values.length === 1 ? values[0] : value
}

/**
 * Rows as examples. Columns are `inputs.x` or `input_x`, `outputs.x` or `output_x`, or `inputs` and `outputs` with JSON. Without any of
 * these, columns that are named like an answer are outputs, and all others inputs.
 */
export function examplesOfCsv(text: string): Fields[] {
  const rows: Record<string, string>[] = parseCsv(text, { columns: true, bom: true, skip_empty_lines: true })
  const hasPrefixes = Object.keys(rows[0] ?? {}).some((column) => partOf(column) !== undefined)
  return rows.map((row) => {
    const example = { inputs: {} as Fields, outputs: {} as Fields, metadata: {} as Fields }
    const rest: Fields = {}
    for (const [column, value] of Object.entries(row)) {
      const [part, name] = partOf(column) ?? (hasPrefixes ? [] : guess(column))
      if (part === undefined) rest[column] = value
      else if (name === '') Object.assign(example[part], asFields(value))
      else example[part][name ?? column] = value
    }
    return { ...rest, ...example }
  })
}

type Part = 'inputs' | 'outputs' | 'metadata'

const OWN = ['id', 'created_at', 'modified_at', 'dataset_id', 'split', 'source_run_id']

function partOf(column: string): [Part, string] | undefined {
  const [, part, name = ''] = /^(inputs?|outputs?|metadata)(?:[._](.+))?$/.exec(column) ?? []
  if (part === undefined) return undefined
  return [part.startsWith('input') ? 'inputs' : part.startsWith('output') ? 'outputs' : 'metadata', name]
}

function guess(column: string): [Part, string] | [] {
  if (OWN.includes(column)) return []
  return /^(answer|expected.*|reference.*|target|label|ground_truth)$/i.test(column)
    ? ['outputs', column]
    : ['inputs', column]
}

/** A cell with a JSON object, or a plain text. */
function asFields(value: string): Fields {
  try {
    const parsed: unknown = JSON.parse(value)
    if (isFields(parsed)) return parsed
  } catch {
    // It is a text, which is the value itself.
  }
  return value === '' ? {} : { value }
}
