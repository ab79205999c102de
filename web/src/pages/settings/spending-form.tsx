import { type FormEvent, useState } from 'react'
import { type SpendingLimits, useSaveSpending } from '../../api/spending-query.ts'
import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { DraftButtons } from './draft-buttons.tsx'

interface SpendingFormProps {
  applicationId: string
  saved: SpendingLimits
  /** Why the user may not change the limits. */
  disabledReason: string | undefined
}

type Draft = { day: string; month: string }

/** An empty field is no limit. */
export function SpendingForm({ applicationId, saved, disabledReason }: SpendingFormProps) {
  const [draft, setDraft] = useState<Draft>()
  const save = useSaveSpending(applicationId)
  const { day, month } = draft ?? { day: textOf(saved.maxUsdPerDay), month: textOf(saved.maxUsdPer30Days) }
  const isReadOnly = disabledReason !== undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReadOnly) return
    save.mutate(
      { maxUsdPerDay: limitOf(day), maxUsdPer30Days: limitOf(month) },
      {
        onSuccess: () => {
          setDraft(undefined)
          showToast({ tone: 'good', message: 'The spending limits are saved.' })
        },
      },
    )
  }
  const field = { type: 'number', min: 0, step: 'any', readOnly: isReadOnly, className: 'tabular-nums' } as const
  return (
    <form
      method="post"
      onSubmit={submit}
      className="flex flex-col gap-5 rounded-card border border-line bg-surface p-5 shadow-lift"
    >
      <div className="grid max-w-md gap-5 sm:grid-cols-2">
        <TextField
          {...field}
          label="Limit per day, $"
          hint="Empty for none."
          value={day}
          onChange={(event) => setDraft({ day: event.target.value, month })}
        />
        <TextField
          {...field}
          label="Limit per 30 days, $"
          hint="Empty for none."
          value={month}
          onChange={(event) => setDraft({ day, month: event.target.value })}
        />
      </div>
      {disabledReason && <Notice>{disabledReason}</Notice>}
      <ErrorReport error={save.error} />
      <DraftButtons
        isSaving={save.isPending}
        disabledReason={disabledReason}
        hasChanges={draft !== undefined}
        onDiscard={() => {
          setDraft(undefined)
          save.reset()
        }}
      >
        Save limits
      </DraftButtons>
    </form>
  )
}

function textOf(limit: number | null): string {
  return limit === null ? '' : String(limit)
}

function limitOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}
