/** An event id field: `*` for every event, or a number; white space is ignored. Undefined for other text. */
export function readEventId(text: string): '*' | number | undefined {
  const squeezed = text.replaceAll(/\s/g, '')
  if (squeezed === '*') return '*'
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(squeezed) ? Number(squeezed) : undefined
}
