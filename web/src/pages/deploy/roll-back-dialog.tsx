import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type LabelKey, labelHistoryKey, labelHistoryQuery, rollBackLabel } from '../../api/deployment-query.ts'
import { usePersonName } from '../../api/directory-query.ts'
import type { PromptLabelChange, PromptSplit } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { refreshPrompts } from '../../api/prompts-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { Button } from '../../ui/button.tsx'
import type { Series } from '../../ui/charts/series-mark.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { formatPercent } from '../../ui/format-number.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { splitsText, VersionMark } from '../prompts/version-mark.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { changeToUndo } from './change-to-undo.ts'
import { capital } from './deploy-words.ts'
import { mainVersion } from './splits-after.ts'

interface RollBackDialogProps {
  labelKey: LabelKey
  onClose: () => void
}

/** Takes the newest change of a label back: one step, which no condition stops. */
export function RollBackDialog({ labelKey, onClose }: RollBackDialogProps) {
  const { applicationId, label } = labelKey
  const query = useQuery(labelHistoryQuery(labelKey))
  useLiveQuery(applicationId, ['prompts'], labelHistoryKey(applicationId))
  const undone = query.data && changeToUndo(query.data.data)
  const before = undone?.before?.splits
  return (
    <Dialog
      title={before ? `Roll ${label} back to ${splitsText(before)}?` : `Roll ${label} back`}
      isOpen
      onClose={onClose}
    >
      {!query.data && (query.error ? <QueryError query={query} /> : <Skeleton rows={2} />)}
      {query.data && !before && (
        <p className="text-soft">
          {capital(label)} has no earlier state to return to. Move it to another version instead.
        </p>
      )}
      {query.data && undone && before && (
        <RollBackForm
          labelKey={labelKey}
          undone={undone}
          before={before}
          newest={query.data.data[0] ?? undone}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

interface RollBackFormProps extends RollBackDialogProps {
  undone: PromptLabelChange
  /** What it serves then. */
  before: PromptSplit[]
  newest: PromptLabelChange
}

function RollBackForm({ labelKey, undone, before, newest, onClose }: RollBackFormProps) {
  const { applicationId, label } = labelKey
  const queryClient = useQueryClient()
  const [note, setNote] = useState('')
  const nameOf = usePersonName(applicationId)
  const notAllowed = missingRole(useMe(), 'editor', 'Rolling back')
  const rollBack = useSubmission({
    mutationFn: () => rollBackLabel(labelKey, note.trim() ? { note: note.trim() } : {}),
    onSuccess: async ({ splits }) => {
      showToast({ tone: 'good', message: `Rolled ${label} back: it serves ${splitsText(splits)}.` })
      onClose()
      void queryClient.invalidateQueries({ queryKey: labelHistoryKey(applicationId) })
      void refreshPrompts(queryClient, applicationId)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (notAllowed === undefined) rollBack.mutate()
  }
  const served = newest.after?.splits ?? []
  const main = mainVersion(before)
  const seriesOf = (version: number): Series => (version === main ? 'baseline' : 'candidate')
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-data">
        <State title={`now, change ${newest.change}`} splits={served} seriesOf={seriesOf} />
        <ArrowRight aria-hidden className="size-4 text-faint" />
        <State title={`then, change ${newest.change + 1}`} splits={before} seriesOf={seriesOf} />
      </div>
      <p className="text-data text-pretty wrap-anywhere text-soft">
        It takes back change {undone.change}, made by <bdi>{nameOf(undone.changedBy)}</bdi>{' '}
        <RelativeTime time={undone.changedAt} />
        {undone.note ? ':' : '.'}
        {undone.note && <span className="my-1.5 block border-l-2 border-line pl-3 text-ink">{undone.note}</span>}{' '}
        Nothing is deleted. Rolling back is never stopped by a condition.
      </p>
      <TextField
        ref={focusOnMount}
        label="Note"
        isOptional
        placeholder="Why?"
        maxLength={20_000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <ErrorReport error={rollBack.error} />
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button type="submit" look="primary" isBusy={rollBack.isPending} disabledReason={notAllowed}>
          Roll back
          <Kbd caps={['↵']} />
        </Button>
      </DialogActions>
    </form>
  )
}

interface StateProps {
  title: string
  splits: readonly PromptSplit[]
  seriesOf: (version: number) => Series
}

function State({ title, splits, seriesOf }: StateProps) {
  return (
    <div>
      <span className="text-meta text-faint">{title}</span>
      <p className="font-medium">
        {splits.length === 0 && 'nothing'}
        {splits.map(({ version, weight }, index) => (
          <span key={version}>
            {index > 0 && ' · '}
            <VersionMark version={version} series={seriesOf(version)} /> {formatPercent(weight / 100)}
          </span>
        ))}
      </p>
    </div>
  )
}
