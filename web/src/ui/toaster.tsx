import { laterPart } from './later-part.ts'
import { useToasts } from './toast-store.ts'

export const toastCardsPart = laterPart(() => import('./toast-cards.tsx'))

/** Where messages appear. */
export function Toaster() {
  const hasToasts = useToasts().length > 0
  const cards = toastCardsPart.use(hasToasts)
  return cards && <cards.ToastCards />
}
