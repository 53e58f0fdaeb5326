import type { SearchField } from './search-fields.ts'
import type { Match } from './search-tree.ts'
import {
  nearestNames,
  readAge,
  readDate,
  readFlag,
  readNumber,
  readPercent,
  readSize,
} from './search-values.ts'

/** The reason why a field cannot have this value, as a sentence. */
export function findValueProblem(field: SearchField, match: Match): string | undefined {
  if (match.op === '..') {
    return findValueProblem(field, { op: '>=', value: match.from, isPattern: false }) ??
      findValueProblem(field, { op: '<=', value: match.to, isPattern: false }) // prettier-ignore
  }
  const { name } = field
  const { op, value } = match
  const isOrder = op !== ':' && op !== '='
  if (value === '*' && match.isPattern && !isOrder) return undefined
  switch (field.type) {
    case 'text':
      return isOrder ? `${name} is a text. Use ${name}:value or ${name}=value.` : undefined
    case 'choice': {
      if (isOrder) return `Use ${name}:${field.choices[0]}.`
      if (field.choices.includes(value)) return undefined
      const near = nearestNames(value, field.choices)
      const choices = near.length > 0 ? didYouMean(near) : ` Use ${listOr(field.choices)}.`
      return `There is no ${name} "${value}".${choices}`
    }
    case 'flag':
      return !isOrder && readFlag(value) !== undefined ? undefined : `Use ${name}:yes or ${name}:no.`
    case 'number':
      return readNumber(value)?.unit === '' ? undefined : `"${value}" is not a number.`
    case 'percent':
      return readPercent(value) === undefined ? `"${value}" is not a percentage, such as 80%.` : undefined
    case 'size':
      return readSize(value) === undefined ? `"${value}" is not a size, such as 8gb or 500mb.` : undefined
    case 'share':
      if (readSize(value) !== undefined || (value.endsWith('%') && readPercent(value) !== undefined))
        return undefined
      return `"${value}" is not a size or a share, such as 20gb or 10%.`
    case 'age':
      if (readDate(value) !== undefined || (!isOrder && value === 'never')) return undefined
      if (readAge(value) === undefined)
        return `"${value}" is not an age or a date, such as 7d, 4h or 2026-11-25.`
      return isOrder ? undefined : `Compare an age: ${name}<${value} or ${name}>${value}.`
    case 'version':
      return /^v?\d/.test(value) ? undefined : `"${value}" is not a version, such as 1.4.0.`
  }
}

export function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Did you mean ${listOr(names)}?`
}

function listOr(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
}
