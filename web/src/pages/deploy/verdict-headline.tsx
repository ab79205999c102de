import type { ReactNode } from 'react'
import type { DeploymentEvidence } from '../../api/generated/api.ts'
import { metricTitle } from '../../ui/metric-words.ts'

interface VerdictHeadlineProps {
  evidence: DeploymentEvidence
  /** The size of the change, without its sign. */
  amount: string
}

/** Better and worse are said of what is decided only. Shape and word first, color second. */
export function VerdictHeadline({ evidence, amount }: VerdictHeadlineProps) {
  return (
    <h2 className="font-display text-section font-semibold tracking-tight text-balance wrap-anywhere sm:text-[24px] sm:leading-8">
      {textOf(evidence, amount)}
    </h2>
  )
}

function textOf({ verdict, metric, baseline, candidate, ratio }: DeploymentEvidence, amount: string): ReactNode {
  const on = <bdi>{metricTitle(metric)}</bdi>
  const [before, after] = [`v${baseline.version}`, `v${candidate.version}`]
  const by = amount === '' ? '' : ratio === null ? ` by ${amount}` : `: ${amount}`
  if (verdict === 'improved' || verdict === 'regressed') {
    const { mark, word, className } = looks[verdict]
    return (
      <>
        {after} is{' '}
        <span className={className}>
          <span aria-hidden className="text-[0.7em]">
            {mark}
          </span>{' '}
          {word}
        </span>{' '}
        on {on}
        {by}
      </>
    )
  }
  if (verdict === 'equivalent')
    return (
      <>
        {after} is equivalent to {before} on {on}
      </>
    )
  if (verdict === 'tooFewCases')
    return (
      <>
        Too few items to compare {after} with {before} on {on}
      </>
    )
  return (
    <>
      No clear difference between {after} and {before} on {on}
    </>
  )
}

const looks = {
  improved: { mark: '▲', word: 'better', className: 'text-good' },
  regressed: { mark: '▼', word: 'worse', className: 'text-danger' },
}
