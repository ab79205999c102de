import { useId } from 'react'

interface ScaleFieldProps {
  isOrdered: boolean
  isReadOnly: boolean
  onChange: (isOrdered: boolean) => void
}

export function ScaleField({ isOrdered, isReadOnly, onChange }: ScaleFieldProps) {
  const id = useId()
  return (
    <label className="flex gap-3">
      <input
        type="checkbox"
        aria-labelledby={`${id}-name`}
        checked={isOrdered}
        disabled={isReadOnly}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.75 size-4 shrink-0 accent-action"
      />
      <span>
        <span id={`${id}-name`} className="block font-medium">
          The words form a scale
        </span>
        <span id={`${id}-hint`} className="block text-data text-soft">
          Raters who are one step apart then disagree less than raters at the two ends. Each word needs a score of its
          own.
        </span>
      </span>
    </label>
  )
}
