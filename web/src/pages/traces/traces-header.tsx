import { DatabaseZap, ListFilter } from 'lucide-react'
import { useState } from 'react'
import { queryOfFilter } from '../../api/dataset-items-query.ts'
import type { TraceFilter } from '../../api/trace-list-query.ts'
import { Button } from '../../ui/button.tsx'
import { ColumnMenu } from '../../ui/data-table/column-menu.tsx'
import { NewRowsButton } from '../../ui/data-table/new-rows-button.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { lazyDialog } from '../shell/lazy-dialog.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { ExportMenu } from './export-menu.tsx'
import { isRangeLimited } from './time-range.ts'
import type { Density } from './trace-columns.tsx'
import type { TraceListSearch } from './trace-list-search.ts'
import type { useTraceTable } from './use-trace-table.ts'
import { contentOf, searchOf } from './view-content.ts'
import { ViewsMenu } from './views-menu.tsx'

const AddToDatasetDialog = lazyDialog(
  async () => (await import('../datasets/add-to-dataset-dialog.tsx')).AddToDatasetDialog,
)

interface TracesHeaderProps {
  applicationId: string
  search: TraceListSearch
  filter: TraceFilter
  /** Undefined while the first page loads. */
  list: { total: number; isTotalExact: boolean } | undefined
  newCount: number
  onShowNew: () => void
  table: ReturnType<typeof useTraceTable>
  areFiltersShown: boolean
  onToggleFilters: () => void
  onChange: (changes: Partial<TraceListSearch>, history?: 'push' | 'replace') => void
}

/** The title with the number of traces, and what concerns all of them. */
export function TracesHeader(props: TracesHeaderProps) {
  const { applicationId, search, filter, list, newCount, onShowNew, table, onChange } = props
  const [isAdding, setIsAdding] = useState(false)
  const notAllowed = missingRole(useMe(), 'editor', 'Adding to a dataset')
  const isEmpty = list === undefined || list.total === 0
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <h1 className="font-display text-title font-semibold tracking-tight">Traces</h1>
      {list && (
        <span className="pt-2 text-data text-soft tabular-nums">
          {formatCount(list.total)}
          {list.isTotalExact ? '' : ' or more'} {search.q || isRangeLimited(search) ? 'match' : 'in all'}
        </span>
      )}
      <NewRowsButton count={newCount} onShow={onShowNew} />
      <span className="ml-auto flex min-w-0 flex-wrap items-center gap-2 max-sm:w-full">
        <Button
          size="small"
          aria-expanded={props.areFiltersShown}
          className="touch:min-h-11"
          onClick={props.onToggleFilters}
        >
          <ListFilter aria-hidden className="size-3.5 text-faint" />
          Filters
        </Button>
        <ViewsMenu
          applicationId={applicationId}
          viewId={search.view}
          content={contentOf(search)}
          onOpen={(view) => onChange({ ...searchOf(view), trace: undefined })}
          onLeave={() => onChange({ view: undefined, q: search.q || undefined })}
        />
        <Button
          size="small"
          className="touch:min-h-11"
          disabledReason={notAllowed ?? (isEmpty ? 'There is no trace to add.' : undefined)}
          onClick={() => setIsAdding(true)}
        >
          <DatabaseZap aria-hidden className="size-3.5 text-faint" />
          Add all to dataset
        </Button>
        <ExportMenu
          applicationId={applicationId}
          filter={filter}
          disabledReason={isEmpty ? 'There is no trace to export.' : undefined}
        />
        <span className="max-sm:hidden">
          <ColumnMenu
            columns={table.columns}
            columnIds={table.columnIds}
            onChange={table.chooseColumns}
            footer={<RowHeightChoice value={table.density} onChange={table.chooseDensity} />}
          />
        </span>
      </span>
      {isAdding && list && (
        <AddToDatasetDialog
          applicationId={applicationId}
          source={{ type: 'query', q: queryOfFilter(filter), total: list.total }}
          componentId={undefined}
          onClose={() => setIsAdding(false)}
        />
      )}
    </div>
  )
}

function RowHeightChoice({ value, onChange }: { value: Density; onChange: (density: Density) => void }) {
  return (
    <div className="flex items-center justify-between gap-4 text-data">
      <span aria-hidden className="text-soft">
        Rows
      </span>
      <Segmented
        label="Row height"
        value={value}
        options={[
          { value: 'compact', label: 'One line' },
          { value: 'normal', label: 'Two lines' },
        ]}
        onChange={onChange}
      />
    </div>
  )
}
