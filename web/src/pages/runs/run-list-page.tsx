import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { FlaskConical, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { apiKey } from '../../api/api-query.ts'
import type { RunSummary } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { runSummariesQuery } from '../../api/runs-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { useHeldWhileHovered } from '../../ui/use-held-while-hovered.ts'
import { ComponentFrame } from '../components/component-frame.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { ShowChanges } from '../shell/show-changes.tsx'
import { useMe } from '../shell/use-application.ts'
import { CompareBar } from './compare-bar.tsx'
import { NewRunDialog } from './new-run-dialog.tsx'
import { NoRuns } from './no-runs.tsx'
import { buildRunColumns, RunCard, runColumnIds } from './run-columns.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/runs')

const rowId = ({ id }: RunSummary) => id

/** The runs of a component: what was run, how good it was, and which to compare. */
export function RunListPage() {
  const { applicationId, componentId } = route.useParams()
  const { dataset: datasetId } = route.useSearch()
  const navigate = useNavigate()
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [isCreating, setIsCreating] = useState(false)
  const notEditable = missingRole(useMe(), 'editor', 'Creating a run')
  const list = useInfiniteQuery(runSummariesQuery({ applicationId, componentId, datasetId }))
  const key = apiKey('/components/{componentId}/run-summaries', applicationId)
  useLiveQuery(applicationId, ['runs', 'evaluations', 'annotations'], key)
  const layout = (list.data ?? []).map(rowId)
  const held = useHeldWhileHovered(list.data, layout, `${componentId} ${datasetId}`)
  const rows = held.shown ?? []
  const columns = useMemo(() => buildRunColumns({ applicationId, componentId }), [applicationId, componentId])
  const columnIds = runColumnIds(rows)
  const selected = rows.filter(({ id }) => selection.has(id))
  const datasetName = datasetId && rows[0]?.datasetName
  return (
    <ComponentFrame
      applicationId={applicationId}
      componentId={componentId}
      part="Runs"
      top={held.isOutdated && <ShowChanges onClick={held.release} />}
    >
      <h2 className="sr-only">Runs</h2>
      <div className="mb-3 flex flex-wrap justify-end gap-2">
        {notEditable === undefined && (
          <Link
            to={pagePaths.newTrial(applicationId, componentId)}
            search={datasetId ? { dataset: datasetId } : {}}
            className={buttonClass()}
          >
            <FlaskConical aria-hidden className="size-4" />
            New trial
          </Link>
        )}
        <Button look="primary" disabledReason={notEditable} onClick={() => setIsCreating(true)}>
          <Plus aria-hidden className="size-4" />
          New run
        </Button>
      </div>
      {datasetId && (
        <p className="mb-3 flex flex-wrap items-center gap-3 text-data text-soft">
          <span>Only runs of {datasetName ? <bdi className="text-ink">{datasetName}</bdi> : 'one dataset'}.</span>
          <Link
            to={pagePaths.componentPart(applicationId, componentId, 'runs')}
            className={buttonClass('quiet', 'small')}
          >
            Show all runs
          </Link>
        </p>
      )}
      <div {...held.hoverProps} className="overflow-clip rounded-card border border-line has-[section>h2]:border-0">
        <DataTable
          label="Runs"
          columns={columns}
          columnIds={columnIds}
          rows={rows}
          rowId={rowId}
          selection={selection}
          onSelectionChange={setSelection}
          onOpen={(id) => void navigate({ to: pagePaths.run(applicationId, componentId, id) })}
          density="normal"
          scroll="page"
          card={(run) => (
            <RunCard
              run={run}
              ids={{ applicationId, componentId }}
              isSelected={selection.has(run.id)}
              onSelect={() => setSelection(toggled(selection, run.id))}
            />
          )}
          isLoading={list.isPending}
          error={list.error && <QueryError query={list} />}
          moreError={list.error && <QueryError query={{ ...list, refetch: list.fetchNextPage }} />}
          empty={<NoRuns componentId={componentId} />}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          onLoadMore={() => void list.fetchNextPage()}
        />
      </div>
      <CompareBar
        applicationId={applicationId}
        componentId={componentId}
        runs={selected}
        onClear={() => setSelection(new Set())}
      />
      {isCreating && (
        <NewRunDialog applicationId={applicationId} componentId={componentId} onClose={() => setIsCreating(false)} />
      )}
    </ComponentFrame>
  )
}

function toggled(selection: ReadonlySet<string>, id: string): Set<string> {
  const next = new Set(selection)
  if (!next.delete(id)) next.add(id)
  return next
}
