import type { ReactNode } from 'react'

interface SegmentedProps<Value extends string> {
  /** The accessible name of the choice. */
  label: string
  value: Value
  options: readonly { value: Value; label: ReactNode }[]
  onChange: (value: Value) => void
}

/** A choice between a few ways to look at the same thing. */
export function Segmented<Value extends string>({ label, value, options, onChange }: SegmentedProps<Value>) {
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex rounded-control border border-line bg-sunken p-0.5 text-data"
    >
      {options.map((option) => (
        <label
          key={option.value}
          className="flex min-h-7 cursor-pointer touch:min-h-11 touch:min-w-11 items-center justify-center gap-1.5 rounded-[4px] px-2.5 text-soft has-checked:bg-raised has-checked:font-medium has-checked:text-ink has-checked:shadow-lift has-focus-visible:outline-2 has-focus-visible:outline-gold-ink"
        >
          <input
            type="radio"
            name={label}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.label}
        </label>
      ))}
    </div>
  )
}
