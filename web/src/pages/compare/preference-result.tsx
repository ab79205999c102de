import { useQuery } from '@tanstack/react-query'
import { type ComparedPair, preferenceResultQuery } from '../../api/comparison-query.ts'
import { Button } from '../../ui/button.tsx'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { countOf, formatCount, formatPercent } from '../../ui/format-number.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

/** What people prefer who did not know which run gave which answer. */
export function PreferenceResult({ pair, onStart }: { pair: ComparedPair; onStart: () => void }) {
  const query = useQuery(preferenceResultQuery(pair))
  const disabledReason = missingRole(useMe(), 'annotator', 'Comparing answers')
  const result = query.data?.result
  return (
    <section aria-labelledby="preferences" className="mt-8">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-2">
        <h2 id="preferences" className="font-display text-section font-semibold">
          Preferred blindly
        </h2>
        <span className="text-data text-soft">two answers without names, in random order</span>
        <Button size="small" className="ml-auto" disabledReason={disabledReason} onClick={onStart}>
          Prefer blind
        </Button>
      </div>
      {query.error && <QueryError query={query} />}
      {query.data && (
        <div className="rounded-card border border-line bg-surface px-5 py-4 text-data shadow-lift max-sm:px-4">
          {!result && <p className="text-soft">{query.data.withheld}</p>}
          {result && result.preferences === 0 && (
            <p className="text-soft">No one has compared the answers yet. It takes a few seconds an item.</p>
          )}
          {result && result.preferences > 0 && (
            <div className="flex flex-wrap items-center gap-x-8 gap-y-3">
              <div>
                <p className="mb-1 text-meta text-soft">Share of items in which the candidate is preferred</p>
                <IntervalMark
                  estimate={toEstimate({ mean: result.share, ci: result.ci, n: result.items }, result.summary)}
                  domain={[0, 1]}
                  series="candidate"
                  format={formatPercent}
                />
              </div>
              <div className="min-w-0 flex-1 basis-80 text-soft">
                <p className="text-ink">{result.summary}</p>
                <p className="mt-1 tabular-nums">
                  {countOf(result.preferences, 'preference')} of {countOf(result.raters, 'person', 'people')};{' '}
                  {countOf(result.same, 'item')} without a preference. The answer on the left was chosen{' '}
                  {formatCount(result.left.chosen)} of {formatCount(result.left.n)} times; the server drew{' '}
                  {formatCount(result.sides.drawn)} of {countOf(result.sides.n, 'side')}. {result.method}.
                </p>
              </div>
            </div>
          )}
        </div>
      )}
    </section>
  )
}
