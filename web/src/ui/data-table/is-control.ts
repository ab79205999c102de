/** Whether an event belongs to a control inside of a row, and not to the row. */
export function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button, input, label, select, textarea, [role=menu]') !== null
}
