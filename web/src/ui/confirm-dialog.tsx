import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { TextField } from './text-field.tsx'

interface ConfirmDialogProps {
  title: string
  /** The consequences of the action. */
  children: ReactNode
  confirmLabel: string
  /** If given, the user must type this text first. For actions that cannot be undone. */
  typedName?: string
  isBusy: boolean
  error?: ReactNode
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmDialog({ title, children, confirmLabel, typedName, ...props }: ConfirmDialogProps) {
  const [typed, setTyped] = useState('')
  const isConfirmed = typedName === undefined || typed === typedName
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isConfirmed && !props.isBusy) props.onConfirm()
  }
  return (
    <Dialog title={title} isOpen onClose={props.onClose}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <div className="text-soft">{children}</div>
        {typedName !== undefined && (
          <TextField
            label={
              <span>
                Type “<bdi>{typedName}</bdi>” to confirm
              </span>
            }
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        {props.error}
        <DialogActions>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button
            type="submit"
            look="danger"
            isBusy={props.isBusy}
            disabledReason={isConfirmed ? undefined : 'Type the name exactly as shown first.'}
          >
            {confirmLabel}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
