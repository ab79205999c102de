import type { FormEvent } from 'react'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from './form-end.tsx'
import { readText } from './read-text.ts'

interface NameFormProps {
  submitLabel: string
  namePlaceholder: string
  isBusy: boolean
  error: Error | null
  onSubmit: (named: { name: string; description?: string }) => void
  onCancel: () => void
}

/** Name and description, for the dialogs that create a resource. */
export function NameForm({ submitLabel, namePlaceholder, isBusy, error, onSubmit, onCancel }: NameFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const description = readText(form, 'description')
    onSubmit({ name: readText(form, 'name'), ...(description ? { description } : {}) })
  }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      <TextField label="Name" name="name" required pattern=".*\S.*" autoComplete="off" placeholder={namePlaceholder} />
      <TextAreaField label="Description" name="description" isOptional />
      <FormEnd submitLabel={submitLabel} error={error} isBusy={isBusy} onCancel={onCancel} />
    </form>
  )
}
