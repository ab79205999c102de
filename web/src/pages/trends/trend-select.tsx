interface TrendSelectProps {
  label: string
  value: string
  options: { value: string; label: string }[]
  onChange: (value: string) => void
}

/** A choice with more options than fit side by side. */
export function TrendSelect({ label, value, options, onChange }: TrendSelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="min-h-8 max-w-52 cursor-pointer rounded-control border border-edge/60 bg-raised px-2 text-data font-medium text-ink shadow-lift hover:border-edge touch:min-h-11"
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
