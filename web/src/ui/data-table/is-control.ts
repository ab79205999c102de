/** Whether an event belongs to a control inside of a row, and not to the row. */
export function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button, input, label, select, textarea, [role=menu]') !== null
}

/** Whether the user types: letters are then no commands. */
export function isTextEntry(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select') !== null
}
