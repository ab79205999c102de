/** Reads the beginning of a file, to show what it is before it is sent. The server reads the whole file by rules of its own. */
import { IMPORT_BYTES_MAX, type ImportMediaType } from '../../api/imports-query.ts'
import { formatBytes } from '../../ui/format-number.ts'
import { splitCsv, splitEntries, splitLines } from './split-sample.ts'

const SAMPLE_ROWS = 50
/** Enough for 50 rows of long texts, and read in a few milliseconds. */
const SAMPLE_BYTES = 512 * 1024

export interface Sample {
  mediaType: ImportMediaType
  /** "UTF-8, semicolon" */
  facts: string[]
  columns: string[]
  /** Each has a text per column; null where the file has nothing. */
  rows: (string | null)[][]
  /** Characters that cannot be read are reported by row when the file is checked. */
  hasBrokenText: boolean
}

/** The sample of a file, or what the user can do about it. */
export async function readSample(file: Blob): Promise<Sample | { problem: string }> {
  if (file.size === 0) return { problem: 'The file is empty. Choose a file with a header line and rows.' }
  if (file.size > IMPORT_BYTES_MAX) {
    const sizes = `${formatBytes(file.size)}; an import can have ${formatBytes(IMPORT_BYTES_MAX)}`
    return { problem: `The file has ${sizes}. Split it into parts and import them one after the other.` }
  }
  const bytes = new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer())
  const problem = problemOf(bytes)
  return problem ? { problem } : sampleOf(bytes, bytes.length === file.size)
}

function problemOf(bytes: Uint8Array): string | undefined {
  const known = SIGNATURES.find(({ start }) => start.every((byte, place) => bytes[place] === byte))
  if (known) return known.advice
  if (!markOf(bytes) && bytes.subarray(0, 4096).includes(0)) {
    return 'This is not a text file. Export the data as CSV in UTF-8, JSON or JSON lines.'
  }
  return undefined
}

const SIGNATURES = [
  {
    start: [0x50, 0x4b, 0x03, 0x04],
    advice:
      'This is a workbook or an archive. In the spreadsheet, choose “Save as” and “CSV (UTF-8)”, then choose that file.',
  },
  {
    start: [0xd0, 0xcf, 0x11, 0xe0],
    advice: 'This is an old Excel workbook. Choose “Save as” and “CSV (UTF-8)” in Excel, then choose that file.',
  },
  { start: [0x1f, 0x8b], advice: 'The file is compressed. Unpack it first, then choose the file inside.' },
  { start: [0x25, 0x50, 0x44, 0x46], advice: 'This is a PDF. Export the data as CSV, JSON or JSON lines.' },
  { start: [0x50, 0x41, 0x52, 0x31], advice: 'This is a Parquet file. Export it as CSV or JSON lines first.' },
]

type Mark = { encoding: string; label: string; length: number }

function markOf(bytes: Uint8Array): Mark | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return { encoding: 'utf-8', label: 'UTF-8', length: 3 }
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', label: 'UTF-16', length: 2 }
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', label: 'UTF-16', length: 2 }
  return undefined
}

function sampleOf(bytes: Uint8Array, isWhole: boolean): Sample | { problem: string } {
  const { encoding, label, length } = markOf(bytes) ?? { encoding: 'utf-8', label: 'UTF-8', length: 0 }
  const text = new TextDecoder(encoding).decode(bytes.subarray(length), { stream: !isWhole })
  const hasBrokenText = !canDecode(encoding, bytes.subarray(length), isWhole)
  const start = text.trimStart()
  if (start === '') return { problem: 'The file has only spaces. Choose a file with a header line and rows.' }
  const encodingFact = hasBrokenText ? `not valid ${label}` : label
  if (start.startsWith('[')) {
    const rows = splitEntries(text, SAMPLE_ROWS).map(readObject)
    return { mediaType: 'application/json', facts: [encodingFact, 'JSON array'], ...tableOf(rows), hasBrokenText }
  }
  if (start.startsWith('{')) {
    const rows = splitLines(text, SAMPLE_ROWS, isWhole).map(readObject)
    if (rows.every((row) => row === undefined)) {
      return {
        problem: 'The file is neither a JSON array nor has it one JSON object per line. Put the objects into [ … ].',
      }
    }
    return { mediaType: 'application/jsonl', facts: [encodingFact, 'JSON lines'], ...tableOf(rows), hasBrokenText }
  }
  const { delimiter, header, rows } = splitCsv(text, SAMPLE_ROWS, isWhole)
  const columns = header.map((name, place) => name.trim() || `column ${place + 1}`)
  return { mediaType: 'text/csv', facts: [encodingFact, DELIMITER_NAMES[delimiter]], columns, rows, hasBrokenText }
}

const DELIMITER_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab' }

/** The last character of a slice may be cut. */
function canDecode(encoding: string, bytes: Uint8Array, isWhole: boolean): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !isWhole })
    return true
  } catch {
    return false
  }
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function tableOf(objects: (Record<string, unknown> | undefined)[]): Pick<Sample, 'columns' | 'rows'> {
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object ?? {})))]
  return { columns, rows: objects.map((object) => columns.map((column) => textOf(object?.[column]))) }
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
