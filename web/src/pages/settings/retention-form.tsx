import { useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { retentionQuery, useSaveRetention } from '../../api/retention-query.ts'
import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { countDays } from './count-days.ts'
import { DraftButtons } from './draft-buttons.tsx'
import { ShortenRetentionDialog } from './shorten-retention-dialog.tsx'

interface RetentionFormProps {
  applicationId: string
  applicationName: string
  /** Why the user may not change the period. */
  disabledReason: string | undefined
}

type Draft = { isForever: boolean; days: string }

const DAYS_DEFAULT = 90
const DAYS_MAX = 3_650

/** For a period that is loaded. A shorter period deletes traces, so it is confirmed by typing. */
export function RetentionForm({ applicationId, applicationName, disabledReason }: RetentionFormProps) {
  // Not a property: when the draft is dropped after saving, this is the saved period already.
  const { data: saved } = useSuspenseQuery(retentionQuery(applicationId))
  const [draft, setDraft] = useState<Draft>()
  const [isAsking, setIsAsking] = useState(false)
  const save = useSaveRetention(applicationId)
  const { isForever, days } = draft ?? { isForever: saved.days === null, days: `${saved.days ?? DAYS_DEFAULT}` }
  const wanted = isForever ? null : Number(days)
  const isShorter = wanted !== null && (saved.days === null || wanted < saved.days)
  const isReadOnly = disabledReason !== undefined
  const send = () =>
    save.mutate(wanted, {
      onSuccess: () => {
        setDraft(undefined)
        setIsAsking(false)
        const message = wanted === null ? 'Traces are kept forever.' : `Traces are kept for ${countDays(wanted)}.`
        showToast({ tone: 'good', message })
      },
    })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReadOnly) return
    if (isShorter) setIsAsking(true)
    else send()
  }
  return (
    <>
      <form
        method="post"
        onSubmit={submit}
        className="flex flex-col gap-5 rounded-card border border-line bg-surface p-5 shadow-lift"
      >
        <fieldset disabled={isReadOnly} className="flex flex-col gap-3">
          <legend className="mb-3 text-reading font-semibold">Keep traces</legend>
          <Choice
            label="Forever"
            hint="Until they are deleted by hand."
            isChosen={isForever}
            onChoose={() => setDraft({ isForever: true, days })}
          />
          <Choice
            label="For a number of days"
            hint="Older traces are deleted permanently, in small steps."
            isChosen={!isForever}
            onChoose={() => setDraft({ isForever: false, days })}
          />
        </fieldset>
        {!isForever && (
          <div className="max-w-48 pl-7">
            <TextField
              label="Days"
              type="number"
              min={1}
              max={DAYS_MAX}
              step={1}
              required
              readOnly={isReadOnly}
              value={days}
              className="tabular-nums"
              onChange={(event) => setDraft({ isForever: false, days: event.target.value })}
            />
          </div>
        )}
        {disabledReason && <Notice>{disabledReason}</Notice>}
        {!isAsking && <ErrorReport error={save.error} />}
        <DraftButtons
          isSaving={save.isPending}
          disabledReason={disabledReason}
          hasChanges={draft !== undefined}
          onDiscard={() => {
            setDraft(undefined)
            save.reset()
          }}
        >
          {isShorter ? 'Save…' : 'Save'}
        </DraftButtons>
      </form>
      {isAsking && wanted !== null && (
        <ShortenRetentionDialog
          days={wanted}
          applicationName={applicationName}
          isBusy={save.isPending}
          error={save.error}
          onConfirm={send}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  )
}

interface ChoiceProps {
  label: string
  hint: string
  isChosen: boolean
  onChoose: () => void
}

function Choice({ label, hint, isChosen, onChoose }: ChoiceProps) {
  return (
    <label className="flex gap-3 touch:min-h-11">
      <input
        type="radio"
        name="period"
        checked={isChosen}
        onChange={onChoose}
        className="mt-0.75 size-4 shrink-0 accent-action"
      />
      <span>
        <span className="block font-medium">{label}</span>
        <span className="block text-data text-soft">{hint}</span>
      </span>
    </label>
  )
}
