import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import type { ImportReport } from '../../api/generated/api.ts'
import { downloadBadRows, type ImportChoices, type ImportFile, importCheckQuery } from '../../api/imports-query.ts'
import type { DatasetKey } from '../../api/run-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { BadRowTable } from './bad-row-table.tsx'
import { DuplicateChoice } from './duplicate-choice.tsx'

interface CheckStepProps {
  datasetKey: DatasetKey
  file: ImportFile
  choices: ImportChoices
  onChoose: (duplicates: ImportChoices['duplicates']) => void
  onBack: () => void
  /** Imports the rows that the check has counted. */
  submission: { isPending: boolean; error: Error | null; mutate: (report: ImportReport) => void }
}

/** What the server says about the whole file, before anything is stored. */
export function CheckStep({ datasetKey, file, choices, onChoose, onBack, submission }: CheckStepProps) {
  const check = useQuery({ ...importCheckQuery(datasetKey, file, choices), placeholderData: (previous) => previous })
  const report = check.data
  if (!report) {
    return (
      <div className="p-5 max-sm:p-4">
        {check.error ? (
          <div className="flex flex-col items-start gap-3">
            <QueryError query={check} />
            <Button onClick={onBack}>Change the columns</Button>
          </div>
        ) : (
          <p role="status" className="flex items-center gap-2 text-soft">
            <Spinner /> Checking all rows. Nothing is stored.
          </p>
        )}
      </div>
    )
  }
  const { imported, bad, duplicates, rows } = report
  const isStale = check.isPlaceholderData || check.isFetching
  return (
    <div aria-busy={isStale}>
      <div className="grid grid-cols-[18rem_minmax(0,1fr)] max-rail:grid-cols-1">
        <div className="flex flex-col gap-4 border-r border-line p-5 max-rail:border-r-0 max-rail:border-b max-sm:p-4">
          <div role="status" className="grid grid-cols-2 gap-3">
            <Figure count={imported} text={imported === 1 ? 'row is ready' : 'rows are ready'} tone="good" />
            <Figure count={bad.count} text={bad.count === 1 ? 'row is bad' : 'rows are bad'} tone="danger" />
          </div>
          <ReadyBar ready={imported} bad={bad.count} />
          <dl className="grid grid-cols-[minmax(0,auto)_auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-data">
            {report.mapping.map(({ column, field, as }) => (
              <div key={column} className="col-span-full grid grid-cols-subgrid">
                <dt className="truncate font-mono text-code text-soft">{column}</dt>
                <span aria-hidden className="text-faint">
                  →
                </span>
                <dd className="truncate">{as === 'json' && field !== 'metadata' ? `${field}, JSON` : field}</dd>
              </div>
            ))}
          </dl>
        </div>
        <div className="flex min-w-0 flex-col gap-4 p-5 max-sm:p-4">
          {bad.count > 0 ? (
            <BadRowTable bad={bad} />
          ) : (
            <p className="flex items-center gap-2">
              <Check aria-hidden className="size-4 text-good" /> Every row can be read.
            </p>
          )}
          {duplicates.count > 0 && (
            <DuplicateChoice duplicates={duplicates} value={choices.duplicates} onChange={onChoose} />
          )}
        </div>
      </div>
      <div className="flex flex-col gap-3 border-t border-line px-5 py-4 max-sm:px-4">
        {check.error && <QueryError query={check} />}
        {submission.error && <ErrorNotice {...describeError(submission.error)} />}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-80 text-data text-soft">
            {[countOf(rows, 'row'), encodings[report.encoding], delimiters.get(report.delimiter ?? '')]
              .filter(Boolean)
              .join(', ')}
            . Nothing is stored yet; an import can be undone as a whole.
          </p>
          <div className="ml-auto flex flex-wrap justify-end gap-2">
            <Button onClick={onBack}>Change the columns</Button>
            {bad.count > 0 && (
              <DownloadButton datasetKey={datasetKey} file={file} choices={choices} count={bad.count} />
            )}
            <Button
              look="primary"
              isBusy={submission.isPending || isStale}
              disabledReason={imported === 0 ? 'No row can be imported.' : undefined}
              onClick={() => submission.mutate(report)}
            >
              Import {countOf(imported, 'row')}
            </Button>
          </div>
        </div>
        {submission.isPending && (
          <p role="status" className="text-data text-soft">
            Importing {countOf(imported, 'row')}: all of them are stored, or none.
          </p>
        )}
      </div>
    </div>
  )
}

const encodings = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16', 'utf-16be': 'UTF-16' }
const delimiters = new Map([
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
])

function Figure({ count, text, tone }: { count: number; text: string; tone: 'good' | 'danger' }) {
  const Icon = tone === 'good' ? Check : X
  return (
    <p>
      <span className="block font-display text-title font-semibold tabular-nums">{formatCount(count)}</span>
      <span className={`flex items-center gap-1 text-data ${tone === 'good' ? 'text-good' : 'text-danger'}`}>
        <Icon aria-hidden className="size-3.5" /> {text}
      </span>
    </p>
  )
}

/** The figures above have the numbers. */
function ReadyBar({ ready, bad }: { ready: number; bad: number }) {
  const sum = Math.max(ready + bad, 1)
  return (
    <svg aria-hidden="true" width="100%" height="6" className="rounded-full bg-sunken">
      <rect width={`${(100 * ready) / sum}%`} height="6" rx="3" className="fill-good" />
      {bad > 0 && (
        <rect x={`${(100 * ready) / sum}%`} width={`${(100 * bad) / sum}%`} height="6" rx="3" className="fill-danger" />
      )}
    </svg>
  )
}

interface DownloadButtonProps {
  datasetKey: DatasetKey
  file: ImportFile
  choices: ImportChoices
  count: number
}

function DownloadButton({ datasetKey, file, choices, count }: DownloadButtonProps) {
  const [error, setError] = useState<Error>()
  const download = useSubmission({
    mutationFn: async (_: undefined) =>
      saveFile(await downloadBadRows(datasetKey, file, choices.mapping), 'bad-rows.csv', 'text/csv'),
    onMutate: () => setError(undefined),
    onError: setError,
  })
  return (
    <>
      <Button isBusy={download.isPending} onClick={() => download.mutate(undefined)}>
        Download {countOf(count, 'bad row')}
      </Button>
      {error && <ErrorNotice {...describeError(error)} />}
    </>
  )
}

/** Saves a file that was read with a request. The request has the headers that a link cannot send. */
function saveFile(text: string, name: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the address when the event is handled.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
