import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'

interface LiveButtonProps {
  isOn: boolean
  /** Why new traces cannot be shown. */
  disabledReason: string | undefined
  onChange: (isOn: boolean) => void
}

/** Whether new traces are added to the list by themselves. */
export function LiveButton({ isOn, disabledReason, onChange }: LiveButtonProps) {
  return (
    <Button
      look="quiet"
      size="small"
      aria-pressed={isOn}
      disabledReason={disabledReason}
      tip={isOn ? 'New traces are shown as they arrive.' : 'Show new traces as they arrive'}
      onClick={() => onChange(!isOn)}
    >
      <span
        aria-hidden
        className={classNames('size-2 rounded-full border', isOn ? 'border-good bg-good' : 'border-edge')}
      />
      Live
    </Button>
  )
}
