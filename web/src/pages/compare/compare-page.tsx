import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { GitCompare } from 'lucide-react'
import { apiKey } from '../../api/api-query.ts'
import { comparableRunsQuery } from '../../api/comparison-query.ts'
import { componentQuery } from '../../api/components-query.ts'
import type { RunSummary } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { pagePaths } from '../../path-builder.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/select-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ComponentNav } from '../components/component-nav.tsx'
import { runTitle } from '../runs/run-title.ts'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { CandidateRanking } from './candidate-ranking.tsx'
import { splitNames } from './compare-search.ts'
import { ComparisonView } from './comparison-view.tsx'
import { RunPickers } from './run-pickers.tsx'
import { type ChangeSearch, useCompareSearch } from './use-compare-search.ts'

/** Did the change help? Two runs of a dataset, or several candidates against one baseline. */
export function ComparePage() {
  const { applicationId, componentId, search: given, change } = useCompareSearch()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const runsQuery = useQuery(comparableRunsQuery(applicationId, componentId))
  const comparisons = '/components/{componentId}/comparisons'
  useLiveQuery(applicationId, ['runs', 'evaluations'], apiKey(comparisons, applicationId))
  useLiveQuery(applicationId, ['annotations'], apiKey(`${comparisons}/preferences`, applicationId))
  const runs = runsQuery.data?.data ?? []
  const search = given.base || given.cand ? given : { ...given, ...newestPair(runs) }
  const { base, cand = [], split, margin } = search
  const [candidate] = cand
  const titleOf = (runId: string, name: string | null) => {
    const run = runs.find(({ id }) => id === runId)
    return run ? runTitle(run) : (name ?? 'An older run')
  }
  const isTwo = base !== undefined && candidate !== undefined
  return (
    <>
      <TopRow
        parents={[{ label: component.name, to: pagePaths.component(applicationId, componentId) }]}
        current="Compare"
      >
        <CopyButton text={window.location.href} label="Copy link" look="quiet" />
      </TopRow>
      <PageBody width="wide">
        {/* The verdict is the headline that is seen, once it is there. */}
        <h1 className="sr-only">Compare runs of {component.name}</h1>
        <ComponentNav applicationId={applicationId} componentId={componentId} />
        {/* Together with their titles: what is below would move. */}
        {!runsQuery.isPending && (
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
            <RunPickers
              runs={runs}
              search={search}
              change={(changes, history) => change({ base, ...(cand.length > 0 && { cand }), ...changes }, history)}
            />
            {isTwo && <SplitSelect split={split} change={change} />}
          </div>
        )}
        {runsQuery.error && <QueryError query={runsQuery} />}
        {runsQuery.isPending && <Skeleton rows={10} />}
        {runsQuery.data && !isTwo && <NothingChosen count={runs.length} />}
        {isTwo && cand.length === 1 && !runsQuery.isPending && (
          <ComparisonView
            pair={{ applicationId, componentId, baseline: base, candidate, split }}
            runs={runs}
            titleOf={titleOf}
            search={search}
            change={(changes, history) => change({ base, cand, ...changes }, history)}
          />
        )}
        {isTwo && cand.length > 1 && !runsQuery.isPending && (
          <CandidateRanking
            family={{
              applicationId,
              componentId,
              baseline: base,
              candidates: cand,
              metric: search.metric,
              margin: margin === undefined ? undefined : Number(margin),
              split,
            }}
            titleOf={titleOf}
            change={change}
          />
        )}
      </PageBody>
    </>
  )
}

/** The newest run that was evaluated and the one before it, of the same dataset. */
function newestPair(runs: RunSummary[]): { base?: string; cand?: string[] } {
  const evaluated = runs.filter(({ newestEvaluation }) => newestEvaluation !== null)
  for (const [index, candidate] of evaluated.entries()) {
    const base = evaluated.slice(index + 1).find(({ datasetId }) => datasetId === candidate.datasetId)
    if (base) return { base: base.id, cand: [candidate.id] }
  }
  return {}
}

function SplitSelect({ split, change }: { split: string | undefined; change: ChangeSearch }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the select inside
    <label className="flex items-center gap-2 text-data text-soft">
      Items
      <Select
        value={split ?? ''}
        onChange={({ target }) =>
          change({ split: splitNames.find((name) => name === target.value), item: undefined, filter: undefined })
        }
      >
        <option value="">all</option>
        {splitNames.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Select>
    </label>
  )
}

function NothingChosen({ count }: { count: number }) {
  return (
    <div className="mt-6">
      <EmptyState
        icon={GitCompare}
        title={count < 2 ? 'Two runs are needed' : 'Choose two runs'}
        text={
          count < 2
            ? 'A comparison says whether a change helped. Run the same dataset before and after the change, and evaluate both.'
            : 'Choose the run before the change as the baseline, and the one after it as the candidate.'
        }
      />
    </div>
  )
}
