import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import type { DatasetContents, TestOpening } from '../../api/generated/api.ts'
import { changeGroupBy, datasetSettingsQuery, refreshItems, testOpeningsQuery } from '../../api/item-rows-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { countOf } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { AssignSplitsForm } from './assign-splits-form.tsx'

interface DatasetSettingsDialogProps {
  datasetKey: DatasetKey
  contents: DatasetContents | undefined
  onClose: () => void
}

/** What belongs together, which items are for what, and how often the test set has decided. */
export function DatasetSettingsDialog({ datasetKey, contents, onClose }: DatasetSettingsDialogProps) {
  const notEditable = missingRole(useMe(), 'editor', 'Changing the settings')
  return (
    <Dialog title="Groups, splits and test set" isOpen onClose={onClose}>
      <div className="flex flex-col gap-6">
        <Groups datasetKey={datasetKey} notEditable={notEditable} />
        <section>
          <h3 className="text-body font-semibold">Splits</h3>
          <p className="mt-1 text-data text-soft">
            Improve on train, choose by validation, decide by test. Items are distributed at random, groups together;
            the same seed gives the same result.
          </p>
          <AssignSplitsForm datasetKey={datasetKey} notEditable={notEditable} />
        </section>
        <TestSet datasetKey={datasetKey} contents={contents} />
      </div>
    </Dialog>
  )
}

function Groups({ datasetKey, notEditable }: { datasetKey: DatasetKey; notEditable: string | undefined }) {
  const queryClient = useQueryClient()
  const settings = useQuery(datasetSettingsQuery(datasetKey))
  const [typed, setTyped] = useState<string>()
  const stored = settings.data?.groupBy ?? ''
  const change = useSubmission({
    mutationFn: (groupBy: string | null) => changeGroupBy(datasetKey, groupBy),
    onSuccess: async () => {
      setTyped(undefined)
      await refreshItems(queryClient, datasetKey)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate((typed ?? stored).trim() || null)
  }
  return (
    <section>
      <h3 className="text-body font-semibold">Groups</h3>
      <p className="mt-1 text-data text-soft">
        Questions about one document are not independent. Name the field that they share: intervals become as wide as
        the groups require, and splits keep groups together. All comparisons of this dataset change with it.
      </p>
      {settings.error && <QueryError query={settings} />}
      <form method="post" onSubmit={submit} className="mt-3 flex items-end gap-2">
        <div className="flex-1">
          <TextField
            label="Field"
            value={typed ?? stored}
            placeholder="metadata.document"
            pattern="metadata(\.[^.]+)+"
            title="metadata, a dot, and the name of the field"
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <Button type="submit" isBusy={change.isPending} disabledReason={notEditable}>
          Save
        </Button>
      </form>
      {settings.data?.groupBy && (
        <p role="status" className="mt-2 text-data text-soft">
          {countOf(settings.data.groups ?? 0, 'group')}, {countOf(settings.data.itemsWithoutGroup ?? 0, 'item')} without
          a value, each a group by itself.
        </p>
      )}
      <ErrorReport error={change.error} />
    </section>
  )
}

interface OpeningLinkProps {
  datasetKey: DatasetKey
  opening: TestOpening
}

function OpeningLink({ datasetKey: { applicationId, componentId }, opening }: OpeningLinkProps) {
  const { evaluationId, trialId, runIds } = opening
  const className = 'touch-link underline underline-offset-4'
  if (trialId !== null)
    return (
      <Link to={pagePaths.trial(applicationId, componentId, trialId)} className={className}>
        A trial
      </Link>
    )
  if (evaluationId !== null)
    return (
      <Link to={pagePaths.evaluation(applicationId, componentId, evaluationId)} className={className}>
        An evaluation
      </Link>
    )
  return (
    <Link to={pagePaths.compare(applicationId, componentId)} search={comparedRuns(runIds)} className={className}>
      A comparison
    </Link>
  )
}

function TestSet({ datasetKey, contents }: Pick<DatasetSettingsDialogProps, 'datasetKey' | 'contents'>) {
  const openings = useQuery(testOpeningsQuery(datasetKey))
  return (
    <section>
      <h3 className="text-body font-semibold">Test set</h3>
      <p className="mt-1 text-data text-soft">
        {contents?.testSet.summary} A test set that chooses between versions is used up: each choice fits it a little
        better.
      </p>
      {openings.error && <QueryError query={openings} />}
      <ul className="mt-2 text-data">
        {openings.data?.data.map((opening) => (
          <li key={JSON.stringify(opening)} className="flex gap-3 border-b border-line py-1.5">
            <OpeningLink datasetKey={datasetKey} opening={opening} />
            <span className="ml-auto text-soft">
              <RelativeTime time={opening.openedAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function comparedRuns([base = '', cand = '']: readonly string[]): Record<string, string> {
  return { base, cand }
}
