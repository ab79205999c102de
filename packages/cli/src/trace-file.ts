/** Reads traces from a file: JSON or JSON lines, in the form of the API or as OTLP. */
import { CliError } from './cli-error.ts'
import { EXIT } from './exit-code-values.ts'

export type TraceBatch =
  | { kind: 'otlp'; body: Record<string, unknown> }
  | { kind: 'native'; traces: Record<string, unknown>[] }

const TRACES_PER_REQUEST = 500
const CHARACTERS_PER_REQUEST = 4_000_000
/** The server accepts 10,000 in a body. */
const FIELDS_PER_REQUEST = 9_000

/** The requests that send everything in the file. Throws with the line of what is no JSON, before anything is sent. */
export function readTraceFile(text: string, file: string): TraceBatch[] {
  const batches: TraceBatch[] = []
  let size = 0
  let fields = 0
  for (const record of parseRecords(text.replace(/^\ufeff/, ''), file)) {
    if ('resourceSpans' in record) {
      batches.push({ kind: 'otlp', body: record })
      continue
    }
    for (const trace of unwrap(record)) {
      const json = JSON.stringify(trace)
      const ofTrace = json.split('":').length
      const last = batches.at(-1)
      const fits =
        last?.kind === 'native' &&
        last.traces.length < TRACES_PER_REQUEST &&
        size + json.length <= CHARACTERS_PER_REQUEST &&
        fields + ofTrace <= FIELDS_PER_REQUEST
      if (fits) last.traces.push(trace)
      else {
        batches.push({ kind: 'native', traces: [trace] })
        size = 0
        fields = 0
      }
      size += json.length
      fields += ofTrace
    }
  }
  if (batches.length === 0) throw new CliError(`${file} contains no traces.`, EXIT.usage)
  return batches
}

/** `{"traces": […]}` is the body of a request of the API. */
function unwrap(record: Record<string, unknown>): Record<string, unknown>[] {
  const { traces } = record
  return Array.isArray(traces) ? traces.filter(isObject) : [record]
}

function parseRecords(text: string, file: string): Record<string, unknown>[] {
  const whole = tryParse(text)
  if (whole !== undefined) return asRecords(whole, file)
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const value = tryParse(line)
    if (value === undefined) throw new CliError(`${file}:${index + 1}: this line is not JSON.`, EXIT.usage)
    return asRecords(value, `${file}:${index + 1}`)
  })
}

function asRecords(value: unknown, where: string): Record<string, unknown>[] {
  const records = Array.isArray(value) ? value : [value]
  if (records.every(isObject)) return records
  throw new CliError(`${where}: a trace must be a JSON object.`, EXIT.usage)
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
