import { type SearchFlag, parseSearch } from '@muster/rules/search/machine-search'

/** The `is:` words as filter choices: one for the status, and any number of conditions. */
export const PRESENCE_FLAGS = [
  { flag: 'is:online', label: 'Online' },
  { flag: 'is:away', label: 'Connection lost' },
  { flag: 'is:offline', label: 'Offline' },
  { flag: 'is:overdue', label: 'Overdue' },
  { flag: 'is:expired', label: 'Not seen for 30 days' },
] as const satisfies readonly { flag: SearchFlag; label: string }[]

export const CONDITION_FLAGS = [
  { flag: 'is:checksfailing', label: 'Checks failing' },
  { flag: 'is:checksold', label: 'Outdated check results' },
  { flag: 'is:noresults', label: 'No check results' },
  { flag: 'is:patchespending', label: 'Patches pending' },
  { flag: 'is:actionspending', label: 'Actions pending' },
  { flag: 'is:rebootneeded', label: 'Reboot needed' },
  { flag: 'is:maintenance', label: 'Maintenance mode' },
] as const satisfies readonly { flag: SearchFlag; label: string }[]

export interface FilterChoice {
  presence: SearchFlag | undefined
  conditions: readonly SearchFlag[]
}

/** The filter in a search text, as the filter form shows it. */
export function readFilter(text: string): FilterChoice {
  const { flags } = parseSearch(text)
  return {
    presence: PRESENCE_FLAGS.find(({ flag }) => flags.includes(flag))?.flag,
    conditions: CONDITION_FLAGS.map(({ flag }) => flag).filter((flag) => flags.includes(flag)),
  }
}

/** The search text with another filter; other words stay as typed. */
export function writeFilter(text: string, { presence, conditions }: FilterChoice): string {
  const words = text.split(/\s+/).filter((word) => word !== '' && !isFlag(word))
  return [...words, ...(presence === undefined ? [] : [presence]), ...conditions].join(' ')
}

export interface SearchPart {
  text: string
  /** Whether a word is a known `is:` word. */
  flag: boolean
}

/** Splits the text into pieces that concatenate to it, to highlight the `is:` words. */
export function splitSearch(text: string): SearchPart[] {
  return text
    .split(/(\s+)/)
    .filter((part) => part !== '')
    .map((part) => ({ text: part, flag: isFlag(part) }))
}

function isFlag(word: string): boolean {
  return parseSearch(word).flags.length > 0
}
