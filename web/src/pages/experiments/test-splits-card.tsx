import { Link } from '@tanstack/react-router'
import type { ExperimentSummaries } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'

interface TestSplitsCardProps {
  applicationId: string
  componentId: string
  splits: ExperimentSummaries['splits']
}

/** After so many openings the numbers of a test split become too good. */
const OPENINGS_MANY = 3

/** How often each test split has decided: a split wears out. */
export function TestSplitsCard({ applicationId, componentId, splits }: TestSplitsCardProps) {
  return (
    <section
      aria-labelledby="test-splits"
      className="rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4"
    >
      <h2 id="test-splits" className="text-body font-semibold">
        How often a test split has decided
      </h2>
      <p className="mt-1 text-data text-soft">
        Every opening is counted. A split that has decided {OPENINGS_MANY} times fits its winners too well: from then on
        verdicts are corrected for it. The set-up of an experiment draws a new one from new items.
      </p>
      <ul className="mt-3 flex flex-col gap-2 text-data">
        {splits.map(({ datasetId, name, testItems, openings, earlierOpenings }) => (
          <li key={datasetId} className="grid grid-cols-[minmax(0,1fr)_auto_6.5rem] items-center gap-x-3">
            <span className="min-w-0 wrap-anywhere">
              <Link
                to={pagePaths.dataset(applicationId, componentId, datasetId)}
                className="touch-link underline decoration-edge underline-offset-3"
              >
                <bdi>{name}</bdi>
              </Link>{' '}
              <span className="text-soft">
                {countOf(testItems, 'test item')}
                {earlierOpenings > 0 && `, ${formatCount(earlierOpenings)} openings of earlier splits`}
              </span>
            </span>
            <span aria-hidden className="flex gap-1">
              {Array.from({ length: OPENINGS_MANY }, (_, place) => (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: three places, which never move
                  key={place}
                  className={`h-1.5 w-4 rounded-full ${place < openings ? (openings >= OPENINGS_MANY ? 'bg-warn' : 'bg-soft') : 'bg-hover'}`}
                />
              ))}
            </span>
            <span className={`tabular-nums ${openings >= OPENINGS_MANY ? 'font-medium text-warn' : 'text-soft'}`}>
              {openings === 0 ? 'not opened' : `${formatCount(openings)} ${openings === 1 ? 'opening' : 'openings'}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
