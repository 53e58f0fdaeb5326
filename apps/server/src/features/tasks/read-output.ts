import type { CustomField } from '@muster/contract/api/custom-fields'
import type { CustomFieldInput } from '@muster/rules/agents/custom-field-value'

const YES = new Set(['true', '1', 'yes', 'on'])
const NO = new Set(['false', '0', 'no', 'off'])

/** What was printed, as a form would hold it for this field, or why it is nothing for it. */
export function readOutput(
  { name, type, options }: Pick<CustomField, 'name' | 'type' | 'options'>,
  text: string,
): { value: CustomFieldInput } | { wrong: string } {
  if (type === 'multiple') {
    const lines = text.split('\n').map((line) => line.trim())
    // A choice may hold a comma itself.
    const words = lines.flatMap((line) => (options.includes(line) ? [line] : line.split(',')))
    return { value: words.map((word) => word.trim()).filter((word) => word !== '') }
  }
  if (type !== 'checkbox') return { value: text }
  const word = text.toLowerCase()
  if (YES.has(word)) return { value: true }
  if (NO.has(word)) return { value: false }
  return { wrong: `${name} takes true or false, 1 or 0, yes or no, on or off.` }
}
