import type { FieldRow } from './list-fields.ts'

export function FieldList({ title, fields }: { title?: string; fields: FieldRow[] }) {
  if (fields.length === 0) return null
  return (
    <section>
      {title && <h4 className="mb-2 text-data font-semibold">{title}</h4>}
      <dl className="divide-y divide-line border-y border-line text-data">
        {fields.map((field) => (
          <div key={`${field.place ?? ''}${field.name}`} className="grid gap-x-6 py-2 sm:grid-cols-[14rem_1fr]">
            <dt className="min-w-0">
              <code className="font-mono text-[0.8125rem] font-semibold break-all">{field.name}</code>
              {field.isRequired && <span className="ml-2 text-meta text-gold-ink">required</span>}
            </dt>
            <dd className="min-w-0 break-words text-soft">
              <span className="font-mono text-[0.8125rem]">{field.type}</span>
              {field.place && <span className="text-faint"> · {field.place}</span>}
              {field.description && <span className="block text-ink">{field.description}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
