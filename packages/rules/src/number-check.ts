/** Whether the text suits an event-id field: `*` for every event, or a number; white space does not count. */
export function isEventId(text: string): boolean {
  const squeezed = text.replace(/\s/g, '')
  return squeezed === '*' || /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(squeezed)
}
