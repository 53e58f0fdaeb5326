import moment from 'moment'

const MOMENT = 'YYYY-MM-DD[T]HH:mm'
const DAY = 'YYYY-MM-DD'
const READ = [MOMENT, 'YYYY-MM-DD[T]HH:mm:ss', 'YYYY-MM-DD HH:mm', DAY, 'HH:mm']
/** The part of a format from the hour on, with what separates it from the date. */
const TIME = /[\s,–-]*(?:\[[^\]]*\])?\s*(?:[Hhk]{1,2}).*$/

/**
 * Local time (`2026-11-24T09:41`) or a day (`2026-11-24`) by the tokens of a format; other text as it is. Where the
 * format would lose a part, such as the year, ISO.
 */
export function formatLocal(value: string, format: string): string {
  const isDay = value.length === DAY.length
  const at = moment(value, [MOMENT, 'YYYY-MM-DD[T]HH:mm:ss', DAY], true)
  if (!at.isValid()) return value
  const tokens = isDay ? format.replace(TIME, '') : format
  const text = at.format(tokens)
  const isKept = tokens !== '' && moment(text, tokens, true).isSame(at, isDay ? 'day' : 'minute')
  return isKept ? text : at.format(isDay ? DAY : 'YYYY-MM-DD HH:mm')
}

/** Text in the format, or ISO, as local time; empty text stays empty. Undefined = neither. */
export function parseLocal(
  text: string,
  { format, isDay }: { format: string; isDay: boolean },
): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  const at = moment(
    trimmed,
    (isDay ? [format.replace(TIME, ''), DAY] : [format, ...READ]).filter(Boolean),
    true,
  )
  return at.isValid() ? at.format(isDay ? DAY : MOMENT) : undefined
}
