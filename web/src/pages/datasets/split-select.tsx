import type { DatasetItem } from '../../api/generated/api.ts'

type Split = DatasetItem['split']

export const splits = ['train', 'validation', 'test'] as const

interface SplitSelectProps {
  label: string
  split: Split
  /** Undefined for those who may not edit. */
  onChange: ((split: Split) => void) | undefined
}

/** The part of the dataset that an item belongs to, as a small select in a row. */
export function SplitSelect({ label, split, onChange }: SplitSelectProps) {
  if (!onChange) return <>{split ?? <span className="text-faint">–</span>}</>
  return (
    <select
      aria-label={label}
      value={split ?? ''}
      onChange={(event) => onChange(readSplit(event.target.value))}
      className={`w-full cursor-pointer rounded-control border border-transparent bg-transparent py-0.5 touch:min-h-11 hover:border-edge ${split === null ? 'text-faint' : ''}`}
    >
      <option value="">no split</option>
      {splits.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}

export function readSplit(text: string): Split {
  return splits.find((split) => split === text) ?? null
}
