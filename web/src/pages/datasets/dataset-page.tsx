import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { apiKey } from '../../api/api-query.ts'
import { componentQuery } from '../../api/components-query.ts'
import { usePersonName } from '../../api/directory-query.ts'
import type { DatasetContents } from '../../api/generated/api.ts'
import { datasetContentsQuery, itemRowsFilter, itemRowsQuery, itemSelection } from '../../api/item-rows-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { datasetQuery } from '../../api/run-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { neighborId } from '../../ui/data-table/data-column.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { PeekDock, peekRoomClass } from '../../ui/peek-dock.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SaveState } from '../../ui/save-state.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { hasRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication, useMe } from '../shell/use-application.ts'
import { DatasetActions, type DatasetDialog } from './dataset-actions.tsx'
import { DatasetDialogs } from './dataset-dialogs.tsx'
import type { DatasetSearch } from './dataset-search.ts'
import { HealthCard } from './health-card.tsx'
import { sourceWords } from './item-columns.tsx'
import { ItemPeek } from './item-peek.tsx'
import { ItemTable } from './item-table.tsx'
import { ItemToolbar } from './item-toolbar.tsx'
import { NoItems } from './no-items.tsx'
import { useItemEdits } from './use-item-edits.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/datasets/$datasetId')
const LIVE_PAUSE_MS = 5_000

export function DatasetPage() {
  const datasetKey = route.useParams()
  const { applicationId, componentId, datasetId } = datasetKey
  const search = route.useSearch()
  const navigate = useNavigate()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: dataset } = useSuspenseQuery(datasetQuery(datasetKey))
  const contents = useQuery(datasetContentsQuery(datasetKey))
  const { item: shownItem, sort = 'turned' } = search
  const list = useInfiniteQuery(itemRowsQuery(datasetKey, itemRowsFilter(search)))
  const rows = list.data?.rows ?? []
  const [dialog, setDialog] = useState<DatasetDialog>()
  const edits = useItemEdits(datasetKey)
  const canEdit = hasRole(useMe().role, 'editor')
  const live = { pauseMs: LIVE_PAUSE_MS }
  useLiveQuery(
    applicationId,
    ['runs', 'evaluations'],
    apiKey('/components/{componentId}/datasets/{datasetId}/item-rows', applicationId),
    live,
  )
  useLiveQuery(applicationId, ['runs', 'evaluations'], datasetContentsQuery(datasetKey).queryKey, live)
  const change = (changes: Partial<DatasetSearch>, history: 'push' | 'replace' = 'push') =>
    void navigate({
      to: pagePaths.dataset(applicationId, componentId, datasetId),
      // The address of that moment: a search that was typed arrives later than a click.
      search: (current) => ({ ...current, ...changes }),
      replace: history === 'replace',
      resetScroll: false,
    })
  const position = rows.findIndex(({ id }) => id === shownItem)
  const goTo = (step: 1 | -1) => {
    const next = neighborId(
      rows.map(({ id }) => id),
      shownItem,
      step,
    )
    return next === undefined || position === -1 ? undefined : () => change({ item: next }, 'replace')
  }
  const isEmpty = contents.data?.items === 0
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(applicationId, componentId) },
          { label: 'Datasets', to: pagePaths.componentPart(applicationId, componentId, 'datasets') },
        ]}
        current={dataset.name}
      >
        {edits.state && <SaveState state={edits.state} {...(edits.onRetry && { onRetry: edits.onRetry })} />}
      </TopRow>
      <div className={shownItem ? peekRoomClass : ''}>
        <PageBody width="wide">
          <PageHeader
            title={dataset.name}
            within={useApplication()?.name ?? ''}
            text={
              <>
                {dataset.description && <p>{dataset.description}</p>}
                <p className="text-data">
                  {contents.data ? (
                    <ContentsText applicationId={applicationId} contents={contents.data} />
                  ) : (
                    countOf(dataset.itemCount, 'item')
                  )}
                </p>
              </>
            }
            actions={<DatasetActions datasetKey={datasetKey} onOpen={setDialog} />}
          />
          {isEmpty ? (
            <NoItems datasetKey={datasetKey} onOpen={setDialog} />
          ) : (
            <div className="flex flex-col gap-4">
              <HealthCard
                datasetKey={datasetKey}
                filter={search.filter}
                onFilter={(filter) => change({ filter, split: undefined, item: undefined })}
              />
              {contents.error && !contents.data && <QueryError query={contents} />}
              <ItemToolbar search={search} contents={contents.data} onChange={change} />
              <ItemTable
                datasetKey={datasetKey}
                list={list}
                where={itemSelection(search)}
                sort={sort}
                activeId={shownItem}
                canEdit={canEdit}
                onSave={edits.save}
                onSortChange={(next) => change({ sort: next })}
                onShowAll={() => change({ q: undefined, split: undefined, source: undefined, filter: undefined })}
                onActiveChange={(id) => change({ item: id }, shownItem ? 'replace' : 'push')}
              />
            </div>
          )}
        </PageBody>
      </div>
      {shownItem && (
        <PeekDock>
          <ItemPeek
            datasetKey={datasetKey}
            itemId={shownItem}
            position={position === -1 ? undefined : `${position + 1} of ${formatCount(list.data?.total ?? 0)}`}
            onPrevious={goTo(-1)}
            onNext={goTo(1)}
            onChange={
              canEdit
                ? (number, itemChange) => edits.save({ itemId: shownItem, number, change: itemChange })
                : undefined
            }
            onClose={() => change({ item: undefined })}
          />
        </PeekDock>
      )}
      <DatasetDialogs
        dialog={dialog}
        datasetKey={datasetKey}
        component={component}
        dataset={dataset}
        contents={contents.data}
        onClose={() => setDialog(undefined)}
      />
    </>
  )
}

/** "200 items: 140 train, 60 test · 112 trace, 71 import · changed 2 days ago by Mei-Ling" */
function ContentsText({ applicationId, contents }: { applicationId: string; contents: DatasetContents }) {
  const nameOf = usePersonName(applicationId)
  const { items, changedAt, changedBy, testSet } = contents
  const parts = Object.entries(contents.splits)
    .filter(([, count]) => count > 0)
    .map(([split, count]) => `${formatCount(count)} ${split === 'none' ? 'without a split' : split}`)
  const sources = (['trace', 'import', 'hand'] as const)
    .filter((source) => contents.sources[source] > 0)
    .map((source) => `${formatCount(contents.sources[source])} ${sourcePhrases[source] ?? sourceWords[source]}`)
  return (
    <>
      {countOf(items, 'item')}
      {contents.splits.none < items && `: ${parts.join(', ')}`}
      {sources.length > 0 && ` · ${sources.join(', ')}`}
      {changedAt !== null && (
        <>
          {' · changed '}
          <RelativeTime time={changedAt} />
          {changedBy !== null && ` by ${nameOf(changedBy)}`}
        </>
      )}
      {testSet.openings > 0 && ` · ${testSet.summary}`}
    </>
  )
}

const sourcePhrases: Partial<Record<string, string>> = { trace: 'from traces', import: 'imported' }
