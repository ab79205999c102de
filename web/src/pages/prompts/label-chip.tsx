import { Tag } from 'lucide-react'
import type { PromptLabel } from '../../api/generated/api.ts'
import { formatPercent } from '../../ui/format-number.ts'

interface LabelChipProps {
  label: string
  /** What it serves, where the chip is not next to the version. */
  version?: number
  /** Percent. A label that serves one version has 100, which is not shown. */
  weight?: number
}

/** A label of a prompt. The one of production is dark, because it is the only one that users act on in a hurry. */
export function LabelChip({ label, version, weight = 100 }: LabelChipProps) {
  const look = label === 'production' ? 'border-action bg-action text-on-action' : 'border-edge/60 bg-raised text-ink'
  return (
    <span
      className={`inline-flex max-w-full items-center gap-1.5 rounded-control border px-2 align-middle text-[12px] leading-5 font-medium ${look}`}
    >
      <Tag aria-hidden className="size-3 shrink-0" />
      <bdi className="min-w-0 truncate">{label}</bdi>
      {version !== undefined && <span className="shrink-0 font-semibold tabular-nums">v{version}</span>}
      {weight < 100 && <span className="shrink-0 tabular-nums">{formatPercent(weight / 100)}</span>}
    </span>
  )
}

/** What labels serve: a chip for each version of each label. */
export function LabelChips({ labels }: { labels: readonly Pick<PromptLabel, 'name' | 'splits'>[] }) {
  return labels.flatMap(({ name, splits }) =>
    splits.map(({ version, weight }) => (
      <LabelChip key={`${name} ${version}`} label={name} version={version} weight={weight} />
    )),
  )
}
