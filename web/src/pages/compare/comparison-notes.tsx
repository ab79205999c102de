import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ComparedMetric, Comparison } from '../../api/generated/api.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { metricTitle, withMetricTitles } from '../../ui/metric-words.ts'
import { changeOf } from './metric-change.ts'

/** What weakens the verdict: items that changed or are missing first, then how often it was looked at. */
export function ComparisonNotes({
  comparison,
  metric,
}: {
  comparison: Comparison
  metric: ComparedMetric | undefined
}) {
  const { looks, warnings, testSet, itemChanges } = comparison
  const missing = metric?.missingItems
  const hasNotes =
    itemChanges.summary || itemChanges.unverified > 0 || missing?.summary || warnings.length > 0 || testSet
  if (!hasNotes) return null
  return (
    <ul aria-label="What to know before deciding" className="mt-4 flex flex-col gap-2">
      {itemChanges.summary && (
        <Note>
          <b className="font-semibold">{itemChanges.summary}.</b> They are not compared.{' '}
          {itemChanges.added.count > 0
            ? 'Run and evaluate both on all items to compare them, too.'
            : 'Evaluate the baseline again to judge both runs by the same items.'}
        </Note>
      )}
      {itemChanges.unverified > 0 && (
        <Note>
          Whether {countOf(itemChanges.unverified, 'item')} changed between the two evaluations is not known: one of
          them is of an older version.
        </Note>
      )}
      {missing?.summary && metric && (
        <Note>
          <b className="font-semibold">{missing.summary}.</b>{' '}
          {missing.incomplete > 0 &&
            (changeOf(metric).kind === 'ratio'
              ? 'They have no ratio and are left out.'
              : `The interval of ${metricTitle(metric.name)} counts them at the worst value: a gain must hold with them.`)}
        </Note>
      )}
      {looks > 1 && warnings.length > 0 && (
        <Note>
          <b className="font-semibold">Looked at {formatCount(looks)} times.</b> {withMetricTitles(warnings.join(' '))}
        </Note>
      )}
      {looks <= 1 && warnings.map((warning) => <Note key={warning}>{withMetricTitles(warning)}</Note>)}
      {testSet && <Note>{testSet.summary}</Note>}
    </ul>
  )
}

function Note({ children }: { children: ReactNode }) {
  return (
    <li className="flex gap-2.5 rounded-control bg-warn-wash px-3.5 py-2.5 text-data">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <p className="min-w-0 break-words">{children}</p>
    </li>
  )
}
