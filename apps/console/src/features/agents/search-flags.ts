import type { SearchFlag } from '@muster/rules/search/search-tree'

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

/** The filter in a search text, as the filter form shows it. Terms beside an "or" are not a filter. */
export function readFilter(text: string): FilterChoice {
  const terms = termsOf(text)
  const flags = isEither(terms) ? [] : terms.flatMap(flagOf)
  return {
    presence: flags.findLast((flag) => PRESENCE_FLAGS.some((known) => known.flag === flag)),
    conditions: CONDITION_FLAGS.map(({ flag }) => flag).filter((flag) => flags.includes(flag)),
  }
}

/** The search text with another filter; other terms stay as typed. */
export function writeFilter(text: string, { presence, conditions }: FilterChoice): string {
  const terms = termsOf(text)
  const flags = [...(presence === undefined ? [] : [presence]), ...conditions]
  if (isEither(terms)) return [flags.length === 0 ? text : `(${text.trim()})`, ...flags].join(' ')
  return [...terms.filter((term) => flagOf(term).length === 0), ...flags].join(' ')
}

const CHOICES: readonly SearchFlag[] = [...PRESENCE_FLAGS, ...CONDITION_FLAGS].map(({ flag }) => flag)

function flagOf(term: string): SearchFlag[] {
  return CHOICES.filter((flag) => flag === term.toLowerCase())
}

function isEither(terms: readonly string[]): boolean {
  return terms.some((term) => term.toLowerCase() === 'or')
}

/** The terms of a search as typed. Brackets and quotes hold a term together. */
function termsOf(text: string): string[] {
  const terms: string[] = []
  let term = ''
  let depth = 0
  let isQuoted = false
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted
    else if (char === '(' && !isQuoted) depth += 1
    else if (char === ')' && !isQuoted) depth -= 1
    if (/\s/.test(char) && !isQuoted && depth <= 0) {
      terms.push(term)
      term = ''
    } else term += char
  }
  return [...terms, term].filter((part) => part !== '')
}
