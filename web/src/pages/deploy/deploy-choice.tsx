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
    <>
      <TrendSelect
        label="Label"
        value={label}
        options={names.map((name) => ({ value: name, label: name }))}
        onChange={onLabel}
      />
      <TrendSelect
        label="Version"
        value={String(version)}
        options={numbers.map((number) => ({ value: String(number), label: `v${number}` }))}
        onChange={(value) => onVersion(Number(value))}
      />
    </>
  )
}
