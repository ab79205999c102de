import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import type { Change } from '../../ui/charts/estimate.ts'
import { controlClass } from '../../ui/field.tsx'
import { isRatioMargin } from './metric-change.ts'
import type { ChangeSearch } from './use-compare-search.ts'

interface MarginEditorProps {
  margin: string | undefined
  kind: Change
  change: ChangeSearch
}

/** What is asked for, and what is wrong with a number that cannot be a margin. */
const words: Record<Change, { hint: string; advice: string }> = {
  difference: { hint: 'the loss that is accepted', advice: 'a number such as 0.02' },
  ratio: { hint: 'the ratio that is accepted', advice: 'a ratio such as 1.1, at most 10' },
}

/** The loss or ratio that would be accepted, in the unit of the metric. It is part of the address. */
export function MarginEditor({ margin, kind, change }: MarginEditorProps) {
  const [text, setText] = useState(margin ?? '')
  const isNumber = /^(0|[1-9]\d{0,8})(\.\d{1,9})?$/.test(text)
  const isValid = text === '' || (isNumber && (kind === 'difference' || isRatioMargin(Number(text))))
  const { hint, advice } = words[kind]
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
        <Button type="submit" size="small" {...(!isValid && { disabledReason: `Enter ${advice}.` })}>
          Apply
        </Button>
      )}
      <span id="margin-hint" className="text-meta text-faint">
        {isValid ? hint : advice}
      </span>
    </form>
  )
}
