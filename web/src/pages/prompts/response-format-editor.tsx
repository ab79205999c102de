import { useId } from 'react'
import type { PromptContent } from '../../api/generated/api.ts'
import { JsonTextField } from '../../ui/schema-form/json-text-field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { isObject } from './prompt-draft.ts'

type Format = PromptContent['responseFormat']

interface ResponseFormatEditorProps {
  format: Format
  isReadOnly: boolean
  onChange: (format: Format) => void
}

/** Whether the model answers with text, or with JSON of a schema. */
export function ResponseFormatEditor({ format, isReadOnly, onChange }: ResponseFormatEditorProps) {
  const titleId = useId()
  return (
    <section aria-labelledby={titleId} className="min-w-0">
      <div className="mb-1 flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h2 id={titleId} className="text-body font-semibold">
          Response format
        </h2>
        {!isReadOnly && (
          <Segmented
            label="Response format"
            value={format === null ? 'text' : 'json'}
            options={[
              { value: 'text', label: 'Text' },
              { value: 'json', label: 'JSON schema' },
            ]}
            onChange={(kind) => onChange(kind === 'text' ? null : NEW_SCHEMA)}
          />
        )}
      </div>
      {format === null && <p className="text-data text-faint">Text, as the model writes it.</p>}
      {format !== null &&
        (isReadOnly ? (
          <pre className="overflow-x-auto rounded-control bg-sunken p-3 font-mono text-code">
            {JSON.stringify(format, null, 2)}
          </pre>
        ) : (
          <JsonTextField
            label="Schema as JSON"
            hint="Tools and a schema work together with every connection."
            rows={10}
            value={format}
            onChange={(value) => isObject(value) && onChange(value)}
          />
        ))}
    </section>
  )
}

const NEW_SCHEMA: NonNullable<Format> = {
  type: 'json_schema',
  json_schema: {
    name: 'answer',
    strict: true,
    schema: {
      type: 'object',
      properties: { answer: { type: 'string' } },
      required: ['answer'],
      additionalProperties: false,
    },
  },
}
