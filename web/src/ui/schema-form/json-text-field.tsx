import { useState } from 'react'
import { TextAreaField } from '../text-area-field.tsx'
import { jsonProblem } from './json-problem.ts'

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
