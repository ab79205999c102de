import { type FormEvent, useId, useState } from 'react'
import type { View } from '../../api/generated/api.ts'
import { useChangeView, useCreateView } from '../../api/views-query.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormEnd } from '../shell/form-end.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import type { ViewContent } from './view-content.ts'

type SaveViewDialogProps = {
  applicationId: string
  /** Names of the user's other views: two of the same name could not be distinguished. */
  taken: string[]
  onClose: () => void
} & ({ content: ViewContent; view?: undefined; onSaved: (view: View) => void } | { view: View })

/** Names a new view, or renames and shares one. */
export function SaveViewDialog(props: SaveViewDialogProps) {
  const { applicationId, taken, onClose, view } = props
  const [name, setName] = useState(view?.name ?? '')
  const [isShared, setIsShared] = useState(view?.shared ?? false)
  const [isTaken, setIsTaken] = useState(false)
  const shareId = useId()
  const create = useCreateView(applicationId)
  const change = useChangeView(applicationId)
  const notAllowed = missingRole(useMe(), 'editor', 'Sharing a view')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const named = { name: name.trim(), shared: isShared }
    setIsTaken(taken.includes(named.name))
    if (taken.includes(named.name)) return
    if (props.view) change.mutate({ viewId: props.view.id, change: named }, { onSuccess: onClose })
    else {
      const { content, onSaved } = props
      create.mutate(
        { ...named, ...content },
        {
          onSuccess: (saved) => {
            onSaved(saved)
            onClose()
          },
        },
      )
    }
  }
  return (
    <Dialog title={view ? 'Rename or share the view' : 'Save this view'} isOpen onClose={onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          required
          pattern=".*\S.*"
          maxLength={500}
          autoComplete="off"
          placeholder="Slow answers of this week"
          hint="The view keeps the query, the order and the columns, and can be opened with any time range."
          value={name}
          onChange={(event) => {
            setName(event.target.value)
            setIsTaken(false)
          }}
        />
        {isTaken && (
          <p role="alert" className="-mt-2 text-data text-danger">
            You have a view with this name.
          </p>
        )}
        <label htmlFor={shareId} className="flex min-h-8 items-center gap-2.5 text-data touch:min-h-11">
          <Checkbox
            id={shareId}
            state={isShared ? 'on' : 'off'}
            disabled={notAllowed !== undefined}
            onChange={(event) => setIsShared(event.target.checked)}
          />
          Share it with all members of the application
        </label>
        {notAllowed && <p className="-mt-3 text-data text-faint">{notAllowed}</p>}
        <FormEnd
          submitLabel="Save"
          error={create.error ?? change.error}
          isBusy={create.isPending || change.isPending}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}
