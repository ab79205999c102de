/** Where a text stops being JSON, for people; undefined if it is JSON. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const position = locationIn(message, text)
    const reason = message
      .replace(/^JSON\.parse: /, '')
      .replace(/ in JSON at position.*| at position.*| at line.*|, "[\s\S]*$|, \.\.\.[\s\S]*$/, '')
    return `Line ${position.line}, column ${position.column}: ${reason}.`
  }
}

interface Location {
  line: number
  column: number
}

/** Browsers name either the line and column, or the number of the character, or the end. */
function locationIn(message: string, text: string): Location {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  if (line !== undefined && column !== undefined) return { line: Number(line), column: Number(column) }
  const [, position] = /position (\d+)/.exec(message) ?? []
  const before = text.slice(0, position === undefined ? text.length : Number(position)).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
