import { type ComponentProps, type MouseEvent, useId } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'
import { Tip } from './tip.tsx'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'
type Size = 'small' | 'normal' | 'icon' | 'small-icon'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  look?: Look
  size?: Size
  isBusy?: boolean
  /** Why it is disabled. The button stays focusable, so that every user can find the reason. */
  disabledReason?: string | undefined
  /** Shown on hover and focus, unless there is a reason. */
  tip?: string
}

export function Button({ look = 'secondary', size = 'normal', isBusy, disabledReason, tip, ...props }: ButtonProps) {
  const reasonId = useId()
  const isOff = isBusy || disabledReason !== undefined
  return (
    <>
      <Tip text={disabledReason ?? tip}>
        <button
          type="button"
          {...props}
          className={classNames(buttonClass(look, size), props.className)}
          aria-disabled={isOff || undefined}
          aria-describedby={disabledReason ? reasonId : props['aria-describedby']}
          onClick={isOff ? ignoreClick : props.onClick}
        >
          {isBusy && <Spinner />}
          {props.children}
        </button>
      </Tip>
      {disabledReason !== undefined && (
        <span id={reasonId} hidden>
          {disabledReason}
        </span>
      )}
    </>
  )
}

/** For links that look like buttons. */
export function buttonClass(look: Look = 'secondary', size: Size = 'normal'): string {
  return classNames(base, sizes[size], looks[look])
}

function ignoreClick(event: MouseEvent) {
  event.preventDefault()
}

const base =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-control font-medium whitespace-nowrap transition-colors ' +
  'aria-disabled:cursor-not-allowed aria-disabled:opacity-55'

const sizes = {
  small: 'min-h-7 px-2.5 text-data touch:min-h-11 touch:min-w-11',
  normal: 'min-h-[34px] px-3.5 text-data touch:min-h-11 touch:min-w-11',
  icon: 'size-[34px] touch:size-11',
  'small-icon': 'size-7 touch:size-11',
}

const looks = {
  primary: 'bg-action text-on-action shadow-lift hover:bg-action-hover',
  secondary: 'border border-edge/60 bg-raised text-ink shadow-lift hover:border-edge hover:bg-hover',
  quiet: 'text-soft hover:bg-hover hover:text-ink',
  danger: 'bg-danger-fill text-white shadow-lift hover:brightness-110',
}
