import { Check, Minus } from 'lucide-react'
import type { ComponentProps } from 'react'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'checked'> {
  state: 'on' | 'off' | 'mixed'
}

/** The browser's checkbox with a box of our own; the label is the caller's (`aria-label` or a `label` around it). */
export function Checkbox({ state, className = '', ...props }: CheckboxProps) {
  return (
    <span className={`relative inline-grid size-4 shrink-0 place-items-center align-middle ${className}`}>
      <input
        {...props}
        type="checkbox"
        ref={(input) => {
          if (input) input.indeterminate = state === 'mixed'
        }}
        checked={state === 'on'}
        // The target is larger than the box, so that a finger can hit it.
        className="size-4 appearance-none rounded-[4px] border border-edge bg-raised before:absolute before:-inset-2 touch:before:-inset-3.5 checked:border-action checked:bg-action indeterminate:border-action indeterminate:bg-action"
      />
      {/* Only the visible mark: a table has a checkbox in every row. */}
      {state === 'on' && <Check aria-hidden strokeWidth={3} className={markClass} />}
      {state === 'mixed' && <Minus aria-hidden strokeWidth={3} className={markClass} />}
    </span>
  )
}

const markClass = 'pointer-events-none absolute size-3 text-on-action'
