/** The text of a form's field, without the spaces around it. Empty when the field is missing. */
export function readText(form: FormData, name: string): string {
  return readSecret(form, name).trim()
}

/** Passwords are taken exactly as typed. */
export function readSecret(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
