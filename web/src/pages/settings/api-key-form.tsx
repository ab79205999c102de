import type { FormEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { readText } from '../shell/read-text.ts'

interface ApiKeyFormProps {
  isBusy: boolean
  error: Error | null
  onSubmit: (wanted: { name: string; expiresAt: string | null }) => void
  onCancel: () => void
}

export function ApiKeyForm({ isBusy, error, onSubmit, onCancel }: ApiKeyFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    onSubmit({ name: readText(form, 'name'), expiresAt: expiryDate(Number(readText(form, 'days')), new Date()) })
  }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        name="name"
        required
        pattern=".*\S.*"
        autoComplete="off"
        placeholder="ci"
        hint="Where it will be used; you will look for it when something has to be revoked."
      />
      <SelectField label="Expires" name="days" defaultValue="365">
        <option value="30">in 30 days</option>
        <option value="90">in 90 days</option>
        <option value="365">in a year (365 days)</option>
        <option value="0">never</option>
      </SelectField>
      <ErrorReport error={error} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Create key
        </Button>
      </DialogActions>
    </form>
  )
}

function expiryDate(days: number, now: Date): string | null {
  return days === 0 ? null : new Date(now.getTime() + days * 86_400_000).toISOString()
}
