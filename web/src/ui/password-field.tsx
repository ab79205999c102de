import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { controlClass, Field } from './field.tsx'

interface PasswordFieldProps {
  /** Default: "Password". */
  label?: string
  name: string
  /** 'new' shows and enforces the limits; an existing password is accepted as it is. */
  kind: 'new' | 'current'
}

export function PasswordField({ label = 'Password', name, kind }: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false)
  const limits = kind === 'new' ? { minLength: 12, maxLength: 128 } : {}
  const hint = kind === 'new' ? '12 to 128 characters. A few unrelated words make a good one.' : undefined
  const Icon = isShown ? EyeOff : Eye
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <span className="relative">
          <input
            {...control}
            {...limits}
            required
            name={name}
            type={isShown ? 'text' : 'password'}
            autoComplete={kind === 'new' ? 'new-password' : 'current-password'}
            autoCapitalize="none"
            spellCheck={false}
            className={`${controlClass} pr-11`}
          />
          <button
            type="button"
            aria-label={`Show ${label.toLowerCase()}`}
            aria-pressed={isShown}
            onClick={() => setIsShown(!isShown)}
            className="absolute inset-y-1 right-1 grid w-8 place-items-center rounded-control text-faint touch:inset-y-0 touch:right-0 touch:w-11 hover:bg-hover hover:text-ink"
          >
            <Icon aria-hidden className="size-4" />
          </button>
        </span>
      )}
    </Field>
  )
}
