import { useState } from 'react'
import { TextAreaField } from '../text-area-field.tsx'

interface JsonTextFieldProps {
  label: string
  hint?: string | undefined
  isOptional?: boolean
  rows?: number
  error?: string | undefined
  /** Undefined while the text is empty. */
  value: unknown
  onChange: (value: unknown) => void
}

/** A value as JSON. While the text is no JSON, the value stays as it was, and the problem is shown with its place. */
export function JsonTextField({
  label,
  hint,
  isOptional = false,
  rows = 4,
  error,
  value,
  onChange,
}: JsonTextFieldProps) {
  const [draft, setDraft] = useState<string>()
  const problem = draft === undefined || draft.trim() === '' ? undefined : jsonProblem(draft)
  const change = (text: string) => {
    setDraft(text)
    if (text.trim() === '') onChange(undefined)
    else if (jsonProblem(text) === undefined) onChange(JSON.parse(text))
  }
  return (
    <TextAreaField
      label={label}
      hint={hint}
      isOptional={isOptional}
      rows={rows}
      error={problem ?? error}
      value={draft ?? (value === undefined ? '' : JSON.stringify(value, null, 2))}
      onChange={(event) => change(event.target.value)}
      // What was typed stays while it is wrong; else the text follows the value again.
      onBlur={() => problem === undefined && setDraft(undefined)}
      spellCheck={false}
      className="font-mono text-code"
    />
  )
}

/** Where a text stops being JSON, for people; undefined if it is JSON. */
function jsonProblem(text: string): string | undefined {
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
