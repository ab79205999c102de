import { useInfiniteQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { connectionsQuery } from '../../api/connections-query.ts'
import type { PromptContent } from '../../api/generated/api.ts'
import { JsonTextField } from '../../ui/schema-form/json-text-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { isObject } from './prompt-draft.ts'

interface ModelFieldsProps {
  applicationId: string
  content: PromptContent
  isReadOnly: boolean
  onChange: (changes: Partial<PromptContent>) => void
}

/** The names that providers have for the limit of an answer. A prompt keeps the one that it has. */
const LIMIT_NAMES = ['maxTokens', 'max_tokens', 'max_completion_tokens', 'max_output_tokens']

/** Which model is called by default, and with what. */
export function ModelFields({ applicationId, content, isReadOnly, onChange }: ModelFieldsProps) {
  const titleId = useId()
  const { provider, model, parameters } = content
  const { data: connections = [] } = useInfiniteQuery(connectionsQuery(applicationId))
  const names = [...new Set([...connections.map(({ name }) => name), ...(provider === null ? [] : [provider])])]
  const models = connections.filter(({ name }) => provider === null || name === provider).flatMap((one) => one.models)
  const limitName = LIMIT_NAMES.find((name) => name in parameters) ?? 'maxTokens'
  const { temperature, [limitName]: limit, ...others } = parameters
  const setParameter = (name: string, text: string) => {
    const { [name]: _, ...rest } = parameters
    const value = Number(text)
    onChange({ parameters: text.trim() === '' || !Number.isFinite(value) ? rest : { ...rest, [name]: value } })
  }
  return (
    <section aria-labelledby={titleId} className="min-w-0 border-t border-line pt-5">
      <h2 id={titleId} className="mb-3 text-body font-semibold">
        Model and parameters
      </h2>
      <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        <SelectField
          label="Connection"
          value={provider ?? ''}
          disabled={isReadOnly}
          onChange={(event) => onChange({ provider: event.target.value || null })}
        >
          <option value="">By the code</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Model"
          value={model ?? ''}
          readOnly={isReadOnly}
          placeholder="By the code"
          list={`${titleId}-models`}
          spellCheck={false}
          autoComplete="off"
          maxLength={500}
          onChange={(event) => onChange({ model: event.target.value || null })}
        />
        <datalist id={`${titleId}-models`}>
          {[...new Set(models)].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextField
          label="Temperature"
          type="number"
          step="any"
          min="0"
          value={numberText(temperature)}
          readOnly={isReadOnly}
          placeholder="default"
          onChange={(event) => setParameter('temperature', event.target.value)}
        />
        <TextField
          label="Max tokens"
          type="number"
          min="1"
          value={numberText(limit)}
          readOnly={isReadOnly}
          placeholder="default"
          onChange={(event) => setParameter(limitName, event.target.value)}
        />
      </div>
      {(!isReadOnly || Object.keys(others).length > 0) && (
        <details className="mt-3" open={Object.keys(others).length > 0 || undefined}>
          <summary className="text-data text-soft hover:text-ink">Other parameters</summary>
          {isReadOnly ? (
            <pre className="mt-2 overflow-x-auto rounded-control bg-sunken p-3 font-mono text-code">
              {JSON.stringify(others, null, 2)}
            </pre>
          ) : (
            <JsonTextField
              label="Other parameters as JSON"
              hint='Sent as they are: {"topP": 0.9, "seed": 7}'
              isOptional
              value={Object.keys(others).length === 0 ? undefined : others}
              onChange={(value) => {
                if (value !== undefined && !isObject(value)) return
                onChange({
                  parameters: {
                    ...(temperature !== undefined && { temperature }),
                    ...(limit !== undefined && { [limitName]: limit }),
                    ...value,
                  },
                })
              }}
            />
          )}
        </details>
      )}
    </section>
  )
}

function numberText(value: unknown): string {
  return typeof value === 'number' ? String(value) : ''
}
