import { useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { Prompt } from '../../api/generated/api.ts'
import { deletePrompt, deleteVersion, describePrompt } from '../../api/prompt-changes.ts'
import { type PromptKey, refreshPrompts } from '../../api/prompts-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'

interface PromptDialogProps {
  promptKey: PromptKey
  onClose: () => void
}

export function DescribePromptDialog({ promptKey, prompt, onClose }: PromptDialogProps & { prompt: Prompt }) {
  const queryClient = useQueryClient()
  const change = useSubmission({
    mutationFn: (description: string | null) => describePrompt(promptKey, description),
    onSuccess: async () => {
      await refreshPrompts(queryClient, promptKey.applicationId)
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    change.mutate(readText(new FormData(event.currentTarget), 'description') || null)
  }
  return (
    <Dialog title="Change the description" isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <TextAreaField label="Description" name="description" isOptional defaultValue={prompt.description ?? ''} />
        <FormEnd submitLabel="Save description" error={change.error} isBusy={change.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

interface DeletePromptDialogProps extends PromptDialogProps {
  prompt: Prompt
  onDeleted: () => Promise<void>
}

export function DeletePromptDialog({ promptKey, prompt, onDeleted, onClose }: DeletePromptDialogProps) {
  const queryClient = useQueryClient()
  const remove = useSubmission({
    mutationFn: () => deletePrompt(promptKey),
    onSuccess: async () => {
      showToast({ tone: 'good', message: `Deleted ${prompt.name}.` })
      // What is deleted must not be read again, so the page is left first.
      await onDeleted()
      void refreshPrompts(queryClient, promptKey.applicationId)
    },
  })
  return (
    <ConfirmDialog
      title="Delete prompt"
      confirmLabel="Delete prompt"
      typedName={prompt.name}
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <bdi className="font-medium text-ink">{prompt.name}</bdi> goes with its versions and labels. Code that reads it
      gets the text that it has as a fallback, or an error. This cannot be undone.
    </ConfirmDialog>
  )
}

interface DeleteVersionDialogProps extends PromptDialogProps {
  number: number
  onDeleted: () => Promise<void>
}

export function DeleteVersionDialog({ promptKey, number, onDeleted, onClose }: DeleteVersionDialogProps) {
  const queryClient = useQueryClient()
  const remove = useSubmission({
    mutationFn: () => deleteVersion(promptKey, number),
    onSuccess: async () => {
      showToast({ tone: 'good', message: `Deleted v${number}.` })
      // What is deleted must not be read again, so the page is left first.
      await onDeleted()
      void refreshPrompts(queryClient, promptKey.applicationId)
    },
  })
  return (
    <ConfirmDialog
      title={`Delete v${number}`}
      confirmLabel={`Delete v${number}`}
      isBusy={remove.isPending}
      error={<ErrorReport error={remove.error} />}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Its number is not used again. Traces and results that name it stay.
    </ConfirmDialog>
  )
}
