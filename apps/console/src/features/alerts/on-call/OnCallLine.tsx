import type { ShiftText } from './schedule-form.ts'

/** `Now: Ada until Monday 09:00`. */
export function OnCallLine({ shift }: { shift: ShiftText }) {
  const { name, from, until, isOverride } = shift
  return (
    <span>
      {from === '' ? 'Now' : from}: <bdi className="strong">{name}</bdi>
      {until !== '' && ` until ${until}`}
      {isOverride && <span className="dim"> (override)</span>}
    </span>
  )
}
