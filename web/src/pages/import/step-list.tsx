import { Check } from 'lucide-react'

const steps = ['file', 'columns', 'check', 'done'] as const

export type Step = (typeof steps)[number]

const names: Record<Step, string> = { file: 'File', columns: 'Columns', check: 'Check', done: 'Done' }

/** Where the import is. A step that was done can be opened again until the rows are imported. */
export function StepList({ current, onOpen }: { current: Step; onOpen: (step: Step) => void }) {
  const place = steps.indexOf(current)
  return (
    <ol aria-label="Steps of the import" className="flex flex-wrap items-center gap-x-2 text-data text-soft">
      {steps.map((step, index) => (
        <li key={step} aria-current={step === current ? 'step' : undefined} className="flex items-center gap-2">
          {index > 0 && <span aria-hidden className="h-px w-5 bg-line max-sm:w-2" />}
          {index < place && current !== 'done' ? (
            <button
              type="button"
              onClick={() => onOpen(step)}
              className="flex min-h-7 items-center gap-1 rounded-sm touch:min-h-11 touch:min-w-11 underline-offset-4 hover:text-ink hover:underline"
            >
              <Check aria-hidden className="size-3.5" />
              {names[step]}
              <span className="sr-only">, done; change it</span>
            </button>
          ) : (
            <span className={`flex min-h-7 items-center gap-1 ${step === current ? 'font-semibold text-ink' : ''}`}>
              {index < place ? <Check aria-hidden className="size-3.5" /> : <span aria-hidden>{index + 1}</span>}
              {names[step]}
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}
