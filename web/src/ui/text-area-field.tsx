import type { ComponentProps } from 'react'
import { controlClass, Field, type FieldProps, readOnlyClass } from './field.tsx'

type TextAreaFieldProps = FieldProps & Omit<ComponentProps<'textarea'>, 'id' | 'onInput' | 'onInvalid'>

export function TextAreaField({ label, hint, isOptional = false, ...props }: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} isOptional={isOptional}>
      {(control) => <textarea rows={3} {...props} {...control} className={`${controlClass} ${readOnlyClass}`} />}
    </Field>
  )
}
