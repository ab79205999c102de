import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { runsQuery } from '../../api/components-query.ts'
import type { DatasetKey } from '../../api/run-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { casesText, formatTime, runTitle } from '../runs/run-title.ts'

/** Disagreements are resolved in the runs, because a resolution counts for one run. */
export function RunLinks({ datasetKey, datasetName }: { datasetKey: DatasetKey; datasetName: string }) {
  const { applicationId, componentId, datasetId } = datasetKey
  const runs = useInfiniteQuery(runsQuery(applicationId, componentId))
  const ofDataset = runs.data?.filter((run) => run.datasetId === datasetId) ?? []
  if (ofDataset.length === 0) return null
  return (
    <section className="mt-8">
      <h2 className="mb-1 font-display text-section font-semibold">Runs of this dataset</h2>
      <p className="mb-3 text-data text-soft">Disagreements are resolved in the run in which they were rated.</p>
      <ul className="max-w-2xl divide-y divide-line rounded-card border border-line bg-surface text-data shadow-lift">
        {ofDataset.map((run) => (
          <li key={run.id}>
            <Link
              to={pagePaths.run(applicationId, componentId, run.id)}
              search={{ tab: 'agreement' }}
              className="flex flex-wrap items-baseline justify-between gap-x-4 px-4 py-2.5 hover:bg-hover touch:min-h-11 focus-visible:-outline-offset-2"
            >
              <span className="font-medium wrap-anywhere">{runTitle({ ...run, datasetName })}</span>
              <span className="order-last font-medium underline decoration-edge underline-offset-3">Resolve</span>
              {run.name && (
                <span className="text-soft">
                  {casesText(run.traceCount)}, {formatTime(run.createdAt)}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <LoadMore
        hasMore={runs.hasNextPage}
        isLoading={runs.isFetchingNextPage}
        onLoad={() => void runs.fetchNextPage()}
      />
    </section>
  )
}
