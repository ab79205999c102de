import { Inbox } from 'lucide-react'
import { useMemo, useState } from 'react'
import { DataTable } from '../ui/data-table/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Card, KitSection } from './kit-section.tsx'
import { KIT_COLUMNS, type KitTrace, kitTraces } from './kit-traces.tsx'

const rowId = (trace: KitTrace) => trace.id
const COLUMN_IDS = ['duration', 'tokens', 'cost']
const NONE: KitTrace[] = []

export function TableStatesKit() {
  const [pages, setPages] = useState(1)
  const rows = useMemo(() => kitTraces(pages * 4), [pages])
  const empty = <EmptyState icon={Inbox} title="No trace yet" text="Traces show what your component did." />
  const common = { columns: KIT_COLUMNS, columnIds: COLUMN_IDS, rowId, empty }
  const failed = <ErrorNotice message="The database is busy." requestId="req-7" onRetry={() => undefined} />
  return (
    <KitSection title="States of a table">
      <div className="@container">
        <div className="grid items-start gap-4 @4xl:grid-cols-2">
          <Card>
            <DataTable {...common} label="Loading" rows={NONE} isLoading scroll="page" />
          </Card>
          <Card>
            <DataTable {...common} label="Empty" rows={NONE} />
          </Card>
          <Card>
            <DataTable {...common} label="Failed" rows={NONE} error={failed} />
          </Card>
          <Card>
            <DataTable
              {...common}
              label="With more pages"
              rows={rows}
              hasMore={pages < 3}
              onLoadMore={() => setPages(pages + 1)}
              scroll="page"
            />
          </Card>
          <Card>
            <DataTable
              {...common}
              label="The next page failed"
              rows={rows}
              hasMore
              moreError={failed}
              onLoadMore={() => undefined}
              scroll="page"
            />
          </Card>
        </div>
      </div>
    </KitSection>
  )
}
