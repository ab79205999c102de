import { type FormEvent, useId, useState } from 'react'
import type { PromptContent, PromptLabel, PromptLabelProtection, Role } from '../../api/generated/api.ts'
import type { SavedVersion, useSaveVersion } from '../../api/save-version.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { readText } from '../shell/read-text.ts'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { splitsText } from './version-mark.tsx'

interface SavePromptDialogProps {
  /** Of the page, which shows whether the draft is saved. */
  save: ReturnType<typeof useSaveVersion>
  nextNumber: number
  content: PromptContent
  labels: PromptLabel[]
  onSaved: (saved: SavedVersion) => void
  onClose: () => void
}

/** Saves the draft as the next version, with a note, and moves labels to it. */
export function SavePromptDialog({ save, nextNumber, content, labels, onSaved, onClose }: SavePromptDialogProps) {
  const { role } = useMe()
  const id = useId()
  const [chosen, setChosen] = useState<string[]>([])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    save.mutate({ content, note: readText(form, 'note') || undefined, labels: chosen }, { onSuccess: onSaved })
  }
  return (
    <Dialog title={`Save as v${nextNumber}`} isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <TextAreaField
          label="What is different"
          name="note"
          isOptional
          rows={2}
          maxLength={20_000}
          placeholder="Asks for the order number first"
        />
        <fieldset>
          <legend className="mb-1 text-data font-medium">Labels that serve it at once</legend>
          {choicesOf(labels).map(({ name, splits, protection }) => {
            const reason = protection && whyNot(protection, role)
            const isChosen = chosen.includes(name)
            return (
              <label
                key={name}
                htmlFor={`${id}-${name}`}
                className="flex min-h-8 flex-wrap items-center gap-x-2 touch:min-h-11"
              >
                <Checkbox
                  id={`${id}-${name}`}
                  state={isChosen ? 'on' : 'off'}
                  disabled={reason !== undefined}
                  onChange={() => setChosen(isChosen ? chosen.filter((one) => one !== name) : [...chosen, name])}
                />
                <bdi className="text-data">{name}</bdi>
                <span className="text-meta text-faint">{reason ?? `serves ${splitsText(splits)} now`}</span>
              </label>
            )
          })}
        </fieldset>
        <FormEnd submitLabel={`Save v${nextNumber}`} error={save.error} isBusy={save.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

/** Undefined if a save may move the label. A verdict is looked at before the move, on a page of its own. */
function whyNot({ gate, minRole }: PromptLabelProtection, role: Role): string | undefined {
  if (gate) return 'needs a verdict: save first, then deploy'
  return hasRole(role, minRole) ? undefined : `is moved by the role ${minRole}`
}

/** The labels of the prompt, and the two that most have. */
function choicesOf(labels: PromptLabel[]) {
  const known = labels.map(({ name, splits, protection }) => ({ name, splits, protection }))
  const missing = ['production', 'staging'].filter((name) => !labels.some((label) => label.name === name))
  return [...known, ...missing.map((name) => ({ name, splits: [], protection: undefined }))].sort((a, b) =>
    a.name.localeCompare(b.name),
  )
}
