import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { createPrompt } from '../../api/prompt-changes.ts'
import { type ComponentKey, refreshPrompts } from '../../api/prompts-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { pagePaths } from '../../path-builder.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'

interface NewPromptDialogProps {
  component: ComponentKey
  onClose: () => void
}

/** Creates a prompt and opens it, to write its first version. */
export function NewPromptDialog({ component, onClose }: NewPromptDialogProps) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const creation = useSubmission({
    mutationFn: (body: { name: string; description?: string }) => createPrompt(component, body),
    onSuccess: async ({ id }) => {
      void refreshPrompts(queryClient, component.applicationId)
      await navigate({ to: pagePaths.prompt(component.applicationId, component.componentId, id) })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const description = readText(form, 'description')
    creation.mutate({ name: readText(form, 'name'), ...(description && { description }) })
  }
  return (
    <Dialog title="New prompt" isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          name="name"
          required
          pattern="[A-Za-z0-9][A-Za-z0-9._\/\-]{0,127}"
          title="Up to 128 letters, digits and . _ / -"
          hint="Code asks for it by this name, which cannot be changed: letters, digits and . _ / -"
          placeholder="answer"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
        <TextAreaField label="Description" name="description" isOptional placeholder="What it is for" />
        <FormEnd submitLabel="Create prompt" error={creation.error} isBusy={creation.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
