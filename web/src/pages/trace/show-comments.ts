export const COMMENTS_ID = 'comments'

/** Scrolls to the comments; users who may comment can write at once. */
export function showComments(): void {
  const section = document.getElementById(COMMENTS_ID)
  const field = section?.querySelector<HTMLElement>('form:last-of-type textarea') ?? section
  field?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
