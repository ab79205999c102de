import type { ComponentProps } from 'react'
import { Button } from './button.tsx'

interface IconButtonProps extends Omit<ComponentProps<typeof Button>, 'tip'> {
  label: string
}

/** A button with only an icon: its name is announced, and shown on hover and focus. */
export function IconButton({ label, ...props }: IconButtonProps) {
  return <Button look="quiet" size="icon" {...props} aria-label={label} tip={label} />
}
