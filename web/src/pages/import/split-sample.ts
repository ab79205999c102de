/** Splits the beginning of a text into rows. What is invalid is left to the server, which reports it by row. */

type Delimiter = ',' | ';' | '\t'

const delimiters: readonly Delimiter[] = [',', ';', '\t']

/** The first lines that are not empty; without the last one if it may be cut. */
export function splitLines(text: string, count: number, isWhole: boolean): string[] {
  const lines = text.split('\n')
  const complete = isWhole ? lines : lines.slice(0, -1)
  return complete.filter((line) => line.trim() !== '').slice(0, count)
}

/** The first entries of a JSON array, found by brackets and quotes. */
export function splitEntries(text: string, count: number): string[] {
  const entries: string[] = []
  let start = text.indexOf('[') + 1
  let depth = 0
  let isText = false
  for (let at = start; at < text.length && entries.length < count; at += 1) {
    const char = text.charAt(at)
    if (isText) {
      if (char === '\\') at += 1
      else if (char === '"') isText = false
    } else if (char === '"') isText = true
    else if (char === '[' || char === '{') depth += 1
    else if (depth === 0 && (char === ',' || char === ']')) {
      const entry = text.slice(start, at).trim()
      if (entry !== '') entries.push(entry)
      if (char === ']') return entries
      start = at + 1
    } else if (char === ']' || char === '}') depth -= 1
  }
  return entries
}

/** The header and the first rows of a CSV text, with the delimiter of the header line. */
export function splitCsv(text: string, count: number, isWhole: boolean) {
  const delimiter = findDelimiter(text)
  const records: (string | null)[][] = []
  let cells: (string | null)[] = []
  let cell = ''
  let isQuoted = false
  let wasQuoted = false
  const endCell = () => {
    cells.push(cell === '' && !wasQuoted ? null : cell)
    cell = ''
    wasQuoted = false
  }
  const endRecord = () => {
    endCell()
    // An empty line is no row.
    if (cells.length > 1 || cells[0] !== null) records.push(cells)
    cells = []
  }
  for (let at = 0; at < text.length && records.length <= count; at += 1) {
    const char = text.charAt(at)
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (text.charAt(at + 1) === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (char === '"' && cell === '') {
      isQuoted = true
      wasQuoted = true
    } else if (char === delimiter) endCell()
    else if (char === '\n' || char === '\r') {
      if (char === '\r' && text.charAt(at + 1) === '\n') at += 1
      endRecord()
    } else cell += char
  }
  if (isWhole && records.length <= count && (cells.length > 0 || cell !== '' || wasQuoted)) endRecord()
  const [header = [], ...rows] = records
  const names = header.map((name) => name ?? '')
  return { delimiter, header: names, rows: rows.map((row) => names.map((_, place) => row[place] ?? null)) }
}

function findDelimiter(text: string): Delimiter {
  const counts = new Map<string, number>()
  let isQuoted = false
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (char !== '\n' && char !== '\r') counts.set(char, (counts.get(char) ?? 0) + 1)
    else if (counts.size > 0) break
  }
  const countOf = (delimiter: Delimiter) => counts.get(delimiter) ?? 0
  return delimiters.reduce((best, next) => (countOf(next) > countOf(best) ? next : best))
}
