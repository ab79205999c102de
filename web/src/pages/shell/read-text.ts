/** The trimmed text of a form field; empty if the field is missing. */
export function readText(form: FormData, name: string): string {
  return readSecret(form, name).trim()
}

/** Passwords are not trimmed. */
export function readSecret(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
