import type { PromptSplit } from '../../api/generated/api.ts'
import { formatPercent } from '../../ui/format-number.ts'

interface Move {
  label: string
  version: number
  /** What the label serves now, and the share that the version would get of it. */
  splits: readonly PromptSplit[]
  main: number | undefined
  now: number
}

/** The heading: what is about to happen. */
export function moveTitle({ label, version, splits, main, now }: Move): string {
  if (splits.length === 0) return `Let ${label} serve v${version}`
  if (version === main)
    return now === 100 ? `${capital(label)} serves v${version}` : `Give v${version} more of ${label}`
  return now > 0 ? `Change the share of v${version} in ${label}` : `Move ${label} from v${main} to v${version}`
}

/** The button: the effect of pressing it. */
export function moveAction({ label, version, splits, share }: Omit<Move, 'main' | 'now'> & { share: number }): string {
  if (splits.length === 0) return `Let ${label} serve v${version}`
  if (share === 100) return `Move ${label} to v${version}`
  if (share === 0) return `Take v${version} out of ${label}`
  return `Give v${version} ${formatPercent(share / 100)} of ${label}`
}

/** What has happened, for the page that is shown then. */
export function moveDone({ label, version, share }: { label: string; version: number; share: number }): string {
  if (share === 100) return `${capital(label)} serves v${version}.`
  if (share === 0) return `Took v${version} out of ${label}.`
  return `Gave v${version} ${formatPercent(share / 100)} of ${label}.`
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
