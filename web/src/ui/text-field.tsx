import type { ComponentProps } from 'react'
import { controlClass, Field, type FieldProps, readOnlyClass } from './field.tsx'

type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'id' | 'onInput' | 'onInvalid'>

export function TextField({ label, hint, isOptional = false, error, className = '', ...props }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} isOptional={isOptional} error={error}>
      {(control) => (
        <input type="text" {...props} {...control} className={`${controlClass} ${readOnlyClass} ${className}`} />
      )}
    </Field>
  )
}
