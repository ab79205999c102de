import type { ComponentProps } from 'react'
import { controlClass, Field, type FieldProps, readOnlyClass } from './field.tsx'

type TextAreaFieldProps = FieldProps & Omit<ComponentProps<'textarea'>, 'id' | 'onInput' | 'onInvalid'>

export function TextAreaField({
  label,
  hint,
  isOptional = false,
  error,
  className = '',
  ...props
}: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} isOptional={isOptional} error={error}>
      {(control) => (
        <textarea rows={3} {...props} {...control} className={`${controlClass} ${readOnlyClass} ${className}`} />
      )}
    </Field>
  )
}
