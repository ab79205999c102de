import { useState } from 'react'
import { TextField } from '../text-field.tsx'

interface NumberFieldProps {
  label: string
  hint?: string | undefined
  placeholder?: string | undefined
  isOptional?: boolean
  error?: string | undefined
  value: number | undefined
  onChange: (value: number | undefined) => void
}

/** A number, or nothing. What is typed stays until it is left, so that "0." can become "0.5". */
export function NumberField({ value, onChange, error, ...props }: NumberFieldProps) {
  const [draft, setDraft] = useState<string>()
  const isWrong = draft !== undefined && draft.trim() !== '' && readNumber(draft) === undefined
  return (
    <TextField
      {...props}
      inputMode="decimal"
      error={isWrong ? 'Enter a number, such as 0.5.' : error}
      value={draft ?? (value === undefined ? '' : String(value))}
      onChange={({ target }) => {
        setDraft(target.value)
        if (target.value.trim() === '') onChange(undefined)
        else if (readNumber(target.value) !== undefined) onChange(readNumber(target.value))
      }}
      onBlur={() => !isWrong && setDraft(undefined)}
      className="tabular-nums"
    />
  )
}

function readNumber(text: string): number | undefined {
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : undefined
}
