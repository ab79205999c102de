import { CircleAlert } from 'lucide-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'

export interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  /** Shown next to the label of optional fields. */
  isOptional?: boolean
  /** What the server says about the value. */
  error?: string | undefined
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** The properties that connect a control to its field. */
export interface FieldControl {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean | undefined
  onInvalid: (event: FormEvent<Control>) => void
  onInput: () => void
}

/** Label, hint and the browser's validation message around one control. */
export function Field({
  label,
  hint,
  isOptional,
  error: reported,
  children,
}: FieldProps & { children: (control: FieldControl) => ReactNode }) {
  const id = useId()
  const [invalid, setInvalid] = useState<string>()
  const error = invalid ?? reported
  const control = {
    id,
    'aria-describedby': error ? `${id}-error` : hint ? `${id}-hint` : undefined,
    'aria-invalid': error ? true : undefined,
    onInvalid: (event: FormEvent<Control>) => {
      // The message is shown in the page instead of a bubble, so the browser does not move the focus.
      event.preventDefault()
      const control = event.currentTarget
      setInvalid(control.validationMessage)
      if (control.form?.querySelector(':invalid:not(fieldset)') === control) control.focus()
    },
    onInput: () => setInvalid(undefined),
  }
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="flex items-baseline justify-between text-data font-medium">
        {label}
        {isOptional && (
          <span aria-hidden className="font-normal text-faint">
            optional
          </span>
        )}
      </label>
      {children(control)}
      {error && (
        <p id={`${id}-error`} role="alert" className="flex items-center gap-1.5 text-data text-danger">
          <CircleAlert aria-hidden className="size-4 shrink-0" />
          {error}
        </p>
      )}
      {!error && hint && (
        <p id={`${id}-hint`} className="text-data text-faint">
          {hint}
        </p>
      )}
    </div>
  )
}

export const controlClass =
  'w-full min-h-[34px] touch:min-h-11 rounded-control border border-edge/70 bg-raised px-3 py-1.5 text-ink placeholder:text-faint ' +
  'transition-colors hover:border-edge focus-visible:outline-offset-0 aria-invalid:border-danger disabled:opacity-60'

/** For text fields only: a select always matches :read-only. */
export const readOnlyClass = 'read-only:border-line read-only:bg-sunken read-only:text-soft'
