import { Link } from '@tanstack/react-router'
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

interface LabelChipsProps {
  labels: readonly Pick<PromptLabel, 'name' | 'splits'>[]
  /** Where a label is moved. */
  pathOf: (label: string) => string
  /** The version that the page would move it to; without one, that page proposes the newest. */
  shown?: number | undefined
}

/** What labels serve: a chip for each version of each label, which leads to moving it. */
export function LabelChips({ labels, pathOf, shown }: LabelChipsProps) {
  return labels.flatMap(({ name, splits }) =>
    splits.map(({ version, weight }) => (
      <Link
        key={`${name} ${version}`}
        to={pathOf(name)}
        search={{ version: shown }}
        preload={false}
        aria-label={`Move ${name}, which serves v${version}`}
        className="touch-link inline-flex max-w-full rounded-control hover:brightness-95"
      >
        <LabelChip label={name} version={version} weight={weight} />
      </Link>
    )),
  )
}
