import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { controlClass, Field, type FieldProps } from './field.tsx'

type SelectFieldProps = FieldProps & Omit<ComponentProps<'select'>, 'id' | 'onInput' | 'onInvalid'>

/** The browser's select: it works best on a phone, and needs no styles that the content security policy forbids. */
export function SelectField({ label, hint, isOptional = false, error, ...props }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} isOptional={isOptional} error={error}>
      {(control) => <Select {...props} {...control} />}
    </Field>
  )
}

export function Select({ className = '', ...props }: ComponentProps<'select'>) {
  return (
    <span className={`relative inline-flex ${className}`}>
      <select {...props} className={`${controlClass} appearance-none pr-9`} />
      <ChevronDown aria-hidden className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-faint" />
    </span>
  )
}
