import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

const KINDS: Record<string, string> = {
  string: 'Give a text.',
  number: 'Give a number.',
  int: 'Give a whole number.',
  boolean: 'Give true or false.',
  array: 'Give a list.',
  object: 'Give an object with fields.',
  record: 'Give an object with fields.',
  null: 'Leave this empty.',
}

/** What is wrong with a value, for a person. Messages that the contract gives itself go before these. */
export function describeIssue(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This is needed.'
      return KINDS[issue.expected]
    case 'too_small':
      return sizeWords('At least', issue.origin, issue.minimum)
    case 'too_big':
      return sizeWords('At most', issue.origin, issue.maximum)
    case 'invalid_value':
      return `Choose one of: ${issue.values.map(String).join(', ')}.`
    case 'invalid_union':
      return 'This has none of the forms that are possible here.'
    case 'invalid_format':
      return 'This is not written in the right form.'
    default:
      return undefined
  }
}

function sizeWords(start: string, origin: string, limit: number | bigint): string {
  if (origin === 'string') return `${start} ${limit} characters.`
  if (origin === 'array' || origin === 'set') return `${start} ${limit} entries.`
  return `${start} ${limit}.`
}
