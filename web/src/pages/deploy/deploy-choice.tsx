import { Tag } from 'lucide-react'
import type { PromptVersionRow } from '../../api/generated/api.ts'
import { TrendSelect } from '../trends/trend-select.tsx'

interface DeployChoiceProps {
  label: string
  version: number
  labels: string[]
  versions: PromptVersionRow[]
  onLabel: (label: string) => void
  onVersion: (version: number) => void
}

/** Labels that most prompts have, also before their first move. */
const COMMON = ['production', 'staging']

/** Which label serves which version. */
export function DeployChoice({ label, version, labels, versions, onLabel, onVersion }: DeployChoiceProps) {
  const names = [...new Set([...COMMON, ...labels, label])]
  const numbers = [...new Set([...versions.map(({ number }) => number), version])].sort((a, b) => b - a)
  return (
    <span className="inline-flex max-w-full gap-2">
      <LabelSelect label={label} names={names} onLabel={onLabel} />
      <TrendSelect
        label="Version"
        value={String(version)}
        options={numbers.map((number) => ({ value: String(number), label: `v${number}` }))}
        onChange={(value) => onVersion(Number(value))}
      />
    </span>
  )
}

/** Looks as the chip of the label: that of production is dark. */
function LabelSelect({ label, names, onLabel }: Pick<DeployChoiceProps, 'label' | 'onLabel'> & { names: string[] }) {
  const look = label === 'production' ? 'border-action bg-action text-on-action' : 'border-edge/60 bg-raised text-ink'
  return (
    <span
      className={`inline-flex max-w-full items-center gap-1.5 rounded-control border pl-2.5 shadow-lift has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-gold-ink ${look}`}
    >
      <Tag aria-hidden className="size-3.5 shrink-0" />
      <select
        aria-label="Label"
        value={label}
        onChange={(event) => onLabel(event.target.value)}
        className="min-h-8 min-w-0 max-w-52 cursor-pointer bg-transparent pr-1.5 text-data font-medium outline-none touch:min-h-11"
      >
        {names.map((name) => (
          <option key={name} value={name} className="bg-raised text-ink">
            {name}
          </option>
        ))}
      </select>
    </span>
  )
}
