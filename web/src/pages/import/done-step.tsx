import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePersonName } from '../../api/directory-query.ts'
import type { DatasetImport } from '../../api/generated/api.ts'
import { type ImportKey, importQuery } from '../../api/imports-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { UndoImportDialog } from './undo-import-dialog.tsx'

interface DoneStepProps {
  importKey: ImportKey
  undoReason: string | undefined
  onNext: () => void
}

/** The result of an import, also after a reload. */
export function DoneStep({ importKey, undoReason, onNext }: DoneStepProps) {
  const query = useQuery(importQuery(importKey))
  const nameOf = usePersonName(importKey.applicationId)
  const [isUndoing, setIsUndoing] = useState(false)
  const done = query.data
  if (!done) {
    return <div className="p-5 max-sm:p-4">{query.error ? <QueryError query={query} /> : <Skeleton rows={3} />}</div>
  }
  const isUndone = done.state === 'undone'
  const { applicationId, componentId, datasetId } = importKey
  return (
    <div className="flex flex-col gap-5 p-5 max-sm:p-4">
      <div role="status">
        <p className="font-display text-title font-semibold">
          {isUndone
            ? `Undone: ${countOf(done.removed ?? 0, 'item')} removed`
            : `${countOf(done.imported, 'item')} imported`}
        </p>
        <p className="text-soft">
          {nameOf(done.createdBy)}, <RelativeTime time={done.createdAt} />
        </p>
      </div>
      <dl className="grid max-w-md grid-cols-[1fr_auto] gap-y-1.5 text-data">
        {factsOf(done).map(([name, count]) => (
          <div key={name} className="col-span-full grid grid-cols-subgrid border-b border-line pb-1.5">
            <dt className="text-soft">{name}</dt>
            <dd className="text-right tabular-nums">{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-wrap gap-2">
        <Link to={pagePaths.dataset(applicationId, componentId, datasetId)} className={buttonClass('primary')}>
          Open the items
        </Link>
        <Button onClick={onNext}>Import another file</Button>
        {!isUndone && (
          <Button disabledReason={undoReason} onClick={() => setIsUndoing(true)}>
            Undo this import
          </Button>
        )}
      </div>
      {isUndoing && <UndoImportDialog importKey={importKey} onClose={() => setIsUndoing(false)} />}
    </div>
  )
}

function factsOf({ rows, imported, bad, duplicates, removed, kept, state }: DatasetImport): [string, number][] {
  const facts: [string, number][] = [
    ['Rows in the file', rows],
    ['Imported', imported],
    ['Bad rows, not imported', bad],
    ['Duplicates, skipped', duplicates],
  ]
  return state === 'imported' ? facts : [...facts, ['Removed by the undo', removed ?? 0], ['Stayed', kept ?? 0]]
}
