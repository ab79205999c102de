import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { controlClass } from '../../ui/field.tsx'
import type { ChangeSearch } from './use-compare-search.ts'

interface MarginEditorProps {
  margin: string | undefined
  change: ChangeSearch
}

/** The loss that would be accepted, in the unit of the metric. It is part of the address. */
export function MarginEditor({ margin, change }: MarginEditorProps) {
  const [text, setText] = useState(margin ?? '')
  const isValid = text === '' || /^(0|[1-9]\d{0,8})(\.\d{1,9})?$/.test(text)
  const isChanged = text !== (margin ?? '')
  return (
    <form
      className="flex max-w-full flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (isValid && isChanged) change({ margin: text === '' ? undefined : text })
      }}
    >
      <label htmlFor="margin" className="font-medium text-ink">
        Margin
      </label>
      <input
        id="margin"
        type="text"
        inputMode="decimal"
        autoComplete="off"
        placeholder="none"
        value={text}
        aria-invalid={!isValid || undefined}
        aria-describedby="margin-hint"
        onChange={(event) => setText(event.target.value.trim())}
        className={`${controlClass} max-w-24 tabular-nums`}
      />
      {isChanged && (
        <Button
          type="submit"
          size="small"
          {...(!isValid && { disabledReason: 'A number of at least 0, such as 0.02.' })}
        >
          Apply
        </Button>
      )}
      <span id="margin-hint" className="text-meta text-faint">
        {isValid ? 'the loss that is accepted' : 'a number such as 0.02'}
      </span>
    </form>
  )
}
