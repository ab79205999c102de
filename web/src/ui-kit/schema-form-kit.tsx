import { useState } from 'react'
import type { JsonSchema } from '../ui/schema-form/json-schema.ts'
import { SchemaForm } from '../ui/schema-form/schema-form.tsx'
import { KitSection } from './kit-section.tsx'

const schema: JsonSchema = {
  required: ['pattern'],
  properties: {
    pattern: { type: 'string', maxLength: 200, description: 'A regular expression.' },
    passAt: { type: 'number', minimum: 0, maximum: 1, description: 'The least score with which a case passes.' },
    match: { enum: ['exact', 'ordered'], default: 'ordered' },
    not: { type: 'boolean', default: false, description: 'Whether the output must not match it instead.' },
    labels: { type: 'array', items: { type: 'string' }, description: 'What to choose from.' },
    scale: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
    calls: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, arguments: {} } },
    },
    limit: {
      oneOf: [
        { title: 'A number', type: 'number' },
        { title: 'A text', type: 'string' },
      ],
    },
    limits: { type: 'object', properties: { words: { type: 'integer', minimum: 1 } } },
    schema: { type: 'object', description: 'Has no form of its own.' },
    temperature: { type: 'number' },
  },
}

export function SchemaFormKit() {
  const [value, setValue] = useState<Record<string, unknown>>({
    pattern: '(',
    labels: ['good', 'bad'],
    scale: [1, 5],
    calls: [{ name: 'search' }],
    limit: 3,
    schema: { type: 'string' },
  })
  return (
    <KitSection title="Schema form">
      <div className="max-w-4xl">
        <SchemaForm
          schema={schema}
          value={value}
          onChange={setValue}
          error={{ path: ['pattern'], message: 'Cannot be used: missing closing )' }}
          rare={['temperature']}
        />
      </div>
    </KitSection>
  )
}
