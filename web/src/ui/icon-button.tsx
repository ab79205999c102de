import type { ComponentProps } from 'react'
import { Button } from './button.tsx'
import { Tip } from './tip.tsx'

interface IconButtonProps extends ComponentProps<typeof Button> {
  label: string
}

/** A button with only an icon: its name is announced, and shown on hover and focus. */
export function IconButton({ label, ...props }: IconButtonProps) {
  const button = <Button look="quiet" size="icon" {...props} aria-label={label} />
  if (props.disabledReason !== undefined) return button
  return <Tip text={label}>{button}</Tip>
}
