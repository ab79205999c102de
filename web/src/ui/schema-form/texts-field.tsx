import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../button.tsx'
import { controlClass } from '../field.tsx'
import { IconButton } from '../icon-button.tsx'

interface TextsFieldProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  value: string[]
  onChange: (value: string[]) => void
}

/** A list of texts, each in a field of its own: a text may contain commas and line breaks. */
export function TextsField({ label, hint, error, value, onChange }: TextsFieldProps) {
  const id = useId()
  const rows = value.length === 0 ? [''] : value
  const replace = (index: number, text: string) => onChange(rows.map((old, other) => (other === index ? text : old)))
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5" aria-describedby={hint || error ? `${id}-hint` : undefined}>
      <legend className="mb-1.5 text-data font-medium">{label}</legend>
      {rows.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the texts have no identity but their place
        <div key={index} className="flex items-center gap-1">
          <input
            aria-label={`${label} ${index + 1}`}
            aria-invalid={error ? true : undefined}
            value={text}
            onChange={(event) => replace(index, event.target.value)}
            className={controlClass}
          />
          {rows.length > 1 && (
            <IconButton
              label={`Remove ${label} ${index + 1}`}
              onClick={() => onChange(rows.filter((_, other) => other !== index))}
            >
              <X aria-hidden className="size-4" />
            </IconButton>
          )}
        </div>
      ))}
      <span>
        <Button size="small" look="quiet" onClick={() => onChange([...rows, ''])}>
          <Plus aria-hidden className="size-4" />
          Add
          <span className="sr-only">to {label}</span>
        </Button>
      </span>
      {(error || hint) && (
        <p
          id={`${id}-hint`}
          role={error ? 'alert' : undefined}
          className={`text-data ${error ? 'text-danger' : 'text-faint'}`}
        >
          {error ?? hint}
        </p>
      )}
    </fieldset>
  )
}
