import { useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'

interface HrefLinkProps extends ComponentProps<'a'> {
  href: string
}

/** A link to an address of this interface that is known as a whole, with its query. */
export function HrefLink({ href, ...props }: HrefLinkProps) {
  const router = useRouter()
  const open = (event: MouseEvent) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!isPlain || event.defaultPrevented) return
    event.preventDefault()
    void router.navigate({ href })
  }
  return <a {...props} href={href} onClick={open} />
}
